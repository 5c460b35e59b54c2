"""One row of training data, explained: what TrainingData.explain gives."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _native, labels
from ._decode import Batch, decode, mirrored_rows
from ._html import beside
from .board import Board
from .errors import IllegalMoveError, KomadoriError
from .moves import AperyMove, Move
from .svg import Arrow
from .types import Color

if TYPE_CHECKING:
    from ._records import Records


class Explanation:
    """What a row of training data holds. It draws itself in notebooks.

    Attributes:
        row: Number of the row. ``path`` and ``file_row`` say where it lies; ``path`` is None in memory.
        record: The row as it is stored, an array of one record.
        error: What is wrong with the row, or None. With an error, what could not be read is None.
        mirrored: Whether it is shown mirrored, as ``decode`` would with the same options.
        board: The position.
        move: The best move. ``label`` and ``compact_label`` are its policy labels.
        eval: The stored evaluation, side to move's view; ``value`` is the winning probability that it means.
        result: 1, 0.5 or 0 for the side to move.
        ply: As stored, and that of ``board``; 1 where the format stores none.
        candidates: Of HCPE3: moves, visits and their share, most visits first; else empty.
        planes: dlshogi's planes by name, bool arrays of shape (9, 9) with axis 0 the file; see ``training.plane_names``.
    """

    def __init__(self, record: Records, row: int, path: str | None, file_row: int, options: dict[str, Any]) -> None:
        self.record, self.row, self.path, self.file_row = record, row, path, file_row
        mirror = options.get("mirror")
        self.mirrored = bool(mirrored_rows(mirror, [row])[0]) if isinstance(mirror, tuple) else bool(mirror)
        self.error: Exception | None = None
        self.board: Board | None = None
        self.move: Move | None = None
        self.label: int | None = None
        self.compact_label: int | None = None
        self.eval: int | None = None
        self.value: float | None = None
        self.result: float | None = None
        self.ply: int | None = None
        self.candidates: list[tuple[Move, int, float]] = []
        self.planes: dict[str, npt.NDArray[np.bool_]] = {}
        self._look(options)

    def _look(self, options: dict[str, Any]) -> None:
        raw = self.record.tobytes()
        names = self.record.dtype.names or ()
        apery = "hcp" in names
        self.eval = int(self.record[names[1]][0])
        try:
            self.move = AperyMove(int(self.record[names[2]][0])).to_move() if apery else Move(int(self.record[names[2]][0]))
            board = Board.from_hcp(raw[:32]) if apery else Board.from_packed_sfen(raw[:32])
            self.board = board.mirror_file() if self.mirrored else board
        except (KomadoriError, ValueError) as error:
            self.error = error
        wanted = ["features1", "features2", "label", "value", "result", "move", "eval", "ply"]
        found: Batch = decode(self.record, **{**options, "outputs": wanted, "labels": "full", "on_error": "report", "dtype": np.uint8})
        if found.errors:
            self.error = found.errors[0]
            self.error.args = (str(self.error).replace("(row 0", f"(row {self.row}"), *self.error.args[1:])
            self.error.row = self.row  # type: ignore[attr-defined]
            return
        self.move = Move(int(found.move[0]))
        self.label = int(found.label[0])
        self.compact_label = int(labels.FULL_TO_COMPACT[self.label])
        self.value, self.result, self.ply = float(found.value[0]), float(found.result[0]), int(found.ply[0])
        if self.board is not None and self.ply > 0:
            self.board = Board(f"{self.board.to_sfen().rpartition(' ')[0]} {self.ply}")
        planes = np.concatenate([found.features1[0], found.features2[0]]).astype(np.bool_)
        self.planes = {_native.text("kmd_plane_name", number): plane for number, plane in enumerate(planes)}
        own = self.record.candidates
        if own is not None:
            first, count = int(self.record["first"][0]), int(self.record["candidateNum"][0])
            listed = [(AperyMove(int(c["move16"])).to_move(), int(c["visits"])) for c in own[first : first + count]]
            if self.mirrored:
                listed = [(move.mirror_file(), visits) for move, visits in listed]
            total = sum(visits for _, visits in listed) or 1
            self.candidates = [(move, visits, visits / total) for move, visits in sorted(listed, key=lambda c: -c[1])]

    @property
    def turn(self) -> Color | None:
        """The side to move."""
        return None if self.board is None else self.board.turn

    @property
    def _has_ply(self) -> bool:
        return self.ply is not None and bool({"ply", "gamePly"} & set(self.record.dtype.names or ()))

    def _lines(self) -> list[tuple[str, str]]:
        where = f"row {self.row:,}" + (f", row {self.file_row:,} of {self.path}" if self.path else "")
        lines = [("where", where)]
        if self.error is not None:
            lines.append(("error", f"{type(self.error).__name__}: {self.error}"))
        if self.board is not None:
            lines.append(("position", self.board.to_sfen(ply=self._has_ply)))
        if self.move is not None:
            known = "" if self.label is None else f", label {self.label}, compact {self.compact_label if self.compact_label != labels.NONE else 'none'}"
            lines.append(("move", f"{self.move.to_usi()}{known}"))
        if self.eval is not None:
            lines.append(("evaluation", f"{self.eval}" + ("" if self.value is None else f", value {self.value:.4f}")))
        if self.result is not None:
            lines.append(("result", {1.0: "the side to move won", 0.5: "draw", 0.0: "the side to move lost"}[self.result]))
        if self._has_ply:
            lines.append(("ply", str(self.ply)))
        if self.candidates:
            shown = ", ".join(f"{move.to_usi()} {share:.1%}" for move, _, share in self.candidates[:8])
            lines.append(("candidates", shown + (f", {len(self.candidates) - 8} more" if len(self.candidates) > 8 else "")))
        if self.planes:
            some = [name if plane.all() else f"{name} ({int(plane.sum())})" for name, plane in self.planes.items() if plane.any()]
            lines.append(("planes set", ", ".join(some)))
        return lines

    def __repr__(self) -> str:
        import textwrap

        board = []
        if self.board is not None:
            board.append(str(self.board) if self._has_ply else str(self.board).removesuffix(f", ply {self.board.ply}"))
        lines = [f"{name}: {text}" for name, text in self._lines()]
        return "\n".join(board + [textwrap.fill(line, 120, subsequent_indent="  ") if line.startswith("planes") else line for line in lines])

    @property
    def words(self) -> str:
        """The best move in KIF with the mark of its side; in USI where it is not legal, "" without one."""
        if self.move is None:
            return ""
        try:
            return "☗☖"[self.board.turn] + self.board.kif(self.move) if self.board is not None else self.move.to_usi()
        except IllegalMoveError:
            return self.move.to_usi()

    def _svg(self, **options: Any) -> str:
        assert self.board is not None
        shares = {move: share for move, _, share in self.candidates[:5] if move.is_normal}
        if self.move is not None and self.move.is_normal:
            shares.setdefault(self.move, 1.0)
        largest = max(shares.values(), default=1.0) or 1.0
        arrows = [
            Arrow(move, None, 0.4 + 0.8 * share / largest, f"{100 * share:.0f} %" if self.candidates and share >= 0.01 else "")
            for move, share in sorted(shares.items(), key=lambda item: item[1])
        ]
        return self.board.svg(arrows=arrows, **options)

    def _repr_svg_(self) -> str | None:
        return None if self.board is None else self._svg()

    def _repr_html_(self) -> str:
        left = "style='text-align:left;vertical-align:top;padding:2px 8px'"
        lines = [(name, escape(text)) for name, text in self._lines()]
        if self.words:
            lines.insert(1, ("best move", escape(self.words)))
        rows = "".join(f"<tr><th {left}>{escape(name)}</th><td {left}>{text}</td></tr>" for name, text in lines)
        drawn = [] if self.board is None else [self._svg(theme="auto")]
        return beside(*drawn, f"<table style='max-width:46em'>{rows}</table>")
