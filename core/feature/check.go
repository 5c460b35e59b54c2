package feature

import "komadori/core/fault"

func checkSizes(f1, f2 int) error {
	if f1 != 0 && f1 != BoardSize {
		return fault.New(fault.Argument, "feature.Write", "features1 has %d elements, want %d or none", f1, BoardSize)
	}
	if f2 != 0 && f2 != FlatSize && f2 != FlatSizeKing {
		return fault.New(fault.Argument, "feature.Write", "features2 has %d elements, want %d, %d or none", f2, FlatSize, FlatSizeKing)
	}
	return nil
}
