package notation

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// Words are what the text of one move says, before any board is asked. Resolve finds the legal move they mean; Literal takes them at their word,
// so that a reader of records can keep a move that breaks the rules.
type Words struct {
	Style     Style
	HasColor  bool        // the text says whose move it is
	Color     shogi.Color // ... and that is it
	Same      bool        // 同: to the target of the move before
	Drop      bool
	Capture   bool            // the text says that something is taken (x of Western notation)
	Promotion Promotion       // of CSA it follows from the kind, which needs a board
	Marks     Marks           // 右, 上, ...
	Kind      shogi.PieceType // what moves, before a promotion; of CSA after it; NoPieceType for a board move of USI
	From      shogi.Square    // NoSquare when it is not said
	To        shogi.Square    // NoSquare when 同 alone says it
}

// A Promotion is what words say about promotion.
type Promotion uint8

const (
	Unsaid   Promotion = 0
	Promotes Promotion = 1 // 成, +
	Declines Promotion = 2 // 不成, =
)

// Marks are the words by which Japanese notation tells apart pieces of a kind that can go to the same square, seen by the side that moves.
type Marks uint8

const (
	Up       Marks = 1 << iota // 上, also 行, 入: goes forward
	Back                       // 引, also 下, 退: goes backward
	Sideways                   // 寄: stays on its rank
	Straight                   // 直: goes forward on its file
	Right                      // 右: comes from the right
	Left                       // 左
)

// ParseWords reads a text that holds the words of one move and nothing else but blanks around them. fault.Parse with the offset otherwise.
func ParseWords(text string, style Style) (Words, error) {
	start := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	w, n, err := ReadWords(text[start:], style)
	if err != nil {
		if e, ok := err.(*fault.Error); ok && e.Offset >= 0 {
			e.Offset += start
		}
		return w, err
	}
	if rest := strings.TrimLeftFunc(text[start+n:], unicode.IsSpace); rest != "" {
		return w, fault.New(fault.Parse, "notation.ParseWords", "%q goes on with %q after the move", clip(text), clip(rest)).At(len(text) - len(rest))
	}
	return w, nil
}

// ReadWords reads the words of a move at the start of a text and returns how many bytes they take; what follows them is the caller's, such
// as the time of a KIF line. fault.Parse with the offset when there is no move.
func ReadWords(text string, style Style) (w Words, n int, err error) {
	w = Words{Style: style, From: shogi.NoSquare, To: shogi.NoSquare}
	r := reader{text: text}
	switch style {
	case USI:
		err = r.usi(&w)
	case CSA:
		err = r.csa(&w)
	case KIF, KI2:
		err = r.japanese(&w)
	case Western:
		err = r.western(&w)
	default:
		err = fault.New(fault.InvalidValue, "notation.ReadWords", "style %d, want 1..5", style)
	}
	return w, r.at, err
}

// A reader walks through the words of a move.
type reader struct {
	text string
	at   int
}

// failure reports that the text cannot be read on.
func (r *reader) failure(style Style, want string) error {
	found := "the end"
	if r.at < len(r.text) {
		found = strconv.Quote(clip(r.text[r.at:]))
	}
	return fault.New(fault.Parse, "notation.ReadWords", "%s move %q: %s, want %s", style, clip(r.text), found, want).At(r.at)
}

// peek is the next character and its length; 0, 0 at the end.
func (r *reader) peek() (rune, int) {
	if r.at == len(r.text) {
		return 0, 0
	}
	return utf8.DecodeRuneInString(r.text[r.at:])
}

// byte takes a byte of a set if it comes next, else gives 0.
func (r *reader) byte(set string) byte {
	if r.at < len(r.text) && strings.IndexByte(set, r.text[r.at]) >= 0 {
		r.at++
		return r.text[r.at-1]
	}
	return 0
}

// blanks skips blanks of any kind, but not the end of a line.
func (r *reader) blanks() {
	for {
		c, n := r.peek()
		if n == 0 || c == '\n' || c == '\r' || !unicode.IsSpace(c) {
			return
		}
		r.at += n
	}
}

// side takes a mark of the side: ▲ ▼ ☗ Black, △ ▽ ☖ White.
func (r *reader) side(w *Words) {
	c, n := r.peek()
	switch c {
	case '▲', '▼', '☗':
		w.HasColor, w.Color = true, shogi.Black
	case '△', '▽', '☖':
		w.HasColor, w.Color = true, shogi.White
	default:
		return
	}
	r.at += n
	r.blanks()
}

