"""What one does with files of training data: look at them, check them, write them anew. The command ``komadori`` is a thin layer over this.

==============  =========================================================================================================
``info``        format, size and rows of files
``stats``       results, evaluations, plies, duplicates, illegal moves, broken rows, in one pass
``check``       every row that cannot be used, and why
``verify``      whether arrays that another loader made are equal to those of this library, and how long both took
``head``        rows with their boards
``convert``     into another format (``training.convert``)
``records``     from games, with evaluations of a search or of the games
``shuffle``     in a random order, also where the data is larger than memory
``split``       into several files, by game, position or row
``dedupe``      each position once
``sample``      some rows at random
``export``      to Parquet or Arrow; needs pyarrow, as do ``to_arrow`` and ``from_arrow``, tables in memory
==============  =========================================================================================================

Sources are whatever ``training.open`` takes. All functions read in blocks: memory does not grow with the files, or is bounded by ``memory``, bytes. Files that
are written appear whole or not at all. The same arguments give the same bytes, on any number of threads. ``progress`` is called with the rows done and
their total, now and then. docs/tools.md has examples.
"""

from __future__ import annotations

from ..training import convert
from ._arrow import export, from_arrow, to_arrow
from ._check import Bad, CheckReport, Compared, FileInfo, Stats, VerifyReport, check, head, info, stats, verify
from ._games import RecordsReport, records
from ._rewrite import DedupeReport, SplitReport, dedupe, sample, shuffle, split

__all__ = [
    "Bad",
    "CheckReport",
    "Compared",
    "DedupeReport",
    "FileInfo",
    "RecordsReport",
    "SplitReport",
    "Stats",
    "VerifyReport",
    "check",
    "convert",
    "dedupe",
    "export",
    "from_arrow",
    "head",
    "info",
    "records",
    "sample",
    "shuffle",
    "split",
    "stats",
    "to_arrow",
    "verify",
]
