//go:build !purego

#include "textflag.h"

// Bits become elements 32 bytes at a time: the bits are broadcast to all lanes, each lane keeps its own bit, compares
// it with its mask, and the resulting all-ones lanes keep the element's one.

// Lane masks of four groups of eight 32-bit elements within a 32-bit word.
DATA masks4<>+0x00(SB)/8, $0x0000000200000001
DATA masks4<>+0x08(SB)/8, $0x0000000800000004
DATA masks4<>+0x10(SB)/8, $0x0000002000000010
DATA masks4<>+0x18(SB)/8, $0x0000008000000040
DATA masks4<>+0x20(SB)/8, $0x0000020000000100
DATA masks4<>+0x28(SB)/8, $0x0000080000000400
DATA masks4<>+0x30(SB)/8, $0x0000200000001000
DATA masks4<>+0x38(SB)/8, $0x0000800000004000
DATA masks4<>+0x40(SB)/8, $0x0002000000010000
DATA masks4<>+0x48(SB)/8, $0x0008000000040000
DATA masks4<>+0x50(SB)/8, $0x0020000000100000
DATA masks4<>+0x58(SB)/8, $0x0080000000400000
DATA masks4<>+0x60(SB)/8, $0x0200000001000000
DATA masks4<>+0x68(SB)/8, $0x0800000004000000
DATA masks4<>+0x70(SB)/8, $0x2000000010000000
DATA masks4<>+0x78(SB)/8, $0x8000000040000000
GLOBL masks4<>(SB), RODATA|NOPTR, $128

DATA masks2<>+0x00(SB)/8, $0x0008000400020001
DATA masks2<>+0x08(SB)/8, $0x0080004000200010
DATA masks2<>+0x10(SB)/8, $0x0800040002000100
DATA masks2<>+0x18(SB)/8, $0x8000400020001000
GLOBL masks2<>(SB), RODATA|NOPTR, $32

DATA masks1<>+0x00(SB)/8, $0x8040201008040201
DATA masks1<>+0x08(SB)/8, $0x8040201008040201
DATA masks1<>+0x10(SB)/8, $0x8040201008040201
DATA masks1<>+0x18(SB)/8, $0x8040201008040201
GLOBL masks1<>(SB), RODATA|NOPTR, $32

// Lane i takes byte i/8 of the word.
DATA bytes1<>+0x00(SB)/8, $0x0000000000000000
DATA bytes1<>+0x08(SB)/8, $0x0101010101010101
DATA bytes1<>+0x10(SB)/8, $0x0202020202020202
DATA bytes1<>+0x18(SB)/8, $0x0303030303030303
GLOBL bytes1<>(SB), RODATA|NOPTR, $32

// The row's bits begin 0..7 bits into the first byte.
#define NEXT32 \
	MOVQ (SI), DX; \
	SHRQ CX, DX; \
	VMOVD DX, X8; \
	VPBROADCASTD X8, Y8

#define FOUR(STORE) \
	NEXT32; \
	VPAND Y8, Y0, Y4; \
	VPAND Y8, Y1, Y5; \
	VPAND Y8, Y2, Y6; \
	VPAND Y8, Y3, Y7; \
	VPCMPEQD Y4, Y0, Y4; \
	VPCMPEQD Y5, Y1, Y5; \
	VPCMPEQD Y6, Y2, Y6; \
	VPCMPEQD Y7, Y3, Y7; \
	VPAND Y4, Y15, Y4; \
	VPAND Y5, Y15, Y5; \
	VPAND Y6, Y15, Y6; \
	VPAND Y7, Y15, Y7; \
	STORE Y4, (DI); \
	STORE Y5, 32(DI); \
	STORE Y6, 64(DI); \
	STORE Y7, 96(DI); \
	ADDQ $4, SI; \
	ADDQ $128, DI; \
	SUBQ $4, R8

