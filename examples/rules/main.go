// Command rules shows the rules of shogi that programs most often get wrong, by asking the library about small positions.
//
//	go run ./examples/rules
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func main() {
	if err := show(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

// show writes all demonstrations.
func show(w io.Writer) error {
	p, err := fromBytes()
	if err != nil {
		return err
	}
	fmt.Fprint(w, diagram(&p))
	var legal board.MoveList
	p.Legal(&legal)
	fmt.Fprintf(w, "Black has %d moves on the board and %d drops.\n", legal.N-drops(&legal), drops(&legal))

	for _, r := range rules {
		fmt.Fprintf(w, "\n%s\n", r.name)
		for _, c := range r.cases {
			p, err := notation.ParsePosition(c.sfen)
			if err != nil {
				return err
			}
			for _, m := range c.moves {
				move, err := shogi.ParseMove(m.usi)
				if err != nil {
					return err
				}
				verdict := "no "
				if p.IsLegal(move) {
					verdict = "yes"
				}
				fmt.Fprintf(w, "  %-5s %s  %s\n", m.usi, verdict, m.why)
			}
		}
	}

	fmt.Fprintf(w, "\nSquares that each kind reaches from 5e on an empty board\n ")
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		fmt.Fprintf(w, " %s %d", kanji[t], len(reach(t)))
	}
	fmt.Fprintf(w, "\n\nWhat is in hand after taking each promoted piece\n ")
	for t := shogi.ProPawn; t <= shogi.Dragon; t++ {
		hand, err := taken(t)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, " %s: %s", kanji[t], hands(hand))
	}
	fmt.Fprintln(w)
	return nil
}

// fromBytes sets up a position from piece bytes on a row-major board, the layout of engines that keep kind, side and promotion in
// separate bits: a king each, a black pawn, a silver in Black's hand.
func fromBytes() (board.Position, error) {
	const king, pawn, white = 8, 1, 16
	setup := board.Setup{Turn: shogi.Black, Ply: 1}
	for _, man := range []struct {
		row, column int
		code        uint8
	}{{8, 4, king}, {0, 4, king | white}, {6, 4, pawn}} {
		piece, err := shogi.PieceFromFlagged(man.code)
		if err != nil {
			return board.Position{}, err
		}
		setup.Board[shogi.SquareFromRowMajor(9*man.row+man.column)] = piece
	}
	hand, err := shogi.Hand(0).Add(shogi.Silver, 1)
	if err != nil {
		return board.Position{}, err
	}
	setup.Hands[shogi.Black] = hand
	return setup.Position()
}

func drops(l *board.MoveList) (n int) {
	for _, m := range l.Slice() {
		if m.IsDrop() {
			n++
		}
	}
	return n
}

// reach lists the squares that a black piece can move to from 5e on a board without others in its way.
func reach(t shogi.PieceType) map[shogi.Square]bool {
	const center = shogi.Square(4*9 + 4)
	setup := board.Setup{Turn: shogi.Black, Ply: 1}
	setup.Board[center] = shogi.MakePiece(shogi.Black, t)
	p, err := setup.Position()
	if err != nil {
		return nil
	}
	var legal board.MoveList
	p.Legal(&legal)
	squares := map[shogi.Square]bool{}
	for _, m := range legal.Slice() {
		squares[m.To()] = true
	}
	return squares
}

// taken is the hand of a side that took one promoted piece.
func taken(t shogi.PieceType) (shogi.Hand, error) {
	p, err := notation.ParsePosition("4k4/9/9/9/9/9/4G4/9/4K4 b - 1")
	if err != nil {
		return 0, err
	}
	setup := p.Setup()
	target := shogi.Square(4*9 + 5) // 5f
	setup.Board[target] = shogi.MakePiece(shogi.White, t)
	game := board.NewGame()
	if err := game.Reset(&setup); err != nil {
		return 0, err
	}
	err = game.Push(shogi.MoveUnchecked(target+1, target, false))
	return game.Pos.Hand(shogi.Black), err
}

var kanji = [...]string{"・", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍"}

// diagram draws a position. The rank numerals are a table of their own: 一, 二 and 三 are no neighbours in Unicode.
func diagram(p *board.Position) string {
	var b strings.Builder
	fmt.Fprintf(&b, "White: %s\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n", hands(p.Hand(shogi.White)))
	for rank := shogi.Rank(0); rank < 9; rank++ {
		for file := shogi.File(8); file >= 0; file-- {
			piece := p.PieceAt(shogi.MakeSquare(file, rank))
			side := " "
			if !piece.IsEmpty() && piece.Color() == shogi.White {
				side = "v"
			}
			b.WriteString(side + kanji[piece.Type()])
		}
		fmt.Fprintf(&b, " %c\n", []rune("一二三四五六七八九")[rank])
	}
	fmt.Fprintf(&b, "Black: %s\n", hands(p.Hand(shogi.Black)))
	return b.String()
}

func hands(h shogi.Hand) string {
	var words []string
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		if n := h.Count(t); n > 0 {
			words = append(words, fmt.Sprintf("%s×%d", kanji[t], n))
		}
	}
	if len(words) == 0 {
		return "nothing in hand"
	}
	return strings.Join(words, " ")
}
