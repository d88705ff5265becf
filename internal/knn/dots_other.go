//go:build !amd64

package knn

func dots(query []int16, rows []int8, stride int, sums []int32) {
	dotsPlain(query, rows, stride, sums)
}