// func expand4(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)
TEXT ·expand4(SB), NOSPLIT, $0-30
	MOVQ         dst+0(FP), DI
	MOVQ         bits+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVL         one+24(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	MOVBLZX      shift+28(FP), CX
	MOVBLZX      stream+29(FP), AX
	VMOVDQU      masks4<>+0x00(SB), Y0
	VMOVDQU      masks4<>+0x20(SB), Y1
	VMOVDQU      masks4<>+0x40(SB), Y2
	VMOVDQU      masks4<>+0x60(SB), Y3
	TESTL        AX, AX
	JNE          stream

plain:
	CMPQ R8, $4
	JLT  rest
	FOUR(VMOVDQU)
	JMP  plain

stream:
	CMPQ R8, $4
	JLT  rest
	FOUR(VMOVNTDQ)
	JMP  stream

rest:
	TESTQ        R8, R8
	JEQ          done
	MOVQ         (SI), DX
	SHRQ         CX, DX
	VMOVD        DX, X8
	VPBROADCASTB X8, Y8
	VPAND        Y8, Y0, Y4
	VPCMPEQD     Y4, Y0, Y4
	VPAND        Y4, Y15, Y4
	VMOVDQU      Y4, (DI)
	INCQ         SI
	ADDQ         $32, DI
	DECQ         R8
	JMP          rest

done:
	VZEROUPPER
	RET

#define HALVES(STORE) \
	MOVQ (SI), DX; \
	SHRQ CX, DX; \
	VMOVD DX, X8; \
	VPBROADCASTW X8, Y8; \
	VPAND Y8, Y0, Y4; \
	VPCMPEQW Y4, Y0, Y4; \
	VPAND Y4, Y15, Y4; \
	STORE Y4, (DI); \
	ADDQ $2, SI; \
	ADDQ $32, DI; \
	DECQ R8

// func expand2(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)
TEXT ·expand2(SB), NOSPLIT, $0-30
	MOVQ         dst+0(FP), DI
	MOVQ         bits+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVL         one+24(FP), AX
	VMOVD        AX, X15
	VPBROADCASTW X15, Y15
	MOVBLZX      shift+28(FP), CX
	MOVBLZX      stream+29(FP), AX
	VMOVDQU      masks2<>(SB), Y0
	TESTQ        R8, R8
	JEQ          done
	TESTL        AX, AX
	JNE          stream

plain:
	HALVES(VMOVDQU)
	JNE plain
	JMP done

stream:
	HALVES(VMOVNTDQ)
	JNE stream

done:
	VZEROUPPER
	RET

#define BYTES(STORE) \
	NEXT32; \
	VPSHUFB Y1, Y8, Y8; \
	VPAND Y8, Y0, Y4; \
	VPCMPEQB Y4, Y0, Y4; \
	VPAND Y4, Y15, Y4; \
	STORE Y4, (DI); \
	ADDQ $4, SI; \
	ADDQ $32, DI; \
	DECQ R8

// func expand1(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)
TEXT ·expand1(SB), NOSPLIT, $0-30
	MOVQ         dst+0(FP), DI
	MOVQ         bits+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVL         one+24(FP), AX
	VMOVD        AX, X15
	VPBROADCASTB X15, Y15
	MOVBLZX      shift+28(FP), CX
	MOVBLZX      stream+29(FP), AX
	VMOVDQU      masks1<>(SB), Y0
	VMOVDQU      bytes1<>(SB), Y1
	TESTQ        R8, R8
	JEQ          done
	TESTL        AX, AX
	JNE          stream

plain:
	BYTES(VMOVDQU)
	JNE plain
	JMP done

stream:
	BYTES(VMOVNTDQ)
	JNE stream

done:
	VZEROUPPER
	RET

// With the wide registers, bits are masks as they are: a group of 64 bytes is the ones where the mask has ones, and zeros elsewhere.

#define WIDE4(STORE) \
	MOVL (SI), DX; \
	SHRXL CX, DX, DX; \
	KMOVW DX, K1; \
	VMOVDQU32.Z Z15, K1, Z0; \
	STORE Z0, (DI); \
	ADDQ $2, SI; \
	ADDQ $64, DI; \
	DECQ R8

// func wide4(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)
TEXT ·wide4(SB), NOSPLIT, $0-30
	MOVQ         dst+0(FP), DI
	MOVQ         bits+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVL         one+24(FP), AX
	VPBROADCASTD AX, Z15
	MOVBLZX      shift+28(FP), CX
	MOVBLZX      stream+29(FP), AX
	TESTQ        R8, R8
	JEQ          done
	TESTL        AX, AX
	JNE          stream

plain:
	WIDE4(VMOVDQU64)
	JNE plain
	JMP done

stream:
	WIDE4(VMOVNTDQ)
	JNE stream

done:
	VZEROUPPER
	RET

#define WIDE2(STORE) \
	MOVQ (SI), DX; \
	SHRXQ CX, DX, DX; \
	KMOVD DX, K1; \
	VMOVDQU16.Z Z15, K1, Z0; \
	STORE Z0, (DI); \
	ADDQ $4, SI; \
	ADDQ $64, DI; \
	DECQ R8

// func wide2(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)
TEXT ·wide2(SB), NOSPLIT, $0-30
	MOVQ         dst+0(FP), DI
	MOVQ         bits+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVL         one+24(FP), AX
	VPBROADCASTW AX, Z15
	MOVBLZX      shift+28(FP), CX
	MOVBLZX      stream+29(FP), AX
	TESTQ        R8, R8
	JEQ          done
	TESTL        AX, AX
	JNE          stream

plain:
	WIDE2(VMOVDQU64)
	JNE plain
	JMP done

stream:
	WIDE2(VMOVNTDQ)
	JNE stream

done:
	VZEROUPPER
	RET

// 64 bits from the shift on: what the first eight bytes lack at the upper end, the eight from the second on have.
#define WIDE1(STORE) \
	MOVQ (SI), DX; \
	MOVQ 1(SI), R9; \
	SHRXQ CX, DX, DX; \
	SHLXQ R10, R9, R9; \
	ORQ R9, DX; \
	KMOVQ DX, K1; \
	VMOVDQU8.Z Z15, K1, Z0; \
	STORE Z0, (DI); \
	ADDQ $8, SI; \
	ADDQ $64, DI; \
	DECQ R8

// func wide1(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)
TEXT ·wide1(SB), NOSPLIT, $0-30
	MOVQ         dst+0(FP), DI
	MOVQ         bits+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVL         one+24(FP), AX
	VPBROADCASTB AX, Z15
	MOVBLZX      shift+28(FP), CX
	MOVL         $8, R10
	SUBL         CX, R10
	MOVBLZX      stream+29(FP), AX
	TESTQ        R8, R8
	JEQ          done
	TESTL        AX, AX
	JNE          stream

plain:
	WIDE1(VMOVDQU64)
	JNE plain
	JMP done

stream:
	WIDE1(VMOVNTDQ)
	JNE stream

done:
	VZEROUPPER
	RET

// func store(to unsafe.Pointer, from *byte, group int)
TEXT ·store(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	CMPQ group+16(FP), $64
	JEQ  wide
	VMOVDQU  (SI), Y0
	VMOVNTDQ Y0, (DI)
	VZEROUPPER
	RET

wide:
	VMOVDQU64 (SI), Z0
	VMOVNTDQ  Z0, (DI)
	VZEROUPPER
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET
