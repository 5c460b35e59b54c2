package batch

import "komadori/core/fault"

// Mirrored tells whether the record of a number is mirrored when a share of all records is, chosen by a seed. The answer depends on nothing
// else, so that it is the same however the records are cut into batches and spread over workers.
func Mirrored(share float64, seed, number uint64) bool {
	// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators), at the place of the number in the sequence of the seed.
	z := mix(seed) + (number+1)*0x9E3779B97F4A7C15
	return float64(mix(z)>>11)*(1.0/(1<<53)) < share
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// mirrors tells whether a row is to be mirrored.
func (o *Options) mirrors(row int) bool {
	switch {
	case o.MirrorAll:
		return true
	case len(o.Mirror) != 0:
		return o.Mirror[row] != 0
	case o.MirrorShare == 0:
		return false
	case len(o.RowNumbers) != 0:
		return Mirrored(o.MirrorShare, o.MirrorSeed, o.RowNumbers[row])
	}
	return Mirrored(o.MirrorShare, o.MirrorSeed, o.FirstRow+uint64(row))
}

func (o *Options) checkMirror(op string, n int) error {
	if !(o.MirrorShare >= 0 && o.MirrorShare <= 1) {
		return fault.New(fault.Argument, op, "share of mirrored rows %v, want 0..1", o.MirrorShare)
	}
	if len(o.Mirror) != 0 {
		if err := wantLength(op, "mirror", len(o.Mirror), n); err != nil {
			return err
		}
	}
	if len(o.RowNumbers) != 0 {
		return wantLength(op, "row numbers", len(o.RowNumbers), n)
	}
	return nil
}
