"""Game records (棋譜): KIF, KI2, CSA, JKF, position lines of USI, SFEN and diagrams, as trees of moves.

``komadori.read`` reads one record, ``read_all`` many files, ``parse_batch`` many texts in one call. Readers are lenient on spelling and strict on loss: all
moves come out, or ParseError tells the line and the column where reading stopped and has what was read before. A move against the rules is kept
and flagged, or refused with ``refuse_illegal=True``. docs/records.md has what is read and written of each format.

>>> import komadori
>>> kifu = komadori.read('''手合割：平手
... 手数----指手---------消費時間--
...    1 ７六歩(77)   ( 0:02/00:00:02)
... *角道を開ける
...    2 ３四歩(33)   ( 0:01/00:00:01)
...    3 投了
... まで2手で後手の勝ち
... ''')
>>> kifu
<Kifu: 2 moves, resign, WHITE_WIN>
>>> kifu.moves, kifu.comments
(<MoveList: 7g7f 3c3d>, {1: '角道を開ける'})
>>> kifu.board_at(1).to_sfen()
'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2'
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

from . import _abi as abi
from . import _native
from ._arrays import choice, thread_count
from ._named import Named
from ._replacing import Replacement
from ._results import Score
from .board import Board, MoveList
from .errors import IllegalMoveError, InvalidValueError, KomadoriError, ParseError
from .library import threads as default_threads
from .moves import Move
from .types import Color, GameEnd, GameResult, Style, _check_range, _several

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["Analysis", "Ending", "Kifu", "KifuBatch", "KifuNode", "KifuWarning", "WarningKind", "parse_batch", "read", "read_all", "read_games"]

FORMATS = {
    None: abi.KMD_KIFU_AUTO,
    "kif": abi.KMD_KIFU_KIF,
    "ki2": abi.KMD_KIFU_KI2,
    "csa": abi.KMD_KIFU_CSA,
    "jkf": abi.KMD_KIFU_JKF,
    "usi": abi.KMD_KIFU_USI,
    "sfen": abi.KMD_KIFU_SFEN,
    "bod": abi.KMD_KIFU_BOD,
}
ENCODINGS = {
    None: abi.KMD_ENCODING_AUTO,
    "utf-8": abi.KMD_ENCODING_UTF8,
    "cp932": abi.KMD_ENCODING_CP932,
    "euc-jp": abi.KMD_ENCODING_EUCJP,
    "iso-2022-jp": abi.KMD_ENCODING_ISO2022JP,
    "utf-16": abi.KMD_ENCODING_UTF16,
}
_FORMAT_NAMES = {number: name for name, number in FORMATS.items()}
_ENCODING_NAMES = {number: name for name, number in ENCODINGS.items()}
# Python's names of the encodings, of which it knows further ones.
_ALIASES = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "cp932": "cp932", "shift_jis": "cp932", "euc_jp": "euc-jp", "iso2022_jp": "iso-2022-jp", "utf-16": "utf-16"}

# Endings of the names of files that read_all takes out of folders.
SUFFIXES = (".kif", ".kifu", ".ki2", ".ki2u", ".csa", ".jkf", ".usi", ".sfen")

_HEAD = Struct("=IIiiiIIIIIIIIIiiqIBBH")
_NODE, _NOTE, _HEADER, _WARNING = Struct("=qiHBB"), Struct("=IIII"), Struct("=IIII"), Struct("=iiiiII")
_SIZES = _HEAD.size, _NODE.size, _NOTE.size, _HEADER.size, _WARNING.size


class Ending(Named):
    """How a game ends. Who has won by it is ``Kifu.result``."""

    RESIGN = 1  # 投了: the side to move has lost
    PAUSED = 2  # 中断
    REPETITION = 3  # 千日手
    IMPASSE = 4  # 持将棋
    MATE = 5  # 詰み: the side to move has lost
    NO_MATE = 6  # 不詰
    TIME_UP = 7  # 切れ負け: the side to move has lost
    ILLEGAL_MOVE = 8  # 反則負け: the side to move has lost
    ILLEGAL_BEFORE = 9  # 反則勝ち: the side to move has won, the move before was against the rules
    DECLARATION = 10  # 入玉勝ち: the side to move has won
    FORFEIT_LOSS = 11  # 不戦敗: the side to move has lost
    FORFEIT_WIN = 12  # 不戦勝: the side to move has won
    MAX_MOVES = 13  # 最大手数: a draw
    DRAW_DECLARED = 14  # 引き分け: a draw, by declaration or agreement
    TAKE_BACK = 15  # 待った
    FAILURE = 16  # an error of the program that kept the record
    OTHER = 17  # any other: the words are kept


class WarningKind(Named):
    """What is odd about a record."""

    ILLEGAL = 1  # a move against the rules, kept
    UNPLAYED = 2  # a move that the board cannot show, kept
    ENCODING = 3  # bytes that are no characters, read as U+FFFD
    PLIES = 4  # the record says another number of moves than it has
    NUMBER = 5  # a move has another number than its place
    ENDING = 6  # an ending of unknown meaning, kept as text
    VARIATION = 7  # a variation that the line before it has no place for, taken for one of an earlier line
    RESULT = 8  # the record names another winner than its ending does; the name counts
    TIME = 9  # a time of a billion minutes or more, kept as the longest that there is


class KifuWarning(NamedTuple):
    """Something odd that was read.

    ``line`` and ``column`` count from 1, columns in characters; ``text`` is what was found, or why it is odd.
    """

    kind: WarningKind
    line: int
    column: int
    text: str


class Analysis(NamedTuple):
    """What an engine said of a position in a comment.

    Attributes:
        node: The node with the comment.
        score: For Black: ``score.cp``, or ``score.mate`` in plies where a mate was found (1048576 where their number is not said).
        rank: 1 is the best line, 2 the next; 1 where it is not said.
        depth: 0 where it is not said.
        nodes: Positions that were searched; 0 where it is not said.
        start: The node after which ``pv`` begins: ``node``, or the one before when the line begins with the move of ``node``.
        pv: The line, as far as its moves are legal.
    """

    node: KifuNode
    score: Score
    rank: int
    depth: int
    nodes: int
    start: KifuNode
    pv: tuple[Move, ...]


class KifuNode:
    """A place in a record's tree: the start, a move, or an ending. ``Kifu`` makes them."""

    __slots__ = ("_bookmarks", "_children", "_comment", "_ending", "_flags", "_kifu", "_move", "_number", "_parent", "_remark", "_time_ms", "_words")

    def __init__(self, kifu: Kifu, parent: KifuNode | None, move: Move | None, ending: Ending | None = None) -> None:
        self._kifu = kifu
        self._parent = parent
        self._move = move
        self._ending = ending
        self._children: list[KifuNode] = []
        self._comment = self._remark = self._words = ""
        self._bookmarks: tuple[str, ...] = ()
        self._time_ms: int | None = None
        self._flags = 0
        self._number = -1

    # ------------------------------------------------------------------------------------------------------- What it is

    @property
    def kifu(self) -> Kifu:
        """The record."""
        return self._kifu

    @property
    def parent(self) -> KifuNode | None:
        """The node before; None of the start."""
        return self._parent

    @property
    def move(self) -> Move | None:
        """The move that leads here; None of the start and of an ending."""
        return self._move

    @property
    def ending(self) -> Ending | None:
        """The ending; None of the start and of a move."""
        return self._ending

    @property
    def children(self) -> tuple[KifuNode, ...]:
        """The nodes that may follow: the first goes on the line, the others begin variations."""
        return tuple(self._children)

    @property
    def next(self) -> KifuNode | None:
        """The node that goes on the line; None at its end."""
        return self._children[0] if self._children else None

    @property
    def ply(self) -> int:
        """How many moves lead here from the start; an ending is not one."""
        n, at = 0, self
        while at.parent is not None:
            n += at.ending is None
            at = at.parent
        return n

    @property
    def path(self) -> tuple[KifuNode, ...]:
        """The nodes from the start to here, this one included and the start not."""
        nodes: list[KifuNode] = []
        at = self
        while at.parent is not None:
            nodes.append(at)
            at = at.parent
        return tuple(reversed(nodes))

    @property
    def line(self) -> tuple[KifuNode, ...]:
        """This node and those that go on its line, to the end."""
        nodes = [self]
        while nodes[-1]._children:
            nodes.append(nodes[-1]._children[0])
        return tuple(nodes)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of ``line``."""
        return tuple(node.move for node in self.line if node.move is not None)

    @property
    def is_main(self) -> bool:
        """Whether it lies on the main line."""
        at = self
        while at.parent is not None:
            if at.parent._children[0] is not at:
                return False
            at = at.parent
        return True

    @property
    def is_illegal(self) -> bool:
        """Whether the move breaks the rules."""
        self.kifu._flat()
        return self._flags & abi.KMD_NODE_ILLEGAL != 0

    @property
    def result(self) -> GameResult | None:
        """Who has won by an ending; None where it does not say, and of moves."""
        self.kifu._flat()
        number = self._flags >> 4 & 3
        return GameResult(number - 1) if number else None

    @property
    def words(self) -> str:
        """Of an ending, how the record writes it, where that is not the usual way."""
        return self._words

    @property
    def comment(self) -> str:
        """The comment, lines parted by line feeds; may be set."""
        return self._comment

    @comment.setter
    def comment(self, text: str) -> None:
        self._comment = _text("comment", text)
        self.kifu._changed()

    @property
    def remark(self) -> str:
        """Lines that readers of the format pass over (# of KIF, ' without * of CSA); may be set."""
        return self._remark

    @remark.setter
    def remark(self, text: str) -> None:
        self._remark = _text("remark", text)
        self.kifu._changed()

    @property
    def bookmarks(self) -> tuple[str, ...]:
        """Names of the place (しおり, the & of KIF), a line each; may be set."""
        return self._bookmarks

    @bookmarks.setter
    def bookmarks(self, names: Iterable[str]) -> None:
        self._bookmarks = tuple(line for name in _several("bookmarks", names, "bookmarks") for line in _text("bookmarks", name).split("\n"))
        self.kifu._changed()

    @property
    def time_ms(self) -> int | None:
        """Milliseconds that the move took; None where the record does not say. May be set."""
        return self._time_ms

    @time_ms.setter
    def time_ms(self, value: int | None) -> None:
        self._time_ms = _milliseconds(value)
        self.kifu._changed()

    def board(self) -> Board:
        """The position here, with its history: that since the last move against the rules where there was one. A new board.

        InvalidPositionError when such moves have made a position that boards refuse, such as two pawns on a file.
        """
        self._want()
        flat = self.kifu._flat()
        board = Board()
        _native.call("kmd_board_set_kifu", board._handle, flat, len(flat), self._number)
        return board

    # ------------------------------------------------------------------------------------------------------- Changing

    def add(self, move: Move | str, *, comment: str = "", time_ms: int | None = None, illegal: bool = False) -> KifuNode:
        """Adds a move after this node, as a variation where the line goes on already, and gives its node; that of the same move when it is there.

        Args:
            move: A Move, or USI text.
            comment: A comment for the move.
            time_ms: Milliseconds that it took.
            illegal: Take a move against the rules, too.

        Raises:
            IllegalMoveError: The move is not legal here. The record is unchanged.
        """
        if isinstance(move, str):
            move = Move.from_usi(move)
        if not isinstance(move, Move):
            raise TypeError(f"move must be Move or str, not {type(move).__name__}")
        comment = _text("comment", comment)
        time_ms = _milliseconds(time_ms)
        self._want()
        if self.ending is not None:
            raise IllegalMoveError("no move follows an ending", move=move)
        for child in self._children:
            if child.move == move:
                if comment:
                    child.comment = comment
                if time_ms is not None:
                    child.time_ms = time_ms
                return child
        if not illegal:
            board = self.board()
            if self._flags & abi.KMD_NODE_UNPLAYED:
                raise IllegalMoveError("no move follows one that the board cannot show", move=move)
            board.push(move)
        node = KifuNode(self.kifu, self, move)
        node._comment, node._time_ms = comment, time_ms
        self._insert(node, illegal)
        return node

    def add_ending(self, ending: Ending | int, *, result: GameResult | int | None = None, words: str = "", comment: str = "") -> KifuNode:
        """Adds an ending after this node, and gives its node; that of the same ending when it is there.

        Args:
            ending: How the line ends.
            result: Who has won; None for what the ending means for the side to move.
            words: How it is written; Ending.OTHER needs them.
        """
        if isinstance(ending, bool) or not hasattr(ending, "__index__"):
            raise TypeError(f"ending must be Ending, not {type(ending).__name__}")
        ending = Ending(ending)
        words, comment = _text("words", words), _text("comment", comment)
        self._want()
        if self.ending is not None:
            raise ValueError("no ending follows an ending")
        if ending is Ending.OTHER and not words:
            raise ValueError("Ending.OTHER needs words")
        for child in self._children:
            if child.ending is ending and child._words == words:
                return child
        node = KifuNode(self.kifu, self, None, ending)
        node._words, node._comment = words, comment
        node._flags = 0 if result is None else (int(GameResult(result)) + 1) << 4
        self._insert(node, False)
        return node

    def add_analysis(self, score: Score | int, pv: Iterable[Move | str] = (), *, depth: int = 0, nodes: int = 0, style: str = "shogihome") -> None:
        """Adds to the comment what an engine says of the position here, as a program writes it: that program and ``Kifu.analyses`` read it.

        Args:
            score: A Score with a view, or centipawns for Black.
            pv: The line from here: Moves, or USI text.
            depth: 0 where it is not known.
            nodes: Positions that were searched; 0 where that is not known.
            style: "shogihome", "shogigui", or "floodgate", which has a place for centipawns and a line alone.

        Raises:
            IllegalMoveError: A move of the line is not legal. The comment is unchanged.
            ValueError: The style has no place for a mate, or the score does not know whose it is.

        >>> kifu = Kifu()
        >>> kifu.add("7g7f").add_analysis(-50, ["8c8d", "2g2f"], style="floodgate")
        >>> kifu.comments, kifu.analyses[0].score
        ({1: '* -50 -8384FU +2726FU'}, Score(cp=-50, view=Color.BLACK))
        """
        if not isinstance(score, Score):
            score = Score(cp=_check_range("score", score, -2_000_000_000, 2_000_000_000), view=Color.BLACK)
        score = score.pov(Color.BLACK)
        depth, nodes = _check_range("depth", depth, 0, 1 << 30), _check_range("nodes", nodes, 0, (1 << 63) - 1)
        words = choice("style", style, {"shogihome": Style.KI2, "shogigui": Style.KIF, "floodgate": Style.CSA})
        board = self.board()
        line = []
        for move in _several("pv", pv, "moves"):
            one = Move.from_usi(move) if isinstance(move, str) else move
            mark = "△" if board.turn is Color.WHITE else "▲"
            line += [f"{mark * (words is Style.KIF)}{text}" for text in board.format_moves([one], words)]
            board.push(one)
        said = _said(score, line, depth, nodes, style)
        self.comment = f"{self.comment}\n{said}" if self.comment else said

    def _insert(self, node: KifuNode, check: bool) -> None:
        """Adds a node; with check, one that the library may refuse."""
        self._children.append(node)
        self.kifu._changed()
        try:
            if check:
                self.kifu._flat()
        except BaseException:
            self._children.remove(node)
            self.kifu._changed()
            raise

    def add_line(self, moves: Iterable[Move | str]) -> KifuNode:
        """Adds moves one after another, and gives the node of the last. IllegalMoveError; the record is unchanged then."""
        node, board, added = self, None, None
        try:
            for move in _several("moves", moves, "moves"):
                if isinstance(move, str):
                    move = Move.from_usi(move)
                if not isinstance(move, Move):
                    raise TypeError(f"moves must have Move or str, not {type(move).__name__}")
                known = None if board is not None else next((child for child in node._children if child.move == move), None)
                if known is None and board is None:
                    known = added = node.add(move)
                    board = known.board()
                elif known is None:
                    assert board is not None
                    board.push(move)
                    known = KifuNode(self.kifu, node, move)
                    node._insert(known, False)
                node = known
        except BaseException:
            if added is not None:
                added.remove()
            raise
        return node

    def promote(self) -> None:
        """Moves this node before the child of its parent that stands before it. Nothing when it is the first."""
        parent, at = self._place()
        if at > 0:
            siblings = parent._children
            siblings[at - 1], siblings[at] = siblings[at], siblings[at - 1]
            self.kifu._changed()

    def demote(self) -> None:
        """Moves this node behind the one that follows it. Nothing when it is the last."""
        parent, at = self._place()
        if at + 1 < len(parent._children):
            parent._children[at + 1].promote()

    def promote_to_main(self) -> None:
        """Makes the line to this node the main line."""
        self._want()
        for node in self.path:
            parent, at = node._place()
            parent._children.insert(0, parent._children.pop(at))
        self.kifu._changed()

    def remove(self) -> None:
        """Takes this node and all that follows it out of the record. ValueError of the start."""
        parent, at = self._place()
        del parent._children[at]
        self.kifu._changed()

    def _want(self) -> None:
        """ValueError for a node that is no longer in its record, or never was."""
        at = self
        while at.parent is not None:
            at._place()
            at = at.parent
        if at is not self.kifu.root:
            raise ValueError("the node is not of its record")

    def _place(self) -> tuple[KifuNode, int]:
        if self.parent is None:
            raise ValueError("the start has no place among others")
        for i, child in enumerate(self.parent._children):
            if child is self:
                return self.parent, i
        raise ValueError("the node has been removed from its record")

    def __repr__(self) -> str:
        if self.ending is not None:
            return f"<KifuNode: {self.ending.name.lower()} after {self.ply} moves>"
        return f"<KifuNode: start, {len(self._children)} children>" if self.move is None else f"<KifuNode: {self.ply} {self.move.to_usi()}>"


class Kifu:
    """A game record: a start, a tree of moves, and what is written beside them.

    Records are read by ``komadori.read``; this makes an empty one. One thread at a time may use a record.

    Args:
        start: SFEN, a Board whose position is the start and whose history is the main line, or None for the even game.
        headers: Such as ``{"先手": "Habu"}``; keys are those of KIF.

    >>> kifu = Kifu(headers={"先手": "A", "後手": "B"})
    >>> node = kifu.root.add_line(["7g7f", "3c3d"])
    >>> node.parent.add("8c8d", comment="another way")
    <KifuNode: 2 8c8d>
    >>> kifu.moves, kifu.variations
    (<MoveList: 7g7f 3c3d>, (<KifuNode: 2 8c8d>,))
    """

    __slots__ = ("_block", "_format", "_head", "_headers", "_known_headers", "_root", "_start", "_warnings", "source")

    def __init__(self, start: str | Board | None = None, headers: Mapping[str, str] | None = None) -> None:
        moves: tuple[Move, ...] = ()
        if isinstance(start, Board):
            moves = tuple(start.moves())
            start = start.to_position().removeprefix("position ").removeprefix("sfen ").split(" moves ")[0]
        if start is not None and not isinstance(start, str):
            raise TypeError(f"start must be str, Board or None, not {type(start).__name__}")
        if headers is not None and not isinstance(headers, Mapping):
            raise TypeError(f"headers must be a mapping of str to str, not {type(headers).__name__}")
        self._start = Board(start).to_sfen()
        self.source: str | None = None
        self._block: Any = None
        self._head: Any = None
        self._format: tuple[str | None, str | None] = (None, None)
        self._warnings: tuple[KifuWarning, ...] = ()
        self._headers: dict[str, str] = dict(headers or {})
        self._known_headers: dict[str, str] | None = None
        self._root: KifuNode | None = KifuNode(self, None, None)
        self._root.add_line(moves)

    @classmethod
    def _of(cls, block: Any, source: str | None = None) -> Kifu:
        """From a block of the library, which is taken as it is."""
        kifu = object.__new__(cls)
        kifu._block = block
        kifu._head = None
        kifu._root = None
        kifu._headers = kifu._known_headers = None  # type: ignore[assignment]
        kifu.source = source
        return kifu

    # ------------------------------------------------------------------------------------------------------------ Block

    def _flat(self) -> bytes:
        """The record in flat form, made anew when it has been changed."""
        if self._block is not None and (self._headers is None or self._headers == self._known_headers):
            return self._bytes()
        if self._block is not None:
            self._known_headers = self._headers  # so that what is taken out of the block now is not asked of a new one
            _ = self.root
            self._keep()
        if self._headers is None:
            self._headers = self._read_headers()
        self._block = None
        block = self._make()
        status, self._block = _native.blocks("kmd_kifu_check", block, len(block))
        if status != 0:
            self._block = None
            _native.fail(status)
        self._head = None
        self._known_headers = dict(self._headers)
        for node, (_, _, _, _, flags) in zip(self._numbered(), _NODE.iter_unpack(self._part(0)), strict=True):
            node._flags = flags
        return self._bytes()

    def _bytes(self) -> bytes:
        if type(self._block) is not bytes:
            self._block = bytes(self._block)
        block: bytes = self._block
        return block

    def _changed(self) -> None:
        if self._headers is None:
            self._headers = self._read_headers()
        self._keep()
        self._block = None

    def _keep(self) -> None:
        """Takes out of the block what a change of the tree does not concern."""
        if self._block is not None and not hasattr(self, "_start"):
            self._start, self._format, self._warnings = self.start, (self.format, self.encoding), self.warnings

    def _info(self) -> Any:
        """The head of the block as numbers."""
        if self._block is None or (self._headers is not None and self._headers != self._known_headers):
            self._flat()
        if self._head is None:
            self._head = _HEAD.unpack_from(self._block)
        return self._head

    def _part(self, number: int) -> memoryview:
        """Nodes, notes, headers or warnings of the block."""
        head = self._head or self._info()
        counts = head[6:10]
        at = _SIZES[0] + sum(count * size for count, size in zip(counts[:number], _SIZES[1:], strict=False))
        return memoryview(self._block)[at : at + counts[number] * _SIZES[number + 1]]

    def _string(self, offset: int, length: int) -> str:
        at = self._head[17] + offset
        return str(self._block[at : at + length], "utf-8")

    def _numbered(self) -> list[KifuNode]:
        """The nodes in the order of the block, numbered so."""
        nodes: list[KifuNode] = list(self.root.line)
        for node in reversed(tuple(nodes)):
            self._number_others(node, nodes)
        for i, node in enumerate(nodes):
            node._number = i
        return nodes

    @staticmethod
    def _number_others(of: KifuNode, nodes: list[KifuNode]) -> None:
        waiting = list(reversed(of._children[1:]))
        while waiting:
            line = waiting.pop().line
            nodes.extend(line)
            for node in line:
                waiting.extend(reversed(node._children[1:]))

    def _make(self) -> bytes:
        """The flat form of the tree, not yet checked."""
        nodes = self._numbered()
        text = bytearray()

        def add(words: str) -> tuple[int, int]:
            raw = words.encode()
            at = len(text)
            text.extend(raw)
            return at, len(raw)

        start = add(self._start)
        packed, notes = [], []
        for node in nodes:
            packed.append(
                _NODE.pack(
                    -1 if node._time_ms is None else node._time_ms,
                    -1 if node.parent is None else node.parent._number,
                    0 if node.move is None else node.move.value,
                    0 if node.ending is None else int(node.ending),
                    node._flags,
                )
            )
            for kind, words in (
                *((abi.KMD_NOTE_BOOKMARK, name) for name in node._bookmarks),
                (abi.KMD_NOTE_REMARK, node._remark),
                (abi.KMD_NOTE_COMMENT, node._comment),
                (abi.KMD_NOTE_WORDS, node._words),
            ):
                if words or kind == abi.KMD_NOTE_BOOKMARK:  # a bookmark may have no name
                    notes.append(_NOTE.pack(node._number, kind, *add(words)))
        headers = []
        for key, value in self._headers.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"headers must be str and str, not {key!r}: {value!r}")
            if not key or "\n" in key:
                raise ValueError(f"headers has the key {key!r}, want one line of text")
            check_text(f"header {key!r}", key + value)
            headers += [_HEADER.pack(*add(key), *add(one)) for one in value.split("\n")]
        warnings = [_WARNING.pack(int(w.kind), w.line, w.column, -1, *add(w.text)) for w in self._warnings]
        body = b"".join([*packed, *notes, *headers, *warnings])
        at = _HEAD.size + len(body)
        size = (at + len(text) + 7) & ~7
        counts = len(packed), len(notes), len(headers), len(warnings)
        form, encoding = FORMATS[self._format[0]], ENCODINGS[self._format[1]]
        head = _HEAD.pack(abi.KMD_KIFU_MAGIC, size, 0, form, encoding, 0, *counts, *start, 0, 0, 0, 0, -1, at, abi.KMD_NO_RESULT, 0, 0)
        return (head + body + text).ljust(size, b"\0")

    def _tree(self) -> KifuNode:
        """The tree, made when it is first asked for."""
        self._info()
        nodes: list[KifuNode] = []
        for number, (time_ms, parent, move, ending, flags) in enumerate(_NODE.iter_unpack(self._part(0))):
            up = nodes[parent] if parent >= 0 else None
            node = KifuNode(self, up, Move(move) if move else None, Ending(ending) if ending else None)
            node._flags, node._number = flags, number
            if time_ms >= 0:
                node._time_ms = time_ms
            if up is not None:
                up._children.append(node)
            nodes.append(node)
        for number, kind, offset, length in _NOTE.iter_unpack(self._part(1)):
            node, words = nodes[number], self._string(offset, length)
            if kind == abi.KMD_NOTE_COMMENT:
                node._comment = f"{node._comment}\n{words}" if node._comment else words
            elif kind == abi.KMD_NOTE_BOOKMARK:
                node._bookmarks += tuple(words.split("\n"))
            elif kind == abi.KMD_NOTE_REMARK:
                node._remark = f"{node._remark}\n{words}" if node._remark else words
            else:
                node._words = words
        self._root = nodes[0]
        self._keep()
        return nodes[0]

    # ------------------------------------------------------------------------------------------------------- What it is

    @property
    def start(self) -> str:
        """The start as SFEN."""
        head = self._info()
        return self._string(head[10], head[11])

    @property
    def moves(self) -> MoveList:
        """The moves of the main line."""
        plies = self._info()[5]
        return MoveList(self._part(0).cast("H")[6 :: _NODE.size // 2][1 : plies + 1].tobytes())

    def __len__(self) -> int:
        """The number of moves of the main line."""
        return int(self._info()[5])

    def __bool__(self) -> bool:
        return True

    @property
    def headers(self) -> dict[str, str]:
        """Headers in their order; may be changed. Keys are those of KIF (先手, 後手, 棋戦, 開始日時 ...), what CSA alone has begins with $. One that is there
        several times has several lines. The handicap (手合割) is not among them: it is ``start``."""
        if self._headers is None:
            self._headers = self._read_headers()
        return self._headers

    def _read_headers(self) -> dict[str, str]:
        self._info()
        found: dict[str, str] = {}
        for k, k_size, v, v_size in _HEADER.iter_unpack(self._part(2)):
            key, value = self._string(k, k_size), self._string(v, v_size)
            found[key] = f"{found[key]}\n{value}" if key in found else value
        self._known_headers = dict(found)
        return found

    @property
    def result(self) -> GameResult | None:
        """Who has won; None where the record does not say."""
        number = self._info()[18]
        return None if number == abi.KMD_NO_RESULT else GameResult(number)

    @property
    def end(self) -> GameEnd:
        """How the game ended, in the codes that training files store: PAUSED for one that was broken off, INVALID without an ending."""
        return GameEnd(self._info()[19])

    @property
    def ending(self) -> Ending | None:
        """How the main line ends; None where the record does not say."""
        node = self._last()
        return Ending(node[3]) if node[3] else None

    @property
    def ending_words(self) -> str:
        """How the record writes its ending, where that is not the usual way."""
        self._info()
        number = len(self) + 1
        for node, kind, offset, length in _NOTE.iter_unpack(self._part(1)):
            if node == number and kind == abi.KMD_NOTE_WORDS:
                return self._string(offset, length)
        return ""

    def _last(self) -> tuple[int, int, int, int, int]:
        """The node behind the last move of the main line, or that move."""
        at, nodes = len(self) + 1, self._part(0)
        if at * _NODE.size < len(nodes):
            after: Any = _NODE.unpack_from(nodes, at * _NODE.size)
            if after[1] == at - 1 and after[3]:
                return after  # type: ignore[no-any-return]
        last: Any = _NODE.unpack_from(nodes, (at - 1) * _NODE.size)
        return last  # type: ignore[no-any-return]

    @property
    def comments(self) -> dict[int, str]:
        """Comments of the main line by the number of moves before them: 0 is the start's. The ending's is at the number after the last move."""
        self._info()
        most = len(self) + bool(self.ending)
        found: dict[int, str] = {}
        for node, kind, offset, length in _NOTE.iter_unpack(self._part(1)):
            if kind == abi.KMD_NOTE_COMMENT and node <= most:
                words = self._string(offset, length)
                found[node] = f"{found[node]}\n{words}" if node in found else words
        return found

    @property
    def times_ms(self) -> list[int | None]:
        """Milliseconds that each move of the main line took; None where the record does not say."""
        plies = self._info()[5]
        return [None if ms < 0 else ms for ms in self._part(0).cast("q")[:: _NODE.size // 8][1 : plies + 1].tolist()]

    @property
    def variations(self) -> tuple[KifuNode, ...]:
        """The nodes with which variations begin, in the order of the record."""
        return tuple(node for node in self.nodes() if node.parent is not None and node.parent._children[0] is not node)

    @property
    def warnings(self) -> tuple[KifuWarning, ...]:
        """What was odd when the record was read."""
        self._info()
        return tuple(
            KifuWarning(WarningKind(kind), line, column, self._string(offset, length))
            for kind, line, column, _, offset, length in _WARNING.iter_unpack(self._part(3))
        )

    @property
    def format(self) -> str | None:
        """What was read: "kif", "ki2", "csa", "jkf", "usi", "sfen" or "bod"; None of a record that was made here."""
        return _FORMAT_NAMES[self._info()[3]]

    @property
    def encoding(self) -> str | None:
        """The encoding that was read, such as "cp932"; None of a record that was made here."""
        return _ENCODING_NAMES[self._info()[4]]

    # ------------------------------------------------------------------------------------------------------------- Tree

    @property
    def root(self) -> KifuNode:
        """The start of the tree."""
        return self._root if self._root is not None else self._tree()

    @property
    def last(self) -> KifuNode:
        """The node of the last move of the main line; the start without moves."""
        node = self.root
        while node._children and node._children[0].ending is None:
            node = node._children[0]
        return node

    def main_line(self) -> Iterator[KifuNode]:
        """The nodes of the moves of the main line."""
        node = self.root.next
        while node is not None and node.ending is None:
            yield node
            node = node.next

    def nodes(self) -> Iterator[KifuNode]:
        """All nodes but the start: a line to its end, then the variations of its nodes from the first on."""
        waiting = [self.root]
        while waiting:
            line = waiting.pop().line
            for node in line:
                if node.parent is not None:
                    yield node
            for node in reversed(line):
                waiting.extend(reversed(node._children[1:]))

    def boards(self) -> Iterator[tuple[KifuNode, Board]]:
        """The moves of the main line with the position after each. The board is one, and moves on; ``copy()`` keeps it.

        InvalidPositionError as of ``KifuNode.board``.
        """
        board = self.root.board()
        for node in self.main_line():
            if node._flags & abi.KMD_NODE_ILLEGAL:
                board = node.board()
            else:
                assert node.move is not None
                board.push(node.move)
            yield node, board

    def node_at(self, ply: int) -> KifuNode:
        """The node of the main line after so many moves; negative numbers count from the end, -1 being the last. IndexError."""
        number = self._ply(ply)
        if number == 0:
            return self.root
        return next(islice(self.main_line(), number - 1, None))

    def _ply(self, ply: int) -> int:
        if isinstance(ply, bool) or not hasattr(ply, "__index__"):
            raise TypeError(f"ply must be int, not {type(ply).__name__}")
        plies = len(self)
        number = int(ply.__index__())
        if number < 0:
            number += plies + 1
        if not 0 <= number <= plies:
            raise IndexError(f"ply {ply} of a record with {plies} moves")
        return number

    def board_at(self, ply: int) -> Board:
        """The position of the main line after so many moves, with its history; negative numbers count from the end. A new board.

        IndexError; InvalidPositionError when moves against the rules have made a position that boards refuse.
        """
        number = self._ply(ply)
        flat = self._flat()
        board = Board()
        _native.call("kmd_board_set_kifu", board._handle, flat, len(flat), number)
        return board

    def add(self, move: Move | str, *, comment: str = "", time_ms: int | None = None) -> KifuNode:
        """Adds a move at the end of the main line. IllegalMoveError."""
        return self.last.add(move, comment=comment, time_ms=time_ms)

    def merge(self, other: Kifu) -> None:
        """Adds the lines of another record with the same start as variations; moves that are there already are not doubled.

        Comments, bookmarks and times are taken over where there is none, comments that differ are added below. ValueError when the starts differ.
        """
        if not isinstance(other, Kifu):
            raise TypeError(f"other must be Kifu, not {type(other).__name__}")
        if self.start.rsplit(" ", 1)[0] != other.start.rsplit(" ", 1)[0]:
            raise ValueError("records with different starts cannot be merged")
        pairs = [(self.root, other.root)]
        while pairs:
            mine, theirs = pairs.pop()
            if theirs._comment and f"\n{theirs._comment}\n" not in f"\n{mine._comment}\n":
                mine._comment = f"{mine._comment}\n{theirs._comment}" if mine._comment else theirs._comment
            mine._remark = mine._remark or theirs._remark
            mine._bookmarks += tuple(name for name in theirs._bookmarks if name not in mine._bookmarks)
            mine._time_ms = theirs._time_ms if mine._time_ms is None else mine._time_ms
            for child in theirs._children:
                for same in mine._children:
                    if (same.move, same.ending, same._words) == (child.move, child.ending, child._words):
                        break
                else:
                    same = KifuNode(self, mine, child.move, child.ending)
                    same._flags, same._words = child._flags, child._words
                    mine._children.append(same)
                pairs.append((same, child))
        self._changed()

    @property
    def analyses(self) -> tuple[Analysis, ...]:
        """What engines said in comments, in their order: as floodgate, ShogiHome and ShogiGUI write it, see docs/records.md.

        >>> kifu = Kifu()
        >>> node = kifu.add("7g7f", comment="* -50 -8384FU +2726FU")
        >>> kifu.analyses[0].score.cp, kifu.analyses[0].pv
        (-50, (Move.from_usi('8c8d'), Move.from_usi('2g2f')))
        """
        flat = self._flat()
        nodes = self._numbered()
        found, moves = _native.kifu_analyses(flat)
        return tuple(
            Analysis(
                nodes[a.node],
                Score(mate=a.mate, view=Color.BLACK) if a.mate else Score(cp=a.score, view=Color.BLACK),
                a.rank,
                a.depth,
                a.nodes,
                nodes[a.start],
                tuple(Move(m) for m in moves[a.first : a.first + a.moves]),
            )
            for a in found
        )

    @property
    def scores(self) -> list[Score | None]:
        """What comments say of each move of the main line, the best line of the last engine, for Black; None where they say nothing."""
        found: dict[int, Score] = {}
        for analysis in self.analyses:
            if analysis.rank == 1:
                found[id(analysis.node)] = analysis.score
        return [found.get(id(node)) for node in self.main_line()]

    def to_records(self, format: str = "hcpe", *, evals: Iterable[int] | None = None, result_convention: str | None = None) -> Any:
        """Training records of the main line: one for every move, with the position before it. See ``training.game_records``.

        Args:
            format: "hcpe", "hcpe2" or "psv".
            evals: Evaluation before each move, centipawns for the side to move; None for those of ``scores`` (a move's comment speaks of the position that
                was searched to find it), 0 where there is none, mates as 32000.

        Raises:
            ValueError: The record names no winner.
            InvalidValueError: There is a pass, or a move against the rules.
        """
        from .training import game_records

        if self.result is None:
            raise ValueError("the record does not say who has won")
        board = self.board_at(-1)
        if board.history_length != len(self):
            raise InvalidValueError("a record with a move against the rules makes no training records")
        if evals is None:
            evals = [_eval(score, number) for number, score in enumerate(self.scores, self.root.board().turn)]
        return game_records(board, evals, self.result, format, result_convention)

    # ---------------------------------------------------------------------------------------------------------- Writing

    def _write(self, name: str, format: str, encoding: str | None, csa_version: str) -> bytes:
        form = choice("format", format, {k: v for k, v in FORMATS.items() if k is not None})
        version = choice("version", csa_version, {"2.2": 22, "3.0": 30})
        options = _native.struct(abi.kmd_kifu_write_options, format=form, encoding=_encoding(encoding), csa_version=version)
        flat = self._flat()
        return _native.text_bytes(name, flat, len(flat), _native.reference(options), size=4096 + 2 * len(flat))

    def to_kif(self) -> str:
        """The record as KIF, with its variations. ``losses("kif")`` says what is not in it; InvalidValueError for a pass, and for a move against the rules
        that the format cannot say. All the writers are so.

        >>> kifu = Kifu(headers={"先手": "A"})
        >>> kifu.root.add("7g7f").add_ending(Ending.RESIGN)
        <KifuNode: resign after 1 moves>
        >>> print(kifu.to_kif().rstrip())
        #KIF version=2.0 encoding=UTF-8
        先手：A
        手合割：平手
        手数----指手--
           1 ７六歩(77)
           2 投了
        まで1手で先手の勝ち
        """
        return self._write("kmd_kifu_write", "kif", None, "2.2").decode()

    def to_ki2(self) -> str:
        """The record as KI2, with its variations and without times."""
        return self._write("kmd_kifu_write", "ki2", None, "2.2").decode()

    def to_csa(self, version: str = "2.2") -> str:
        """The main line as CSA, version "2.2" or "3.0", which has fractions of seconds."""
        return self._write("kmd_kifu_write", "csa", None, version).decode()

    def to_jkf(self) -> str:
        """The record as JKF, with its variations."""
        return self._write("kmd_kifu_write", "jkf", None, "2.2").decode()

    def to_usi(self) -> str:
        """The main line as a position line of USI, without a line end.

        >>> Kifu("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").to_usi()
        'position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1'
        """
        return self._write("kmd_kifu_write", "usi", None, "2.2").decode().rstrip("\n")

    def losses(self, format: str, *, version: str = "2.2") -> tuple[str, ...]:
        """What a format has no place for, such as "3 variations"; empty when all is kept.

        >>> kifu = Kifu()
        >>> kifu.root.add("7g7f", comment="opens the bishop's way", time_ms=1500).add_ending(Ending.RESIGN)
        <KifuNode: resign after 1 moves>
        >>> kifu.losses("kif"), kifu.losses("csa", version="3.0"), kifu.losses("usi")
        (('1 fraction of a second',), (), ('1 ending', '1 comment', '1 time'))
        """
        return tuple(line for line in self._write("kmd_kifu_losses", format, None, version).decode().split("\n") if line)

    def write(self, path: str | os.PathLike[str], format: str | None = None, encoding: str = "utf-8", *, version: str = "2.2") -> None:
        """Writes a file, which appears whole or not at all.

        Args:
            path: Where to. An old file is replaced.
            format: As in ``read``; None for what the path ends like.
            encoding: "utf-8", "cp932", "euc-jp", "iso-2022-jp" or "utf-16". Programs expect cp932 in .kif and .ki2, UTF-8 in .kifu and .ki2u.
            version: Of CSA, "2.2" or "3.0".

        Raises:
            InvalidValueError: The encoding lacks a character, or the format cannot say a move.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"path must be str or a path, not {type(path).__name__}")
        if format is None:
            suffix = Path(path).suffix.lower()
            if suffix not in SUFFIXES:
                raise ValueError(f"{str(path)!r} ends like no format: give one")
            format = suffix[1:].rstrip("u") if suffix != ".usi" else "usi"
        data = self._write("kmd_kifu_write", format, encoding, version)
        with Replacement(path) as file:
            file.write(data)

    def copy(self) -> Kifu:
        """A copy with its own tree."""
        kifu = Kifu._of(self._flat(), self.source)
        return kifu

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Kifu:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickle, (self._flat(), self.source))

    def __eq__(self, other: object) -> bool:
        """Same start, tree, texts and headers, from whatever format."""
        if not isinstance(other, Kifu):
            return NotImplemented
        return bool(self._content() == other._content())

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def _content(self) -> Any:
        flat = self._flat()
        self._numbered()
        rows = [
            (n._time_ms, n.parent._number if n.parent else -1, n.move, n.ending, n._flags, n._comment, n._bookmarks, n._remark, n._words)
            for n in sorted((self.root, *self.nodes()), key=lambda n: n._number)
        ]
        assert flat is self._block
        return self.start, rows, self.headers

    def _repr_html_(self) -> str:
        """The game to play through, see ``viewer.Viewer``."""
        from .viewer import Viewer

        return Viewer(self)._repr_html_()

    def __repr__(self) -> str:
        parts = [f"{len(self)} moves"]
        if len(self.root._children) and (n := len(self.variations)):
            parts.append(f"{n} variations")
        if self.ending is not None:
            parts.append(self.ending.name.lower())
        if self.result is not None:
            parts.append(self.result.name)
        return f"<Kifu: {', '.join(parts)}>"


def _said(score: Score, line: list[str], depth: int, nodes: int, style: str) -> str:
    """An analysis in the words of a program; the score is Black's."""
    mate = score.mate
    if style == "floodgate":
        if mate is not None:
            raise ValueError("floodgate's comments have no place for a mate")
        return " ".join([f"* {score.cp}", *line])
    sign, plies = ("", "") if mate is None else ("+" if mate > 0 or score.won else "-", "" if abs(mate) >= _MATE_UNKNOWN or mate == 0 else str(abs(mate)))
    if style == "shogigui":
        parts = [f"深さ {depth}"] * (depth > 0) + [f"ノード数 {nodes}"] * (nodes > 0)
        parts.append(f"評価値 {score.cp}" if mate is None else f"評価値 {sign}詰 {plies}".rstrip())
        return " ".join(["*解析", *parts, *(["読み筋", *line] if line else [])])
    side = "先手勝ち" if sign == "+" else "後手勝ち"
    lines = [f"*評価値={score.cp}" if mate is None else f"*詰み={side}" + (f":{plies}手" if plies else "")]
    lines += ["*読み筋=" + "".join(line)] * bool(line) + [f"*深さ={depth}"] * (depth > 0) + [f"*ノード数={nodes}"] * (nodes > 0)
    return "\n".join(lines)


_MATE_UNKNOWN = abi.KMD_MATE_DISTANCE_UNKNOWN


def _eval(score: Score | None, mover: int) -> int:
    """An evaluation for the side that moves: even numbers are Black."""
    if score is None:
        return 0
    value = (32000 if score.mate > 0 else -32000) if score.mate is not None else max(-32000, min(32000, score.cp or 0))
    return -value if mover & 1 else value


def _unpickle(block: bytes, source: str | None) -> Kifu:
    return Kifu._of(block, source)


def _text(name: str, text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be str, not {type(text).__name__}")
    check_text(name, text)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_text(name: str, text: str) -> None:
    """InvalidValueError for halves of characters (surrogates), which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"{name} has half of a character, {text[error.start]!r}, at {error.start}") from None


_MOST_MS = 10**9 * 60_000  # readers of KIF take minutes up to 10**9


def _milliseconds(value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"time_ms must be int or None, not {type(value).__name__}")
    number = int(value.__index__())
    if not 0 <= number < _MOST_MS:
        raise ValueError(f"time_ms is {number}, want 0..{_MOST_MS - 1}")
    return number


# -------------------------------------------------------------------------------------------------------------- Reading


def _options(format: str | None, encoding: str | None, refuse_illegal: bool) -> Any:
    form = choice("format", format, FORMATS)
    if refuse_illegal not in (False, True):
        raise TypeError(f"refuse_illegal must be bool, not {type(refuse_illegal).__name__}")
    return _native.struct(abi.kmd_kifu_options, format=form, encoding=_encoding(encoding), refuse_illegal=int(bool(refuse_illegal)))


def _encoding(encoding: str | None) -> Any:
    name: Any = encoding
    if isinstance(name, str) and name not in ENCODINGS:
        with suppress(LookupError, ValueError):
            name = _ALIASES.get("cp932" if name.lower() == "windows-31j" else codecs.lookup(name).name, name)
    return choice("encoding", name, ENCODINGS)


def _error(kifu: Kifu) -> KomadoriError:
    """The error at which the reading of a record stopped."""
    head = kifu._info()
    message = _native.in_python(whole := kifu._string(head[12], head[13]))
    error: Any
    if head[2] == abi.KMD_ERR_PARSE:
        error = ParseError(message, offset=head[16] if head[16] >= 0 else None)
    elif head[2] in (abi.KMD_ERR_ILLEGAL_MOVE, abi.KMD_ERR_AMBIGUOUS_MOVE):
        from .errors import AmbiguousMoveError

        error = (IllegalMoveError if head[2] == abi.KMD_ERR_ILLEGAL_MOVE else AmbiguousMoveError)(message)
    else:
        from .errors import InternalError

        error = InternalError(whole)
    error.line, error.column, error.kifu = head[14], head[15], kifu
    return error  # type: ignore[no-any-return]


def _split(blocks: Any, source: str | None) -> list[Kifu]:
    """The records of blocks that follow each other."""
    found = []
    at, end = 0, len(blocks)
    while at < end:
        size = int.from_bytes(blocks[at + 4 : at + 8], _ORDER)
        found.append(Kifu._of(blocks if size == end else blocks[at : at + size], source))
        at += size
    return found


_ORDER: Any = sys.byteorder
_AUTO = _native.struct(abi.kmd_kifu_options)
_TO_AUTO = _native.reference(_AUTO)


def _read(data: bytes, options: Any, source: str | None) -> list[Kifu]:
    status, blocks = _native.blocks("kmd_kifu_read", data, len(data), options)
    if not blocks and status != 0:
        _native.fail(status)
    found = _split(blocks, source)
    if status != 0:
        error: Any = _error(found.pop())
        error.games = found
        if source is not None:
            error.args = (f"{source}: {error}",)
        raise error
    return found


def _looks_like_path(text: str) -> bool:
    """Whether text names a file, or ends like the name of one."""
    return "\n" not in text and "\r" not in text and len(text) < 4096 and "\0" not in text and (os.path.exists(text) or text.lower().endswith(SUFFIXES))


def _contents(path: Path) -> bytes:
    """A file's bytes. What is no file gives an OSError and is not waited for."""
    with open(os.fspath(path), "rb", opener=_open) as file:
        return file.read()


def _open(path: str, flags: int) -> int:
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe without a writer would never open
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "a folder, not a file; read_all reads those in it", path)
        raise OSError(errno.EINVAL, "a pipe or a device, not a file; read its bytes and hand them over", path)
    return number


def _source(source: Any) -> tuple[bytes, str | None, bool]:
    """The bytes of a source, the name of its file, and whether it is text, whose encoding is known."""
    if isinstance(source, str) and not _looks_like_path(source):
        return source.encode("utf-8", "surrogatepass"), None, True
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return _contents(path), str(path), False
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None, False
    raise TypeError(f"source must be text, bytes or a path, not {type(source).__name__}")


def read_games(source: str | bytes | os.PathLike[str], format: str | None = None, encoding: str | None = None, *, refuse_illegal: bool = False) -> list[Kifu]:
    """Reads all games of a record, see ``read``. An error has the games before it in ``.games`` and the last one, as far as it was read, in ``.kifu``."""
    if format is None and encoding is None and refuse_illegal is False and type(source) is str and "\n" in source:
        return _read(source.encode("utf-8", "surrogatepass"), _TO_AUTO, None)
    options = _options(format, encoding, refuse_illegal)
    data, name, is_text = _source(source)
    if is_text:
        options.encoding = abi.KMD_ENCODING_UTF8
    try:
        return _read(data, _native.reference(options), name)
    except ParseError as error:
        if is_text and isinstance(source, str) and source.strip() and len(source.splitlines()) == 1 and (error.kifu is None or len(error.kifu) == 0):
            error.args = (f"{error.args[0]}; it was taken for text, as there is no file of that name", *error.args[1:])
        raise


def read(source: str | bytes | os.PathLike[str], format: str | None = None, encoding: str | None = None, *, refuse_illegal: bool = False) -> Kifu:
    """Reads a game record.

    Args:
        source: A path, text, or bytes. A str is a path when it names what exists or ends like a record (.kif .kifu .ki2 .ki2u .csa .jkf .usi .sfen), else text.
        format: "kif", "ki2", "csa", "jkf", "usi", "sfen" or "bod"; None for what the text looks like.
        encoding: Of files and bytes: "utf-8", "cp932", "euc-jp", "iso-2022-jp" or "utf-16"; None for what the bytes look like.
        refuse_illegal: Raise IllegalMoveError at a move against the rules, instead of keeping it flagged (``KifuNode.is_illegal``, ``Kifu.warnings``).

    Raises:
        ParseError: The text cannot be read to its end. ``.line`` and ``.column`` say where reading stopped, ``.kifu`` has what was read before.
        IllegalMoveError: Words that fit no move (AmbiguousMoveError: several), or a move that was refused; with ``.line``, ``.column`` and ``.kifu``, too.
        ValueError: There are several games: ``read_games`` gives them all.
        OSError: The file cannot be read, or it is a folder, a pipe or a device.
    """
    games = read_games(source, format, encoding, refuse_illegal=refuse_illegal)
    if len(games) != 1:
        raise ValueError(f"{len(games)} games; read_games gives all of them")
    return games[0]


class KifuBatch(Sequence[Kifu]):
    """The games of many texts, in order: those that were read whole.

    Attributes:
        errors: By the number of the text, the error at which its reading stopped; ``.kifu`` of it has what was read before.
    """

    __slots__ = ("_first", "_parts", "_sources", "_texts", "errors")

    def __init__(self) -> None:
        self._parts: list[tuple[memoryview, list[int], list[int]]] = []  # of each call the blocks, and where games begin and end in them
        self._first = [0]  # the number of the first game of each part, and that of all
        self._texts: list[int] = []
        self._sources: list[str | None] = []
        self.errors: dict[int, KomadoriError] = {}

    def _read(self, text: bytes, sizes: Sequence[int], first: int, options: Any, threads: int, sources: Sequence[str | None] = ()) -> None:
        """Reads texts that follow each other and have numbers from ``first`` on."""
        states, blocks, places = _native.read_kifus(text, sizes, options, threads)
        memory, at = memoryview(blocks).cast("B"), places.tolist()
        self._sources += sources
        if not states.any() and (blocks.view("u4")[(places[:-1] >> 2) + 1] == places[1:] - places[:-1]).all():  # each has one game
            begins, ends = at[:-1], at[1:]
            self._texts += range(first, first + len(sizes))
        else:
            begins, ends = self._games(states.tolist(), memory, at, first)
        self._parts.append((memory, begins, ends))
        self._first.append(self._first[-1] + len(begins))

    def _games(self, states: list[int], memory: memoryview, places: list[int], first: int) -> tuple[list[int], list[int]]:
        """Where the games begin and end; errors go where they belong."""
        begins: list[int] = []
        ends: list[int] = []
        numbers = memory.cast("I")
        for i, status in enumerate(states):
            at, end = places[i], places[i + 1]
            while at < end:
                size = numbers[(at >> 2) + 1]
                if status != 0 and at + size == end:
                    self.errors[first + i] = _error(Kifu._of(bytes(memory[at:end]), self._source(first + i)))
                    if not self._sources:
                        self.errors[first + i].row = first + i  # type: ignore[attr-defined]
                else:
                    begins.append(at)
                    ends.append(at + size)
                    self._texts.append(first + i)
                at += size
        return begins, ends

    def _source(self, text: int) -> str | None:
        return self._sources[text] if self._sources else None

    @property
    def texts(self) -> list[int]:
        """The number of the text of each game."""
        return list(self._texts)

    def __len__(self) -> int:
        return self._first[-1]

    @overload
    def __getitem__(self, index: int) -> Kifu: ...
    @overload
    def __getitem__(self, index: slice) -> list[Kifu]: ...
    def __getitem__(self, index: int | slice) -> Kifu | list[Kifu]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        part = bisect_right(self._first, number) - 1
        memory, begins, ends = self._parts[part]
        at = number - self._first[part]
        return Kifu._of(memory[begins[at] : ends[at]], self._source(self._texts[number]))

    def __iter__(self) -> Iterator[Kifu]:
        number = 0
        for memory, begins, ends in self._parts:
            for begin, end in zip(begins, ends, strict=True):
                yield Kifu._of(memory[begin:end], self._source(self._texts[number]))
                number += 1

    def __repr__(self) -> str:
        return f"<KifuBatch: {len(self)} games, {len(self.errors)} errors>"


# As many texts go into one call, or as many bytes: it takes some hundredths of a second, after which Ctrl-C is answered.
_MOST_TEXTS, _MOST_BYTES = 4096, 1 << 23


def parse_batch(
    texts: Iterable[str | bytes], format: str | None = None, encoding: str | None = None, *, refuse_illegal: bool = False, threads: int | None = None
) -> KifuBatch:
    """Reads the records of many texts at once, on all processors.

    Args:
        texts: Text, or bytes whose encoding is found out or is ``encoding``.
        format: As in ``read``; one for all.
        threads: How many threads work; None for ``komadori.threads()``. The result does not depend on it.

    Returns:
        The games. A text that cannot be read is in ``.errors`` and spoils no other.

    >>> batch = parse_batch(["position startpos moves 7g7f", "position startpos moves 7g7e 3c3d"], "usi")
    >>> [kifu.moves for kifu in batch], batch[1].warnings[0].kind
    ([<MoveList: 7g7f>, <MoveList: 7g7e 3c3d>], <WarningKind.ILLEGAL: 1>)
    """
    options = _options(format, encoding, refuse_illegal)
    number = thread_count(threads)
    batch = KifuBatch()
    several = (number or default_threads()) != 1 and not _native.in_child()
    groups = _groups(texts, _MOST_BYTES // 4 if several else _MOST_BYTES)
    first = list(islice(groups, 2))
    reader = _reader() if several and len(first) == 2 else None
    if reader is None:
        for group in chain(first, groups):
            batch._read(*group, options, number)
        return batch
    with reader:  # while the library reads, the next texts are made ready here
        waiting: deque[Future[None]] = deque()
        for group in chain(first, groups):
            waiting.append(reader.submit(batch._read, *group, options, number))
            if len(waiting) > 2:
                waiting.popleft().result()
        while waiting:
            waiting.popleft().result()
    return batch


def _reader() -> ThreadPoolExecutor | None:
    """A thread beside this one; None where the process may have no more, or no memory for one."""
    from concurrent.futures import ThreadPoolExecutor

    reader = ThreadPoolExecutor(1)
    try:
        reader.submit(int)  # starts the thread
    except RuntimeError:
        return None
    return reader


def _groups(texts: Iterable[str | bytes], most: int) -> Iterator[tuple[bytes, list[int], int]]:
    """As many texts at a time as go into one call: their bytes one after another, how many each has, and the number of the first."""
    if isinstance(texts, (str, bytes, bytearray, memoryview, os.PathLike)):
        raise TypeError(f"texts must be a sequence of texts, not one {type(texts).__name__}")
    try:
        rest = iter(texts)
    except TypeError:
        raise TypeError(f"texts must be a sequence of texts, not {type(texts).__name__}") from None
    raws: list[bytes] = []
    sizes: list[int] = []
    total = first = before = 0
    while some := list(islice(rest, 64)):
        pieces, lengths = _pieces(some, first)
        size = sum(lengths)
        if sizes and (len(sizes) + len(lengths) > _MOST_TEXTS or total + size > most):
            yield b"".join(raws), sizes, before
            raws, sizes, total, before = [], [], 0, first
        raws += pieces
        sizes += lengths
        total += size
        first += len(lengths)
    if sizes:
        yield b"".join(raws), sizes, before


def _pieces(texts: list[Any], first: int) -> tuple[list[bytes], list[int]]:
    """The bytes of texts, the first of them with that number, in any number of pieces, and how many bytes each text has."""
    try:
        if texts[0].isascii() and (text := "".join(texts)).isascii():
            return [text.encode()], list(map(len, texts))
        raws = [one.encode("utf-8", "surrogatepass") for one in texts]
    except (TypeError, AttributeError):  # not all are str
        raws = [_raw(one, first + i) for i, one in enumerate(texts)]
    return raws, list(map(len, raws))


def _raw(text: Any, number: int) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"texts[{number}] must be str or bytes, not {type(text).__name__}")


class ReadAll(Iterator[Kifu]):
    """The games of many files, one after another; ``Kifu.source`` names the file.

    Attributes:
        errors: What could not be read so far: the name of the file and the error, whose ``.kifu`` has what was read before.
    """

    def __init__(self, games: Iterator[Kifu], errors: list[tuple[str, Exception]]) -> None:
        self._games = games
        self.errors = errors

    def __next__(self) -> Kifu:
        return next(self._games)


def read_all(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    format: str | None = None,
    encoding: str | None = None,
    *,
    refuse_illegal: bool = False,
    threads: int | None = None,
) -> ReadAll:
    """Reads the games of many files, some at a time and in parallel, in the order of the paths.

    Args:
        paths: Files and folders, or one. Of folders and those within them the files are taken whose names end like records, in the order of their names.
        format: As in ``read``; one for all files.
        threads: How many threads work; None for ``komadori.threads()``.

    Returns:
        An iterator over the games. What cannot be read is in its ``errors`` and does not stop it. Files may have any size where a game has a line of its own
        to begin with (``/`` of CSA, ``#KIF`` and ``#KI2``, each of USI): they are read in parts of 8 MB, within which warnings count their lines. A part
        without such a line has at most 1 GB.
    """
    options = _options(format, encoding, refuse_illegal)
    number = thread_count(threads)
    errors: list[tuple[str, Exception]] = []
    many = [_named(0, paths)] if isinstance(paths, (str, os.PathLike)) else [_named(i, path) for i, path in enumerate(_several("paths", paths, "paths"))]

    def games() -> Iterator[Kifu]:
        texts: list[bytes] = []
        names: list[str | None] = []
        before: list[int] = []
        size = 0
        for name in _files(many, errors):
            for part, lines in _parts(name, format, errors):
                if texts and (size + len(part) > _MOST_BYTES or len(texts) == _MOST_TEXTS):
                    yield from batch(texts, names, before)
                    texts, names, before, size = [], [], [], 0
                texts.append(part)
                names.append(name)
                before.append(lines)
                size += len(part)
        if texts:
            yield from batch(texts, names, before)

    def batch(texts: list[bytes], names: list[str | None], before: list[int]) -> Iterator[Kifu]:
        found = KifuBatch()
        found._read(b"".join(texts), list(map(len, texts)), 0, options, number, names)
        for i, error in found.errors.items():
            _move_down(error, before[i])
            errors.append((str(names[i]), error))
        yield from found

    return ReadAll(games(), errors)


def _named(number: int, path: Any) -> str:
    """A path as text."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(name := os.fspath(path), str):
        raise TypeError(f"paths[{number}] must be str or a path, not {type(path).__name__}")
    return name


def _files(names: Iterable[str], errors: list[tuple[str, Exception]]) -> Iterator[str]:
    """The files that are named, and those of folders that end like records; what cannot be listed is among the errors."""
    for name in names:
        if not os.path.isdir(name):
            yield name
            continue
        try:
            inside = sorted(os.scandir(name), key=lambda entry: entry.name)
        except OSError as error:
            errors.append((name, error))
            continue
        for entry in inside:
            if entry.is_dir(follow_symlinks=False):
                yield from _files([entry.path], errors)
            elif entry.name.lower().endswith(SUFFIXES) and (os.path.isfile(entry.path) or not os.path.exists(entry.path)):
                yield entry.path  # a link to nothing, too: that it cannot be read is an error to be told


def _move_down(error: Any, lines: int) -> None:
    """Tells an error of a part of a file how many lines stand before the part."""
    if lines and error.line:
        error.args = (str(error).replace(f"line {error.line},", f"line {error.line + lines},", 1).partition(" (offset ")[0],)
        error.line += lines
        error.offset = None


_LARGEST = 1 << 30

# By the endings of names and by formats, what stands between two games.
_MARKS = {"csa": (b"\n/",), "usi": (b"\n",), "sfen": (b"\n",), "kif": (b"\n#KIF",), "kifu": (b"\n#KIF",), "ki2": (b"\n#KI2",), "ki2u": (b"\n#KI2",)}


def _parts(name: str, format: str | None, errors: list[tuple[str, Exception]]) -> Iterator[tuple[bytes, int]]:
    """A file, in parts where it is large and its format allows it; and the number of lines before each."""
    marks = _MARKS.get(format or name.lower().rpartition(".")[2], ())
    try:
        with open(name, "rb", opener=_open) as file:
            held, lines, searched = bytearray(file.read(_MOST_BYTES)), 0, 0
            more = bytes(held) if len(held) == _MOST_BYTES else b""
            while more:
                cut = max((held.rfind(mark, searched) for mark in marks), default=-1)
                if cut > 0:
                    yield bytes(held[: cut + 1]), lines
                    lines += held.count(b"\n", 0, cut + 1)
                    del held[: cut + 1]
                elif len(held) > _LARGEST:
                    raise OSError(errno.EFBIG, "more than 1 GB without a line that parts games", name)
                searched = max(0, len(held) - 8)  # a mark may lie across the end
                more = file.read(_MOST_BYTES)
                held += more
            if held.strip(b"/\r\n \t") or not lines:
                yield bytes(held), lines
    except (OSError, ValueError) as error:  # ValueError of a name with a zero in it
        errors.append((name, error))
