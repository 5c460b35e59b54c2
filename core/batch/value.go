package batch

import "math"

// dlshogi's scale between evaluations and winning probabilities: 1 / 0.0013226.
const dlshogiScale = 756.0864962951762

// Value is the winning probability that dlshogi's training assigns to an evaluation in centipawns, both seen by the side to move:
// 1 / (1 + exp(-0.0013226 * eval)).
//
// A scale other than 0 is that of the engine that made the evaluations. As dlshogi does, the evaluation is then
// first brought to dlshogi's scale, eval * 756.0864962951762 / scale, and cut to an integer towards 0.
//
// The steps are those of single precision with a correctly rounded exponential. dlshogi calls the C library's expf, which is
// not always correctly rounded: with glibc's, 65,513 of the 65,536 evaluations give the same number and 23 differ in its last bit.
func Value(eval int16, scale float64) float32 {
	e := float64(eval)
	if scale != 0 && scale != dlshogiScale {
		e = math.Trunc(e * dlshogiScale / scale)
	}
	x := float32(e) * float32(0.0013226)
	return 1 / (1 + float32(math.Exp(float64(-x))))
}
