package embed

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// What speaks no proper HTTP, or sends requests elsewhere, learns nothing more and puts
// no key into a log.
func TestServersThatSpeakNoHTTP(t *testing.T) {
	const key, text = "0a1b2c3d4e5f60718293", "Mara's blood pressure was 180 to 110 on Monday"
	for name, answer := range map[string]string{
		"another protocol":       "SSH-2.0-" + key + " " + text + "\r\n",
		"a broken address":       "HTTP/1.1 307 Go\r\nLocation: http://[::" + key + "/?" + text + "\r\nContent-Length: 0\r\n\r\n",
		"another host":           "HTTP/1.1 307 Go\r\nLocation: http://" + key + ".example/\r\nContent-Length: 0\r\n\r\n",
		"a file":                 "HTTP/1.1 307 Go\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
		"a circle":               "HTTP/1.1 307 Go\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n",
		"a broken header":        "HTTP/1.1 200 OK\r\n" + key + "\r\n\r\n",
		"headers without end":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 12<<20) + "\r\n\r\n",
		"a length that is wrong": "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{",
		"a chunk that is wrong":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
		"no gzip":                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
		"nothing":                "",
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer c.Close()
						_ = c.SetDeadline(time.Now().Add(5 * time.Second))
						line, _ := bufio.NewReader(c).ReadString('\n')
						if line != "" {
							fmt.Fprint(c, answer)
						}
					}()
				}
			}()
			e, err := NewRemote(Options{BaseURL: "http://" + l.Addr().String(), Model: "m", Dimensions: 2, APIKeys: []string{key}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
			defer stop()
			begun := time.Now()
			_, err = e.EmbedPassage(ctx, text)
			if err == nil {
				t.Fatal("no error")
			}
			if m := err.Error(); strings.Contains(m, key) || strings.Contains(m, "blood") || len(m) > 700 || time.Since(begun) > 4*time.Second {
				t.Errorf("%s: %.900s", time.Since(begun), m)
			}
		})
	}
}
