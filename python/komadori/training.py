"""Training data: files of stored positions, and what networks are trained on.

``open`` gives the rows of a file as arrays of records, ``decode`` turns records into input planes, policy labels, values and results, ``Writer`` and
``convert`` make files. Formats are HCPE and HCPE2 (38 bytes, Apery and dlshogi), PSV (40 bytes, YaneuraOu's PackedSfenValue) and HCPE3 (dlshogi's games with
visits of a search); docs/formats.md describes them.

>>> from komadori import Board, GameResult
>>> board = Board()
>>> move = board.push_usi("7g7f")
>>> records = game_records(board, [30], GameResult.BLACK_WIN)
>>> decode(records).label.tolist()
[59]

``HCPE``, ``HCPE2``, ``HCPE3``, ``PSV`` are the dtypes of records (``HCPE_RSSHOGI`` and ``PSV_RSSHOGI`` with the field names of rsshogi). A record of HCPE3 is
a position of a game: the fields of an HCPE2 with the opponent in the last byte, its ply in the game, how many candidates it has, ``status`` (0, or what is
wrong with it, a number of komadori.h) and which candidate is the first in ``Records.candidates``, an array of dtype ``CANDIDATE``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _arrays, _native
from ._decode import Batch, decode, mirrored_rows, to_csr
from ._files import ConversionReport, TrainingData, Writer, convert, open, write
from .errors import InvalidValueError
from .types import GameResult, _several

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._explain import Explanation as Explanation
    from ._records import CANDIDATE, HCPE, HCPE2, HCPE3, HCPE_RSSHOGI, PSV, PSV_RSSHOGI, Records
    from .board import Board

__all__ = [
    "CANDIDATE",
    "HCPE",
    "HCPE2",
    "HCPE3",
    "HCPE_RSSHOGI",
    "PSV",
    "PSV_RSSHOGI",
    "VALUE_SCALE",
    "Batch",
    "ConversionReport",
    "Records",
    "TrainingData",
    "Writer",
    "convert",
    "decode",
    "decode_boards",
    "dtype",
    "flip_side",
    "game_records",
    "mirror_file",
    "mirrored_rows",
    "open",
    "plane_names",
    "to_csr",
    "to_hcpe",
    "to_psv",
    "write",
]

VALUE_SCALE = 756.0864962951762
"""dlshogi's scale of evaluations: value = 1 / (1 + exp(-eval / VALUE_SCALE))."""

# Names that need NumPy, and so are imported when they are first asked for.
_WITH_NUMPY = ("CANDIDATE", "HCPE", "HCPE2", "HCPE3", "HCPE_RSSHOGI", "PSV", "PSV_RSSHOGI", "Records")


def __getattr__(name: str) -> Any:
    if name in _WITH_NUMPY:
        from . import _records

        globals()[name] = found = getattr(_records, name)
        return found
    if name == "Explanation":
        from ._explain import Explanation

        return Explanation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def dtype(format: str) -> np.dtype[np.void]:
    """The dtype of a format: HCPE for "hcpe", and so on."""
    _arrays.choice("format", format, dict.fromkeys(_arrays.RECORDS))
    from ._records import OF_FORMAT

    return OF_FORMAT[format]


_dtype = dtype  # for functions with a parameter of that name


def plane_names() -> tuple[str, ...]:
    """Names of all planes by number: dlshogi's 62 board planes, its 119 flat planes, then those of this library; see docs/formats.md#planes-by-name."""
    return tuple(_native.text("kmd_plane_name", number) for number in range(abi.KMD_PLANES))


