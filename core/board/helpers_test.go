package board_test

import (
	"komadori/core/board"
	"komadori/core/notation"
)

func describe(s *board.Setup) string { return string(notation.AppendSFEN(nil, s)) }
