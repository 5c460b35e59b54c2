"""Records as tables of Arrow: Parquet files and Arrow IPC files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _install, training
from .._replacing import Replacement
from ._spill import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow

_ROWS = 1 << 17  # of a row group
_KINDS = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}
_DECODED = ("turn", "label", "value", "result", "ply", "key")


def export(
    source: Any,
    path: str | os.PathLike[str],
    *,
    kind: str | None = None,
    decoded: bool = False,
    format: str | None = None,
    result_convention: str | None = None,
    compression: str | None = "zstd",
    threads: int | None = None,
    progress: Progress = None,
) -> int:
    """Writes records as a table, a row group at a time. Needs pyarrow: ``pip install 'komadori[arrow]'``.

    Columns are the fields of the records under their names, the packed position as fixed-size binary. With ``decoded`` they are followed by ``sfen_text``,
    ``usi`` (the best move), turn, label, value, result, ply and key as ``training.decode`` gives them, null in rows that cannot be used, and ``bad``, the
    number of komadori.h that says why (0 is good).

    Args:
        source: What ``training.open`` takes. Of HCPE3, rows are positions, and ``candidates`` is a column of lists of moves and visits.
        path: File to write.
        kind: "parquet" or "arrow" (IPC file, which Feather version 2 is); None for what the name says (.parquet, .arrow, .feather, .ipc).
        decoded: Add what the fields mean.
        format, result_convention: As for ``training.decode``.
        compression: "zstd", "lz4" or None.
        threads: Threads to decode with.
        progress: Called with rows done and their total.

    Returns:
        How many rows were written.
    """
    pa = _pyarrow("export")
    import pyarrow.parquet as pq

    told = kind or _KINDS.get(Path(os.fspath(path)).suffix.lower())
    if told not in ("parquet", "arrow"):
        raise ValueError(f"{os.fspath(path)} does not tell its kind: give kind= ('parquet' or 'arrow')")
    data = training.open(source, format)
    schema = _schema(pa, data.dtype, decoded, data.format == "hcpe3")
    done = 0
    with Replacement(path) as file:
        if told == "parquet":
            writer: Any = pq.ParquetWriter(file, schema, compression=compression or "none")
        else:
            writer = pa.ipc.new_file(file, schema, options=pa.ipc.IpcWriteOptions(compression=compression))
        with writer:
            for block in data.blocks(_ROWS):
                writer.write_batch(pa.RecordBatch.from_arrays(_columns(pa, schema, block, decoded, result_convention, threads), schema=schema))
                done += len(block)
                if progress is not None:
                    progress(done, len(data))
    return done


def _schema(pa: Any, dtype: np.dtype[np.void], decoded: bool, candidates: bool) -> Any:
    fields = []
    for name in dtype.names or ():
        kind = dtype[name]
        fields.append(pa.field(name, pa.binary(kind.itemsize) if kind.subdtype else pa.from_numpy_dtype(kind), nullable=False))
    if candidates:
        fields.append(pa.field("candidates", pa.list_(pa.struct([("move16", pa.uint16()), ("visits", pa.uint16())]))))
    if decoded:
        kinds = {"sfen_text": pa.string(), "usi": pa.string(), "turn": pa.uint8(), "label": pa.int64(), "value": pa.float32(), "result": pa.float32()}
        kinds |= {"ply": pa.uint16(), "key": pa.uint64(), "bad": pa.int32()}
        own = set(dtype.names or ())
        fields += [pa.field(name if name not in own else f"decoded_{name}", kind) for name, kind in kinds.items()]
    return pa.schema(fields, metadata={"komadori.dtype": repr(dtype.descr)})


def _columns(pa: Any, schema: Any, block: Any, decoded: bool, convention: str | None, threads: int | None) -> list[Any]:
    import numpy as np

    columns: list[Any] = []
    for name in block.dtype.names:
        values = np.ascontiguousarray(block[name])
        if values.ndim == 2:
            columns.append(pa.FixedSizeBinaryArray.from_buffers(pa.binary(values.shape[1]), len(values), [None, pa.py_buffer(values)]))
        else:
            columns.append(pa.array(values))
    if block.candidates is not None:
        kept = block.compact()
        offsets = np.concatenate([[0], np.cumsum(kept["candidateNum"], dtype=np.int64)]).astype(np.int32)
        columns[block.dtype.names.index("first")] = pa.array(np.ascontiguousarray(kept["first"]))
        moves, visits = (pa.array(np.ascontiguousarray(kept.candidates[name])) for name in ("move16", "visits"))
        of = schema.field("candidates").type
        columns.append(pa.ListArray.from_arrays(pa.array(offsets), pa.StructArray.from_arrays([moves, visits], fields=list(of.value_type)), type=of))
    if decoded:
        columns += _decoded(pa, block, convention, threads)
    return columns


def _decoded(pa: Any, block: Any, convention: str | None, threads: int | None) -> list[Any]:
    import numpy as np

    from .. import batch, moves

    found = training.decode(block, outputs=(*_DECODED, "move"), result_convention=convention, threads=threads, on_error="report")
    bad = np.zeros(len(block), np.int32)
    bad[found.bad_rows] = found.bad_status
    missing = bad != 0
    status = np.zeros(len(block), np.int32)
    texts = batch.sfens(block, threads=threads, row_status=status)
    usi = [moves.Move(move).to_usi() if move else None for move in found.move.tolist()]
    columns = [pa.array(texts, pa.string(), mask=status != 0), pa.array(usi, pa.string(), mask=missing)]
    columns += [pa.array(np.ascontiguousarray(found.arrays[name]), mask=missing) for name in _DECODED]
    return [*columns, pa.array(bad)]


def to_arrow(records: Any, *, decoded: bool = False, result_convention: str | None = None, threads: int | None = None) -> pyarrow.Table:
    """Records as a table of Arrow, in memory; the columns are those of ``export``. Needs pyarrow: ``pip install 'komadori[arrow]'``.

    ``to_arrow(data[:1000], decoded=True).to_pandas()`` is a data frame.

    Args:
        records: What ``training.open`` takes, rows of it too.
        decoded, result_convention, threads: As for ``export``.
    """
    pa = _pyarrow("to_arrow")
    data = training.open(records)
    schema = _schema(pa, data.dtype, decoded, data.format == "hcpe3")
    return pa.table(_columns(pa, schema, data[:], decoded, result_convention, threads), schema=schema)


def from_arrow(table: pyarrow.Table | str | os.PathLike[str]) -> npt.NDArray[np.void]:
    """The records of a table that ``to_arrow`` or ``export`` made, byte for byte: a new array. Rows may have been left out or put in another order.

    Args:
        table: A table, or a file of ``export``.

    Raises:
        ValueError: The table does not say which records its rows are, or they were HCPE3, whose games it does not hold.
    """
    import ast

    import numpy as np

    pa = _pyarrow("from_arrow")
    if isinstance(table, (str, os.PathLike)):
        import pyarrow.parquet as pq

        name = os.fspath(table)
        if Path(name).suffix.lower() == ".parquet":
            table = pq.read_table(name)
        else:
            with pa.OSFile(name) as file:
                table = pa.ipc.open_file(file).read_all()
    told = (table.schema.metadata or {}).get(b"komadori.dtype")
    if told is None or "candidates" in table.schema.names:
        raise ValueError("the table does not hold records of hcpe, hcpe2 or psv as export writes them")
    dtype = np.dtype([tuple(item) for item in ast.literal_eval(told.decode())])
    made = np.zeros(table.num_rows, dtype)
    for field in dtype.names or ():
        column = table[field].combine_chunks()
        if dtype[field].subdtype is None:
            made[field] = column.to_numpy(zero_copy_only=False)
        elif len(made):
            width = dtype[field].itemsize
            raw = np.frombuffer(column.buffers()[1], np.uint8)[column.offset * width :]
            made[field] = raw[: len(made) * width].reshape(-1, width)
    return made


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{what} needs pyarrow ({error}): {_install.extra('arrow')}") from error
    return pyarrow
