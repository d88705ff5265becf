package knn

// dotsPlain is the kernel in Go: for each row of stride codes its product with the
// query's.
func dotsPlain(query []int16, rows []int8, stride int, sums []int32) {
	for i := range sums {
		row := rows[i*stride : (i+1)*stride]
		q := query[:len(row)]
		var s0, s1 int32
		for j := 0; j+1 < len(row); j += 2 {
			s0 += int32(q[j]) * int32(row[j])
			s1 += int32(q[j+1]) * int32(row[j+1])
		}
		sums[i] = s0 + s1
	}
}
