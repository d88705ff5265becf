package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// RepairScopesRequest asks for memories in no scope, which no agent finds.
type RepairScopesRequest struct {
	Who Who
	// Target is the scope they are to get; empty is global.
	Target string
	// AllowNew lets Target be a scope that nothing else is in and no setting names.
	AllowNew bool
	// Apply changes them. Otherwise they are only listed.
	Apply bool
}

// RepairScopesAnswer says which there are.
type RepairScopesAnswer struct {
	Target string
	// Memories are in no scope, or were before.
	Memories []memory.Memory
	// Repaired of them have Target now.
	Repaired int
	// Nameless rows have no id either, so that nothing can change them.
	Nameless int
}

// repairCommit is how many share a commit.
const repairCommit = 500

// RepairScopes puts memories without a scope into one. It can be undone like any
// other change.
func (e *Engine) RepairScopes(ctx context.Context, r RepairScopesRequest) (answer RepairScopesAnswer, err error) {
	access, err := e.access(r.Who)
	if err != nil {
		return answer, err
	}
	if !access.Filter().All() {
		return answer, &BadInputError{Problem: "repairing scopes is for the operator: an agent sees no memory without a scope"}
	}
	if answer.Target, err = access.Write(r.Target); err != nil {
		return answer, &BadInputError{Problem: fmt.Sprintf("repairing scopes: %q cannot be a scope; use letters, digits, . _ : and -", r.Target)}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return answer, err
	}
	if answer.Memories, answer.Nameless, err = db.Scopeless(ctx); err != nil {
		return answer, storage("repairing scopes", err)
	}
	if !r.AllowNew {
		if err := e.knownScope(ctx, db, answer.Target); err != nil {
			return answer, err
		}
	}
	if !r.Apply {
		return answer, nil
	}
	for some := range slices.Chunk(answer.Memories, repairCommit) {
		n := 0
		err := db.Write(acting(ctx, r.Who, access), "repairing scopes", func(tx *store.Tx) error {
			n = 0
			ids := make([]string, len(some))
			for i, m := range some {
				ids[i] = m.ID
			}
			if err := tx.Load(ctx, ids...); err != nil {
				return err
			}
			for _, id := range ids {
				now, err := tx.Get(ctx, access.Filter(), id)
				if FaultOf(err) == FaultNotFound || (err == nil && strings.TrimSpace(now.Scope) != "") {
					continue // gone, or somebody was faster
				}
				if err != nil {
					return err
				}
				now.Scope = answer.Target
				if err := tx.Update(now); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			return answer, storage("repairing scopes", err)
		}
		answer.Repaired += n
	}
	return answer, nil
}

// knownScope refuses a scope that is in use nowhere: a mistyped one would hide the
// memories once more.
func (e *Engine) knownScope(ctx context.Context, db *store.Store, name string) error {
	if name == scope.Global || name == e.cfg.Scopes.Default || slices.Contains(e.cfg.Scopes.Everyone, name) {
		return nil
	}
	for _, reach := range e.cfg.Scopes.Access {
		if slices.Contains(reach, name) {
			return nil
		}
	}
	counts, err := db.Stats(ctx, scope.Operator().Filter())
	if err != nil {
		return storage("repairing scopes", err)
	}
	if counts.ByScope[name] > 0 {
		return nil
	}
	used := slices.Sorted(maps.Keys(counts.ByScope))
	used = slices.DeleteFunc(used, func(s string) bool { return strings.TrimSpace(s) == "" })
	return &BadInputError{Problem: fmt.Sprintf("repairing scopes: nothing is in a scope %q and no setting names it; in use are: %s; --allow-new-scope takes it all the same",
		name, strings.Join(used, ", "))}
}
