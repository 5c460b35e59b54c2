package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"komadori/core/fault"
)

// The numbers are also C status codes and never change.
func TestKindNumbersAndWords(t *testing.T) {
	for want, kind := range map[int32]struct {
		kind fault.Kind
		text string
	}{
		-1:  {fault.Parse, "parse error"},
		-2:  {fault.IllegalMove, "illegal move"},
		-3:  {fault.InvalidPosition, "invalid position"},
		-4:  {fault.InvalidValue, "invalid value"},
		-5:  {fault.Argument, "bad argument"},
		-6:  {fault.Buffer, "buffer too small"},
		-7:  {fault.Handle, "bad handle"},
		-8:  {fault.Busy, "handle busy"},
		-9:  {fault.Forked, "library copy belongs to the parent process"},
		-10: {fault.Cancelled, "cancelled"},
		-11: {fault.Memory, "out of memory"},
		-12: {fault.IO, "input/output error"},
		-13: {fault.Internal, "internal error"},
		-14: {fault.AmbiguousMove, "ambiguous move"},
		-99: {fault.Kind(-99), "kind -99"},
	} {
		assert.Equal(t, want, int32(kind.kind))
		assert.Equal(t, kind.text, kind.kind.String())
		assert.Equal(t, kind.text, kind.kind.Error())
	}
}

func TestErrorNamesOperationKindDetailAndPlace(t *testing.T) {
	e := fault.New(fault.Parse, "notation.ParseSFEN", "rank %d holds %d squares, want 9", 4, 10)
	assert.EqualError(t, e, "notation.ParseSFEN: parse error: rank 4 holds 10 squares, want 9")
	assert.Equal(t, -1, e.Offset)
	assert.Equal(t, -1, e.Row)
	assert.EqualError(t, e.InRow(7), "notation.ParseSFEN: parse error: rank 4 holds 10 squares, want 9 (row 7)")
	assert.Equal(t, -1, e.Row, "InRow works on a copy")
	assert.EqualError(t, e.At(23), "notation.ParseSFEN: parse error: rank 4 holds 10 squares, want 9 (offset 23)")
	assert.EqualError(t, e.InRow(7), "notation.ParseSFEN: parse error: rank 4 holds 10 squares, want 9 (row 7, offset 23)")
	assert.EqualError(t, fault.New(fault.Handle, "kmd_board_push", ""), "kmd_board_push: bad handle")
}

func TestErrorMatchesItsKindAlone(t *testing.T) {
	wrapped := fmt.Errorf("row: %w", fault.New(fault.IllegalMove, "op", "7g7e"))
	assert.ErrorIs(t, wrapped, fault.IllegalMove)
	assert.NotErrorIs(t, wrapped, fault.Parse)
	assert.NotErrorIs(t, wrapped, errors.New("illegal move"))
	var e *fault.Error
	assert.ErrorAs(t, wrapped, &e)
	assert.Equal(t, "op", e.Op)
}

func TestAnAmbiguousMoveIsAnIllegalOneToo(t *testing.T) {
	ambiguous, illegal := fault.New(fault.AmbiguousMove, "op", "two golds"), fault.New(fault.IllegalMove, "op", "no gold")
	assert.ErrorIs(t, ambiguous, fault.IllegalMove)
	assert.ErrorIs(t, ambiguous, fault.AmbiguousMove)
	assert.NotErrorIs(t, illegal, fault.AmbiguousMove)
}

func TestDetailIsWhatAMessageOfAnotherErrorNeeds(t *testing.T) {
	assert.Equal(t, "rank 4 is short", fault.Detail(fmt.Errorf("row: %w", fault.New(fault.Parse, "op", "rank 4 is short").At(3))))
	assert.Equal(t, "op: bad handle", fault.Detail(fault.New(fault.Handle, "op", "")))
	assert.Equal(t, "other", fault.Detail(errors.New("other")))
}
