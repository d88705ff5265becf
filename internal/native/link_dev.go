//go:build !release

package native

// Built from a checkout, programs and tests find the library where unpack put it.

/*
#cgo linux,amd64 LDFLAGS: -L${SRCDIR}/lib/linux_amd64 -lmlp_native -Wl,-rpath,${SRCDIR}/lib/linux_amd64
*/
import "C"
