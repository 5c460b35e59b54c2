package main

import (
	"fmt"
	"strings"

	"komadori/core/board"
	"komadori/core/search"
	"komadori/core/shogi"
)

// Terms are what a game is played under.
type terms struct {
	rules  board.Rules
	goes   [2]string   // go commands of the first and the second engine
	clock  timeControl // instead of them, unless zero
	resign int         // centipawns that both sides agree on for eight plies end the game; 0: played to mate
}

// A played game.
type played struct {
	moves  []string
	winner int // 0, 1: engine; -1: a draw
	reason string
	nodes  [2]uint64
	plies  [2]int
	depth  [2]int
}

// play has engine black move first. An engine that is gone is an error of type goneError; one that breaks the rules, or whose flag falls, loses.
func play(engines [2]*engine, black int, opening []shogi.Move, t *terms) (played, error) {
	p := played{winner: -1}
	g := board.NewGame()
	for _, m := range opening {
		if err := g.Push(m); err != nil {
			return p, err
		}
		p.moves = append(p.moves, m.String())
	}
	for _, e := range engines {
		e.tell("usinewgame")
		if err := e.ask("isready", "readyok", nil); err != nil {
			return p, err
		}
	}
	engineOf := func(c shogi.Color) int { return black ^ int(c) }
	agreed := 0
	clock := t.clock.start()
	for {
		over, err := g.Outcome(t.rules, board.DeclareNever)
		if err != nil {
			return p, err
		}
		if over.IsOver() {
			p.reason = over.Reason.String()
			if c, ok := over.Winner(); ok {
				p.winner = engineOf(c)
			}
			return p, nil
		}
		us := engineOf(g.Pos.Turn())
		position := "position startpos"
		if len(p.moves) > 0 {
			position += " moves " + strings.Join(p.moves, " ")
		}
		command := t.goes[us]
		if t.clock != (timeControl{}) {
			command = clock.command()
		}
		a, err := engines[us].think(position, command)
		if err != nil {
			return p, err
		}
		p.nodes[us] += a.nodes
		p.depth[us] += a.depth
		p.plies[us]++
		if t.clock != (timeControl{}) && !clock.spend(int(g.Pos.Turn()), a.took) {
			p.winner, p.reason = us^1, "time"
			return p, nil
		}
		switch a.move {
		case "resign":
			p.winner, p.reason = us^1, "resignation"
			return p, nil
		case "win":
			p.winner, p.reason = us^1, "wrong declaration"
			if d, err := g.Pos.Declaration(t.rules.EnteringKing); err == nil && d.Verdict == shogi.VerdictWin {
				p.winner, p.reason = us, "declaration"
			}
			return p, nil
		}
		m, err := shogi.ParseMove(a.move)
		if err == nil {
			err = g.Push(m)
		}
		if err != nil {
			p.winner, p.reason = us^1, fmt.Sprintf("illegal move %q", a.move)
			return p, nil
		}
		p.moves = append(p.moves, a.move)
		if sign := signOf(a.cp, t.resign, g.Pos.Turn().Opposite()); sign == 0 || agreed*sign < 0 {
			agreed = 0
		} else {
			agreed += sign
		}
		if agreed >= 8 || agreed <= -8 {
			p.winner, p.reason = engineOf(shogi.White), "adjudication"
			if agreed > 0 {
				p.winner = engineOf(shogi.Black)
			}
			return p, nil
		}
	}
}

// signOf is 1 where an engine that moved for c thinks that Black has won, -1 for White, 0 in between.
func signOf(cp, limit int, c shogi.Color) int {
	if c == shogi.White {
		cp = -cp
	}
	switch {
	case limit <= 0:
		return 0
	case cp >= limit:
		return 1
	case cp <= -limit:
		return -1
	}
	return 0
}

// openings are short games of about equal chances, made by searches that choose at random among the moves that are nearly best.
func openings(n, plies int, random func(int) int) ([][]shogi.Move, error) {
	s, err := search.New(search.Options{HashMB: 16})
	if err != nil {
		return nil, err
	}
	const margin, nodes = 60, 1000
	seen := map[uint64]bool{}
	var out [][]shogi.Move
	for len(out) < n {
		g := board.NewGame()
		level := true
		for i := 0; i <= plies && level; i++ {
			if err := s.Clear(); err != nil {
				return nil, err
			}
			r, err := s.Search(g, search.Limits{Nodes: nodes, MultiPV: 6}, nil, nil)
			if err != nil {
				return nil, err
			}
			best, ok := r.Score.Cp()
			if level = ok && best > -2*margin && best < 2*margin; !level || i == plies {
				break
			}
			choices := 0
			for choices < len(r.Lines) {
				cp, ok := r.Lines[choices].Score.Cp()
				if !ok || cp < best-margin {
					break
				}
				choices++
			}
			if err := g.Push(r.Lines[random(max(choices, 1))].PV[0]); err != nil {
				return nil, err
			}
		}
		if !level || seen[g.Pos.Key()] {
			continue
		}
		seen[g.Pos.Key()] = true
		out = append(out, g.AppendMoves(nil))
	}
	return out, nil
}