func (r *reader) usi(w *Words) error {
	start := r.at
	for r.byte("123456789abcdefghijklmnopqrstuvwxyzBGLNPRSK0*+") != 0 {
	}
	m, err := shogi.ParseMove(r.text[start:r.at])
	if err != nil {
		return err
	}
	if m.IsSpecial() {
		return nil // no move of the board: Resolve says so
	}
	w.Drop, w.Kind, w.From, w.To = m.IsDrop(), m.DroppedType(), m.From(), m.To()
	if m.IsPromotion() {
		w.Promotion = Promotes
	}
	return nil
}

const resolveOp = "notation.Words.Resolve"

// Resolve gives the one legal move that the words mean; previous is the target of the move before, NoSquare when there is none.
// fault.IllegalMove when no legal move fits, fault.AmbiguousMove when several do.
//
// Silence about promotion means none. Where two moves fit, one that would be written with exactly these marks wins over one that they merely
// allow, and a move on the board over a drop without 打.
func (w Words) Resolve(p *board.Position, previous shogi.Square) (shogi.Move, error) {
	to, err := w.target(p, previous)
	if err != nil {
		return shogi.MoveNone, err
	}
	if w.Capture && p.PieceAt(to).IsEmpty() {
		return shogi.MoveNone, fault.New(fault.IllegalMove, resolveOp, "nothing stands on %v to be taken", to)
	}
	if !w.isExact() {
		return w.search(p, to)
	}
	m, err := w.exact(p, to)
	if err == nil && !p.IsLegal(m) {
		err = fault.New(fault.IllegalMove, resolveOp, "%v is not legal here", m)
	}
	if err != nil {
		return shogi.MoveNone, err
	}
	return m, nil
}

// Literal gives the move that the words name, legal or not, and false when they name none: where no piece of the side to move stands on the
// origin or it is another kind, where nothing or more than one piece could be meant, where it is the other side's turn.
func (w Words) Literal(p *board.Position, previous shogi.Square) (shogi.Move, bool) {
	to, err := w.target(p, previous)
	if err != nil {
		return shogi.MoveNone, false
	}
	if m, err := w.Resolve(p, previous); err == nil {
		return m, true
	}
	if w.isExact() {
		m, err := w.exact(p, to)
		return m, err == nil
	}
	from, found := shogi.NoSquare, 0
	c := candidatesFor(p, w.Kind, to)
	for rest := c.set; !rest.IsEmpty(); {
		if sq := rest.Pop(); c.marks(sq)&w.Marks == w.Marks {
			from = sq
			found++
		}
	}
	switch {
	case found == 1:
		return shogi.MoveUnchecked(from, to, w.Promotion == Promotes), true
	case found == 0 && w.mayDrop():
		return shogi.DropUnchecked(w.Kind, to), true
	}
	return shogi.MoveNone, false
}

// target is the square that the move goes to. It also checks whose move it is.
func (w *Words) target(p *board.Position, previous shogi.Square) (shogi.Square, error) {
	to := w.To
	switch {
	case w.HasColor && w.Color != p.Turn():
		return to, fault.New(fault.IllegalMove, resolveOp, "a move of %v, but %v is to move", w.Color, p.Turn())
	case w.Same && !previous.IsOnBoard():
		return to, fault.New(fault.IllegalMove, resolveOp, "同 without a move before")
	case w.Same && to.IsOnBoard() && to != previous:
		return to, fault.New(fault.IllegalMove, resolveOp, "同 on %v, but the move before went to %v", to, previous)
	case w.Same:
		to = previous
	case !to.IsOnBoard():
		return to, fault.New(fault.IllegalMove, resolveOp, "a word that is no move of the board")
	}
	return to, nil
}

// isExact tells whether the words name the move itself and need no search.
func (w *Words) isExact() bool { return w.Drop || w.From.IsOnBoard() }

// exact is the move of words that name its origin or say that it is a drop. It may be illegal, but the piece is the one that is named.
func (w *Words) exact(p *board.Position, to shogi.Square) (shogi.Move, error) {
	if w.Drop {
		return shogi.NewDrop(w.Kind, to)
	}
	if w.From == to {
		return shogi.MoveNone, fault.New(fault.IllegalMove, resolveOp, "a move from %v to itself", to)
	}
	promote := w.Promotion == Promotes
	if w.Style != USI {
		piece := p.PieceAt(w.From)
		kind := piece.Type()
		if w.Style == CSA && kind.IsPromotable() && kind.Promote() == w.Kind {
			kind, promote = w.Kind, true
		}
		if piece.IsEmpty() || piece.Color() != p.Turn() || kind != w.Kind {
			return shogi.MoveNone, fault.New(fault.IllegalMove, resolveOp, "no %v of the side to move on %v", w.Kind, w.From)
		}
	}
	return shogi.NewMove(w.From, to, promote)
}

