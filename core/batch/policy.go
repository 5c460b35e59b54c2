package batch

import (
	"math"

	"komadori/core/fault"
	"komadori/core/label"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// A policy is the target of a policy head for a row: classes with their shares, which add up to 1; or none.
type policy struct {
	classes [packed.HCPE3MaxCandidates]uint16
	weights [packed.HCPE3MaxCandidates]float32
	n       int
}

// policyOf makes the target of a row whose position has been read: that of its candidates, or its best move alone where the format has none.
func (d *decoder) policyOf(row int, w *workspace, best uint16, mirrored bool) error {
	const op = "batch.Decode"
	t := &w.policy
	if d.in.Format != HCPE3 {
		t.classes[0], t.weights[0], t.n = best, 1, 1
		return nil
	}
	candidates, err := d.in.candidates(d.in.row(row))
	if err != nil {
		return err
	}
	t.n = candidates.Len()
	if d.width < t.n && len(d.out.PolicyLabels)+len(d.out.PolicyWeights) != 0 {
		return fault.New(fault.InvalidValue, op, "%d candidates, room for %d", t.n, d.width)
	}
	var visits [packed.HCPE3MaxCandidates]uint16
	for i := range t.n {
		apery, n := candidates.At(i)
		m := aperyMove(apery)
		if m == shogi.MoveNone {
			return fault.New(fault.InvalidValue, op, "candidate 0x%04x is no move", uint16(apery))
		}
		if mirrored {
			m = m.MirrorFile()
		}
		if d.options.Check == CheckLegal && !w.pos.IsLegal(m) {
			return fault.New(fault.IllegalMove, op, "candidate %v is not legal", m)
		}
		class, ok := d.class(m, w.men.Turn)
		if !ok {
			return fault.New(fault.InvalidValue, op, "candidate %v has no compact label: no piece moves so", m)
		}
		t.classes[i], visits[i] = class, n
	}
	if !Shares(t.weights[:t.n], visits[:t.n], d.options.Temperature) {
		return fault.New(fault.InvalidValue, op, "the candidates have no visits")
	}
	return nil
}

// class is the label of a move in the space asked for.
func (d *decoder) class(m shogi.Move, turn shogi.Color) (uint16, bool) {
	l, ok := label.Of(m, turn)
	if ok && d.options.Labels == CompactLabels {
		c, ok := l.Compact()
		return uint16(c), ok
	}
	return uint16(l), ok
}

// Shares turns visits into a distribution, as dlshogi does: one candidate has all; with temperature 0 the first of the most visited has all; else each has
// a share by its visits to the power of 1/temperature. False when there are several and none has a visit.
func Shares(dst []float32, visits []uint16, temperature float64) bool {
	switch len(visits) {
	case 0:
		return true
	case 1:
		dst[0] = 1
		return true
	}
	best, sum := 0, 0.0
	for i, n := range visits {
		if n > visits[best] {
			best = i
		}
		sum += float64(n)
	}
	if sum == 0 {
		return false
	}
	switch temperature {
	case 0:
		clear(dst)
		dst[best] = 1
	case 1:
		for i, n := range visits {
			dst[i] = float32(float64(n) / sum)
		}
	default:
		var powers [packed.HCPE3MaxCandidates]float64
		most, sum := float64(visits[best]), 0.0
		for i, n := range visits { // by the largest, so that no power is too large for a number
			powers[i] = math.Pow(float64(n)/most, 1/temperature)
			sum += powers[i]
		}
		for i := range visits {
			dst[i] = float32(powers[i] / sum)
		}
	}
	return true
}

func (d *decoder) writePolicy(row int, t *policy) {
	if len(d.out.Policy) != 0 {
		dense := rowOf(d.out.Policy, row, d.classes)
		clear(dense)
		for i, c := range t.classes[:t.n] {
			dense[c] += t.weights[i]
		}
	}
	if len(d.out.PolicyLabels) != 0 {
		sparse := rowOf(d.out.PolicyLabels, row, d.width)
		for i := range sparse {
			sparse[i] = -1
			if i < t.n {
				sparse[i] = int32(t.classes[i])
			}
		}
	}
	if len(d.out.PolicyWeights) != 0 {
		sparse := rowOf(d.out.PolicyWeights, row, d.width)
		clear(sparse)
		copy(sparse, t.weights[:t.n])
	}
}
