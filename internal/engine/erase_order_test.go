package engine

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// An erasure that ends in the middle leaves nothing that only the words could find: the
// next knows the id, and the words perhaps no more.
func TestEraseDropsVectorsWhileTheWordsAreKnown(t *testing.T) {
	cache := t.TempDir()
	f := start(t, newProvider(t).embedding(), func(o *Options) { o.Config.VectorCache = cache })
	m := f.remember("The " + planted + " is kept in the attic").Memory
	begun, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := f.database().Write(context.Background(), "test", func(*store.Tx) error { close(begun); <-end; return nil })
		if err != nil {
			t.Error(err)
		}
	})
	<-begun
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	if _, err := f.Erase(ctx, EraseRequest{Who: Operator(), ID: m.ID}); err == nil {
		t.Error("erased while another writes")
	}
	close(end)
	wg.Wait()
	if n, err := embed.ForgetIn(cache, m.Text); n != 0 || err != nil {
		t.Errorf("%d vectors were left, %v", n, err)
	}
	if got := f.erase(m.ID); !got.Clean() {
		t.Errorf("%+v", got)
	}
}
