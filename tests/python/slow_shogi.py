"""The rules of shogi once more, as slowly and obviously as they can be said: what the library is compared with, move by move.

A position is a dict of squares (file, rank), counted from 1, to pieces such as "P" (Black) and "+r" (White, promoted), two hands, and whose turn it
is. Nothing is kept that can be found out; nothing is shared with the library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
RANKS = "abcdefghi"

# Steps as seen by Black, who moves towards rank 1: (file, rank).
AROUND = [(f, r) for f in (-1, 0, 1) for r in (-1, 0, 1) if f or r]
GOLD = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]
STEPS = {
    "P": [(0, -1)],
    "N": [(-1, -2), (1, -2)],
    "S": [(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)],
    "G": GOLD, "+P": GOLD, "+L": GOLD, "+N": GOLD, "+S": GOLD,
    "K": AROUND,
    "+B": [(0, -1), (0, 1), (-1, 0), (1, 0)],
    "+R": [(-1, -1), (1, -1), (-1, 1), (1, 1)],
}  # fmt: skip
STRAIGHT, SLANTED = [(0, -1), (0, 1), (-1, 0), (1, 0)], [(-1, -1), (1, -1), (-1, 1), (1, 1)]
SLIDES = {"L": [(0, -1)], "B": SLANTED, "R": STRAIGHT, "+B": SLANTED, "+R": STRAIGHT}

Square = tuple[int, int]


def is_black(piece: str) -> bool:
    return piece[-1].isupper()


def usi(square: Square) -> str:
    return f"{square[0]}{RANKS[square[1] - 1]}"


@dataclass
class Position:
    board: dict[Square, str] = field(default_factory=dict)
    hands: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    black: bool = True
    ply: int = 1

    @classmethod
    def from_sfen(cls, text: str) -> Position:
        rows, turn, hands, ply = text.split()
        p = cls(black=turn == "b", ply=int(ply))
        for rank, row in enumerate(rows.split("/"), 1):
            file, plus = 9, ""
            for letter in row:
                if letter.isdigit():
                    file -= int(letter)
                elif letter == "+":
                    plus = "+"
                else:
                    p.board[file, rank] = plus + letter
                    file, plus = file - 1, ""
        number = ""
        for letter in hands.replace("-", ""):
            if letter.isdigit():
                number += letter
            else:
                p.hands[letter.islower()][letter.upper()] += int(number or 1)
                number = ""
        return p

    def to_sfen(self) -> str:
        rows = []
        for rank in range(1, 10):
            row = "".join(self.board.get((file, rank), "1") for file in range(9, 0, -1))
            for n in range(9, 1, -1):
                row = row.replace("1" * n, str(n))
            rows.append(row)
        hands = ""
        for side in (0, 1):
            for kind in "RBGSNLP":
                if n := self.hands[side][kind]:
                    hands += (str(n) if n > 1 else "") + (kind.lower() if side else kind)
        return f"{'/'.join(rows)} {'b' if self.black else 'w'} {hands or '-'} {self.ply}"

    def targets(self, square: Square) -> Iterator[Square]:
        """Squares that a piece attacks."""
        piece = self.board[square]
        sign = 1 if is_black(piece) else -1
        for f, r in STEPS.get(piece.upper(), []):
            to = (square[0] + sign * f, square[1] + sign * r)
            if 1 <= to[0] <= 9 and 1 <= to[1] <= 9:
                yield to
        for f, r in SLIDES.get(piece.upper(), []):
            to = (square[0] + sign * f, square[1] + sign * r)
            while 1 <= to[0] <= 9 and 1 <= to[1] <= 9:
                yield to
                if to in self.board:
                    break
                to = (to[0] + sign * f, to[1] + sign * r)

    def in_check(self, black: bool) -> bool:
        king = "K" if black else "k"
        places = [sq for sq, piece in self.board.items() if piece == king]
        return any(places[0] in self.targets(sq) for sq, piece in self.board.items() if is_black(piece) != black) if places else False

    def is_dead_end(self, piece: str, to: Square) -> bool:
        far = to[1] if is_black(piece) else 10 - to[1]
        return (piece.upper() in ("P", "L") and far == 1) or (piece.upper() == "N" and far <= 2)

    def played(self, move: str) -> Position:
        """The position after a move that is known to be possible."""
        q = Position(dict(self.board), (Counter(self.hands[0]), Counter(self.hands[1])))
        to = (int(move[2]), RANKS.index(move[3]) + 1)
        if move[1] == "*":
            q.hands[not self.black][move[0]] -= 1
            q.board[to] = move[0] if self.black else move[0].lower()
        else:
            piece = q.board.pop((int(move[0]), RANKS.index(move[1]) + 1))
            if to in q.board:
                q.hands[not self.black][q.board[to].upper().replace("+", "")] += 1
            q.board[to] = "+" + piece if move.endswith("+") else piece
        q.black, q.ply = not self.black, self.ply + 1
        return q

    def candidates(self) -> Iterator[str]:
        """Moves by how pieces move and where they may be dropped, whatever becomes of the king."""
        for square, piece in self.board.items():
            if is_black(piece) != self.black:
                continue
            for to in self.targets(square):
                if to in self.board and is_black(self.board[to]) == self.black:
                    continue
                if to in self.board and self.board[to].upper() == "K":
                    continue
                name = usi(square) + usi(to)
                far = [(sq[1] if self.black else 10 - sq[1]) <= 3 for sq in (square, to)]
                if piece.upper() in ("P", "L", "N", "S", "B", "R") and any(far):
                    yield name + "+"
                if not self.is_dead_end(piece, to):
                    yield name
        for kind in "PLNSGBR":
            if self.hands[not self.black][kind] == 0:
                continue
            own = kind if self.black else kind.lower()
            for file in range(1, 10):
                pawns = any(self.board.get((file, rank)) == own for rank in range(1, 10))
                for rank in range(1, 10):
                    if (file, rank) not in self.board and not self.is_dead_end(own, (file, rank)) and not (kind == "P" and pawns):
                        yield f"{kind}*{usi((file, rank))}"

    def legal(self, with_pawn_mates: bool = False) -> set[str]:
        found = set()
        for move in self.candidates():
            q = self.played(move)
            if q.in_check(self.black):
                continue
            # Uchifuzume (打ち歩詰め): a pawn drop may not mate. Whether replies are themselves such drops does not matter: they would have to answer a check.
            if move[:2] == "P*" and not with_pawn_mates and q.in_check(q.black) and not q.legal(True):
                continue
            found.add(move)
        return found