// mayDrop tells whether words without 打 can mean a drop.
func (w *Words) mayDrop() bool {
	return w.Style != Western && w.Marks == 0 && w.Promotion == Unsaid && w.Kind >= shogi.Pawn && w.Kind <= shogi.Gold
}

// search finds the legal move of words that name a kind and a target, but no origin.
func (w *Words) search(p *board.Position, to shogi.Square) (shogi.Move, error) {
	c := candidatesFor(p, w.Kind, to)
	found, n := shogi.MoveNone, 0
	for rest := c.set; !rest.IsEmpty(); {
		from := rest.Pop()
		m := shogi.MoveUnchecked(from, to, w.Promotion == Promotes)
		if c.marks(from)&w.Marks != w.Marks || !p.IsLegal(m) {
			continue
		}
		if w.Style != Western && c.suffix(from) == suffixOf(w.Marks) {
			return m, nil
		}
		found = m
		n++
	}
	if n == 0 && w.mayDrop() {
		if m := shogi.DropUnchecked(w.Kind, to); p.IsLegal(m) {
			return m, nil
		}
	}
	switch n {
	case 0:
		return shogi.MoveNone, fault.New(fault.IllegalMove, resolveOp, "no legal move of %v to %v fits", w.Kind, to)
	case 1:
		return found, nil
	}
	return shogi.MoveNone, fault.New(fault.AmbiguousMove, resolveOp, "%d legal moves of %v to %v fit", n, w.Kind, to)
}

// candidates are the pieces of one kind and the side to move that attack a square, pinned ones included: those that notation tells apart.
type candidates struct {
	set   bitboard.Bitboard
	kind  shogi.PieceType
	to    shogi.Square
	color shogi.Color
}

func candidatesFor(p *board.Position, kind shogi.PieceType, to shogi.Square) candidates {
	us := p.Turn()
	return candidates{p.AttackersTo(to, us).And(p.PiecesOf(us, kind)), kind, to, us}
}

// from is where a candidate comes from, seen by the side that moves: files to the left of the target, ranks behind it.
func (c *candidates) from(sq shogi.Square) (left, behind int) {
	left, behind = int(sq.File())-int(c.to.File()), int(sq.Rank())-int(c.to.Rank())
	if c.color == shogi.White {
		left, behind = -left, -behind
	}
	return left, behind
}

// motion is the direction in which a candidate moves.
func (c *candidates) motion(sq shogi.Square) Marks {
	switch _, behind := c.from(sq); {
	case behind > 0:
		return Up
	case behind < 0:
		return Back
	}
	return Sideways
}

// side is Right or Left of the target, 0 on its file.
func (c *candidates) side(sq shogi.Square) Marks {
	switch left, _ := c.from(sq); {
	case left > 0:
		return Left
	case left < 0:
		return Right
	}
	return 0
}

// saysStraight tells whether 直 is a word for the kind: silvers and what moves like a gold.
func saysStraight(kind shogi.PieceType) bool {
	return kind == shogi.Silver || kind == shogi.Gold || (kind >= shogi.ProPawn && kind <= shogi.ProSilver)
}

// marks are all words that are true of a candidate. A big piece on the target's file is the left one beside one on its right, and the right one
// beside one on its left.
func (c *candidates) marks(sq shogi.Square) Marks {
	m := c.motion(sq) | c.side(sq)
	if m&(Right|Left) != 0 {
		return m
	}
	if m == Up {
		m |= Straight
	}
	if !saysStraight(c.kind) {
		for rest := c.set.Clear(sq); !rest.IsEmpty(); {
			switch c.side(rest.Pop()) {
			case Right:
				m |= Left
			case Left:
				m |= Right
			}
		}
	}
	return m
}

// isAlone tells whether one candidate alone moves in a direction, or comes from a side.
func (c *candidates) isAlone(word Marks) bool {
	n := 0
	for rest := c.set; !rest.IsEmpty(); {
		if sq := rest.Pop(); (c.motion(sq)|c.side(sq))&word != 0 {
			n++
		}
	}
	return n == 1
}

// suffix is the word with which a candidate is written: the shortest that tells it apart, motion before side (日本将棋連盟「棋譜の表記方法」).
func (c *candidates) suffix(sq shogi.Square) suffix {
	if !c.set.Several() {
		return noSuffix
	}
	motion, side := c.motion(sq), c.side(sq)
	if c.isAlone(motion) {
		return suffixOf(motion)
	}
	switch {
	case side == 0 && saysStraight(c.kind):
		return suffixOf(Straight)
	case side == 0:
		return suffixOf(c.marks(sq) & (Right | Left))
	case c.isAlone(side):
		return suffixOf(side)
	}
	return suffixOf(side | motion)
}
