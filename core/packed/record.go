package packed

import (
	"encoding/binary"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

const (
	HCPESize = 38 // bytes of an HCPE or HCPE2 record
	PSVSize  = 40 // bytes of a PackedSfenValue record
)

// A ResultConvention says what the result byte of a record means. Files do not tell.
type ResultConvention uint8

const (
	// Apery: 0 draw, 1 Black won, 2 White won. HCPE files.
	Apery ResultConvention = 1
	// YaneuraOu: +1 the side to move won, 0 draw, -1 it lost. PSV files.
	YaneuraOu ResultConvention = 2
	// Rsshogi: its game-end code whatever the side to move, see shogi.GameEnd. PSV files written by rsshogi.
	Rsshogi ResultConvention = 3
	// Dlshogi: Apery's numbers in bits 0 and 1, and in bits 2 to 4 how the game ended, see ByRepetition. HCPE2 and HCPE3 files.
	Dlshogi ResultConvention = 4
)

// How a game ended, as the Dlshogi convention has it beside the result.
const (
	ByRepetition  uint8 = 1 << 2
	ByDeclaration uint8 = 1 << 3 // of an entering king
	ByMoveLimit   uint8 = 1 << 4

	endings = ByRepetition | ByDeclaration | ByMoveLimit
)

// NewResultConvention checks a raw value 1..4.
func NewResultConvention(raw int) (ResultConvention, error) {
	if raw < 1 || raw > 4 {
		return 0, fault.New(fault.InvalidValue, "packed.NewResultConvention", "convention %d, want 1 Apery, 2 YaneuraOu, 3 rsshogi or 4 dlshogi", raw)
	}
	return ResultConvention(raw), nil
}

// Decode is the result that a byte means for a record in which turn is to move.
func (c ResultConvention) Decode(raw uint8, turn shogi.Color) (shogi.GameResult, error) {
	switch c {
	case Apery:
		if raw <= 2 {
			return [3]shogi.GameResult{shogi.Draw, shogi.BlackWin, shogi.WhiteWin}[raw], nil
		}
	case YaneuraOu:
		switch int8(raw) {
		case 0:
			return shogi.Draw, nil
		case 1:
			return shogi.GameResult(turn), nil
		case -1:
			return shogi.GameResult(turn.Opposite()), nil
		}
	case Rsshogi:
		if r, ok := shogi.GameEnd(raw).Result(); ok {
			return r, nil
		}
	case Dlshogi:
		if raw&^endings <= 2 {
			return Apery.Decode(raw&^endings, turn)
		}
	}
	return shogi.Draw, fault.New(fault.InvalidValue, "packed.ResultConvention.Decode", "result byte %d has no meaning in convention %d", int8(raw), c)
}

// Encode is the byte for a result in a record in which turn is to move.
func (c ResultConvention) Encode(r shogi.GameResult, turn shogi.Color) (uint8, error) {
	if r <= shogi.Draw {
		switch c {
		case Apery, Dlshogi:
			return [3]uint8{1, 2, 0}[r], nil
		case YaneuraOu:
			if r == shogi.Draw {
				return 0, nil
			}
			if uint8(r) == uint8(turn) {
				return 1, nil
			}
			return 0xFF, nil
		case Rsshogi:
			return uint8(r), nil
		}
	}
	return 0, fault.New(fault.InvalidValue, "packed.ResultConvention.Encode", "result %d in convention %d", r, c)
}

// Ending is how the game ended, as far as the byte tells: some of ByRepetition, ByDeclaration and ByMoveLimit. rest is true when the byte tells
// more than these can, such as a forfeit. The byte has a meaning, see Decode.
func (c ResultConvention) Ending(raw uint8) (ending uint8, rest bool) {
	switch c {
	case Dlshogi:
		return raw & endings, false
	case Rsshogi:
		switch shogi.GameEnd(raw) {
		case shogi.EndBlackWin, shogi.EndWhiteWin:
			return 0, false
		case shogi.EndDrawByRepetition:
			return ByRepetition, false
		case shogi.EndBlackWinByDeclaration, shogi.EndWhiteWinByDeclaration:
			return ByDeclaration, false
		case shogi.EndDrawByMaxPlies:
			return ByMoveLimit, false
		}
		return 0, true
	}
	return 0, false
}

// EncodeEnding is Encode with how the game ended; lost is true when the byte cannot tell that.
//
// Rsshogi has no code for a plain draw: that is written as one by repetition.
func (c ResultConvention) EncodeEnding(r shogi.GameResult, turn shogi.Color, ending uint8) (raw uint8, lost bool, err error) {
	if raw, err = c.Encode(r, turn); err != nil {
		return raw, false, err
	}
	switch {
	case c == Dlshogi:
		return raw | ending&endings, false, nil
	case c == Rsshogi && ending == ByDeclaration && r != shogi.Draw:
		return uint8(shogi.EndBlackWinByDeclaration) + uint8(r), false, nil
	case c == Rsshogi && ending == ByMoveLimit && r == shogi.Draw:
		return uint8(shogi.EndDrawByMaxPlies), false, nil
	case c == Rsshogi && ending == ByRepetition && r == shogi.Draw:
		return raw, false, nil
	}
	return raw, ending != 0, nil
}

// A Record is what a training file stores of a position.
type Record struct {
	Setup  board.Setup // ply 1 from HCPE, its game ply from PSV
	Move   shogi.Move  // best move; special moves where a file has them
	Eval   shogi.Eval  // of the side to move
	Result uint8       // as stored, see ResultConvention
	Extra  uint8       // the unused last byte
}

// DecodeHCPE reads one record. It checks position and move code; that the move is legal is the caller's to ask.
func DecodeHCPE(in *[HCPESize]byte, r *Record) error {
	if err := DecodeHCP((*[Size]byte)(in[:Size]), &r.Setup); err != nil {
		return err
	}
	m, err := shogi.AperyMove(binary.LittleEndian.Uint16(in[34:])).Move()
	if err != nil {
		return fault.New(fault.InvalidValue, "packed.DecodeHCPE", "best move 0x%04x is no move", binary.LittleEndian.Uint16(in[34:])).At(34)
	}
	r.Move = m
	r.Eval = shogi.Eval(binary.LittleEndian.Uint16(in[32:]))
	r.Result, r.Extra = in[36], in[37]
	return nil
}

// DecodePSV reads one record. It checks position and move code; that the move is legal is the caller's to ask.
func DecodePSV(in *[PSVSize]byte, r *Record) error {
	if err := DecodePackedSfen((*[Size]byte)(in[:Size]), &r.Setup); err != nil {
		return err
	}
	m := shogi.Move(binary.LittleEndian.Uint16(in[34:]))
	if !m.IsNormal() && !m.IsSpecial() {
		return fault.New(fault.InvalidValue, "packed.DecodePSV", "move 0x%04x is no move", uint16(m)).At(34)
	}
	r.Move = m
	r.Eval = shogi.Eval(binary.LittleEndian.Uint16(in[32:]))
	r.Setup.Ply = max(1, int32(binary.LittleEndian.Uint16(in[36:])))
	r.Result, r.Extra = in[38], in[39]
	return nil
}

// EncodeHCPE writes one record; the ply is not kept.
func EncodeHCPE(p *board.Position, m shogi.Move, eval shogi.Eval, result, extra uint8, out *[HCPESize]byte) error {
	a, err := m.Apery()
	if err != nil {
		return err
	}
	if err := EncodeHCP(p, (*[Size]byte)(out[:Size])); err != nil {
		return err
	}
	binary.LittleEndian.PutUint16(out[32:], uint16(eval))
	binary.LittleEndian.PutUint16(out[34:], uint16(a))
	out[36], out[37] = result, extra
	return nil
}

// EncodePSV writes one record; a ply beyond 16 bits is stored as 65535.
func EncodePSV(p *board.Position, m shogi.Move, eval shogi.Eval, result, extra uint8, out *[PSVSize]byte) error {
	if !m.IsNormal() && !m.IsSpecial() {
		return fault.New(fault.InvalidValue, "packed.EncodePSV", "move 0x%04x is no move", uint16(m))
	}
	if err := EncodePackedSfen(p, (*[Size]byte)(out[:Size])); err != nil {
		return err
	}
	binary.LittleEndian.PutUint16(out[32:], uint16(eval))
	binary.LittleEndian.PutUint16(out[34:], uint16(m))
	binary.LittleEndian.PutUint16(out[36:], uint16(min(p.Ply(), 65535)))
	out[38], out[39] = result, extra
	return nil
}
