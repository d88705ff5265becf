#include "textflag.h"

// func dotsAVX2(query *int16, rows *int8, stride int, sums *int32, n int)
//
// For each row: sixteen codes are widened to 16 bits (VPMOVSXBW), multiplied with
// sixteen of the query and added in pairs (VPMADDWD) to eight 32-bit sums.
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ stride+16(FP), CX
	MOVQ sums+24(FP), DX
	MOVQ n+32(FP), R8

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  SI, R9
	MOVQ  CX, R10
	CMPQ  R10, $32
	JLT   last

pair:
	VPMOVSXBW (DI), Y2
	VPMOVSXBW 16(DI), Y3
	VPMADDWD  (R9), Y2, Y2
	VPMADDWD  32(R9), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, DI
	ADDQ      $64, R9
	SUBQ      $32, R10
	CMPQ      R10, $32
	JGE       pair

last:
	TESTQ     R10, R10
	JZ        sum
	VPMOVSXBW (DI), Y2
	VPMADDWD  (R9), Y2, Y2
	VPADDD    Y2, Y0, Y0
	ADDQ      $16, DI

sum:
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DX)
	ADDQ         $4, DX
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET
