//go:build release

package native

// The product carries the library beside the program, and no build path.

/*
#cgo linux,amd64 LDFLAGS: -L${SRCDIR}/lib/linux_amd64 -lmlp_native -Wl,-rpath,$ORIGIN
*/
import "C"
