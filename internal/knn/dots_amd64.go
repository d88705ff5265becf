package knn

import "github.com/klauspost/cpuid/v2"

var wide = cpuid.CPU.Supports(cpuid.AVX2)

// dots is dotsPlain, sixteen numbers at a time where the processor can.
func dots(query []int16, rows []int8, stride int, sums []int32) {
	if !wide || len(sums) == 0 {
		dotsPlain(query, rows, stride, sums)
		return
	}
	_, _ = query[stride-1], rows[len(sums)*stride-1] // the kernel checks nothing
	dotsAVX2(&query[0], &rows[0], stride, &sums[0], len(sums))
}

// dotsAVX2 needs a stride that is a multiple of 16 and n > 0.
//
//go:noescape
func dotsAVX2(query *int16, rows *int8, stride int, sums *int32, n int)
