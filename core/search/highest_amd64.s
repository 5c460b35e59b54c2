//go:build !purego

#include "textflag.h"

// func highest8(o *int32, n int) int32
TEXT ·highest8(SB), NOSPLIT, $0-20
	MOVQ    o+0(FP), SI
	MOVQ    n+8(FP), CX
	VMOVDQU (SI), Y0
	JMP     more

next:
	VPMAXSD (SI), Y0, Y0

more:
	ADDQ         $32, SI
	SUBQ         $8, CX
	JG           next
	VEXTRACTI128 $1, Y0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPMAXSD      X1, X0, X0
	VMOVD        X0, AX
	VZEROUPPER
	MOVL         AX, ret+16(FP)
	RET