def game_records(
    board: Board, evals: Iterable[int], result: GameResult | int, format: str = "hcpe", result_convention: str | None = None
) -> npt.NDArray[np.void]:
    """Records of a game: one for every move of the board's history, oldest first.

    Args:
        board: The board at the end of the game, with its history.
        evals: Evaluation before each move, centipawns for the side to move, within 16 bits.
        result: Who won.
        format: "hcpe", "hcpe2" or "psv".
        result_convention: How to store the result: None for the format's own, "apery", "yaneuraou", "rsshogi" or "dlshogi".

    Returns:
        Shape ``(moves,)``, dtype ``HCPE``, ``HCPE2`` or ``PSV``. A new array.

    Raises:
        InvalidValueError: There was a pass, or an evaluation is out of range. InvalidPositionError: A king is missing.
    """
    import numpy as np

    number = _arrays.FORMATS[_arrays.choice("format", format, {"hcpe": "hcpe", "hcpe2": "hcpe2", "psv": "psv"})]
    convention = _arrays.choice("result_convention", result_convention, _arrays.CONVENTIONS)
    values = np.asarray(list(_several("evals", evals, "numbers")) if not isinstance(evals, np.ndarray) else evals)
    _native.check_board(board)
    n = board.history_length
    if values.shape != (n,):
        raise ValueError(f"evals has shape {values.shape}, want ({n},): one for each move")
    if n and values.dtype.kind not in "iu":
        raise ValueError(f"evals has dtype {values.dtype}, want int16")
    bad = np.flatnonzero((values < -32768) | (values > 32767))
    if len(bad):
        row = int(bad[0])
        raise InvalidValueError(f"evaluation {values[row]}, want -32768..32767 (row {row})", row=row)
    stored = np.ascontiguousarray(values, np.int16)
    made = np.zeros(n, dtype(format))
    _native.count(
        "kmd_board_records",
        board._handle,
        number,
        convention,
        _arrays.address(stored) if n else None,
        int(GameResult(result)),
        _arrays.address(made) if n else None,
        n,
    )
    from ._records import Records

    return Records.of(made)


def decode_boards(
    boards: Board | Iterable[Board],
    planes: str | Sequence[str] = "dlshogi",
    *,
    dtype: Any = None,
    mirror: Any = None,
    threads: int | None = None,
) -> Batch:
    """Input planes of boards: what a network is asked with.

    Args:
        boards: A board or several. Their history and ply do not count.
        planes: As in ``decode``, and so are ``dtype``, ``mirror`` and ``threads``.

    Returns:
        A Batch with ``features1`` and ``features2``, or with ``planes``; a row for each board.

    Raises:
        InvalidPositionError: A king is missing.

    >>> from komadori import Board
    >>> decode_boards(Board(), "pieces").planes.shape
    (1, 28, 9, 9)
    """
    import numpy as np

    from .board import Board
    from .moves import Move

    many = [boards] if isinstance(boards, Board) else list(_several("boards", boards, "boards"))
    for row, one in enumerate(many):
        if not isinstance(one, Board):
            raise TypeError(f"boards[{row}] must be Board, not {type(one).__name__}")
    records = np.zeros(len(many), _dtype("psv"))
    packed = b"".join(board.to_packed_sfen() for board in many)
    records["sfen"] = np.frombuffer(packed, np.uint8).reshape(-1, 32)
    records["move"] = Move.from_usi("7g7f").value  # records have a move; this one is not looked at
    outputs = ("features1", "features2") if planes in ("dlshogi", "dlshogi119") else ("planes",)
    return decode(records, planes=planes, dtype=dtype, mirror=mirror, threads=threads, outputs=outputs, check="none", format="psv")


def flip_side(records: Any, *, result_convention: str | None = None, format: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """The same records with the board turned by 180 degrees and the sides exchanged; moves and results follow. A new array."""
    return _again(records, True, False, result_convention, format, threads)


def mirror_file(records: Any, *, result_convention: str | None = None, format: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """The same records with files 1 and 9, 2 and 8, and so on exchanged; moves follow. A new array."""
    return _again(records, False, True, result_convention, format, threads)


def _again(records: Any, flip: bool, mirror: bool, convention: str | None, format: str | None, threads: int | None) -> npt.NDArray[np.void]:
    return _converted(records, None, format, flip_side=flip, mirror_file=mirror, result_convention=convention, to_result_convention=convention, threads=threads)


def _converted(records: Any, to: str | None, format: str | None = None, **options: Any) -> npt.NDArray[np.void]:
    """Records, and no bare positions, in another format; None for their own."""
    from ._files import with_candidates
    from .batch import convert

    of = _arrays.rows(records, format, _arrays.RECORDS)
    return convert(with_candidates(of), to or of.format, format=of.format, **options)


def to_hcpe(records: Any, *, result_convention: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """Records as HCPE, which stores no ply. ``result_convention`` says how their results are stored (None: their format's way). A new array."""
    return _converted(records, "hcpe", result_convention=result_convention, threads=threads)


def to_psv(records: Any, *, to_result_convention: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """Records as PSV, with ply 0 when the format stores none. ``to_result_convention`` says how to store results (None: YaneuraOu's way). A new array."""
    return _converted(records, "psv", to_result_convention=to_result_convention, threads=threads)
