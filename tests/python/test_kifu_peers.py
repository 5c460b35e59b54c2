"""What is written is read by others: each text by two other libraries at least, where they are installed.

rsshogi, cshogi and python-shogi are asked in this process, tsshogi by node (``KOMADORI_TSSHOGI`` names a folder with its node_modules). Without two of them
that read a format its test is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import vectorset
from komadori import Kifu, read

Reader = Callable[[str], list[str]]

_NODE = """
const t = require('tsshogi');
const read = {kif: t.importKIF, ki2: t.importKI2, csa: t.importCSA, jkf: t.importJKFString};
for (const line of require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const [format, text] = JSON.parse(line);
  const record = read[format] ? read[format](text) : t.Record.newByUSI(text);
  const moves = record instanceof Error ? ['error: ' + record.message]
    : record.moves.slice(1).map(n => n.move).filter(m => m instanceof t.Move).map(m => m.usi);
  console.log(JSON.stringify(moves));
}
"""


def rsshogi_readers() -> dict[str, Reader]:
    record = pytest.importorskip("rsshogi.record").Record

    def moves(make: Callable[[str], Any]) -> Reader:
        return lambda text: [move.to_usi() if hasattr(move, "to_usi") else str(move) for move in (entry.move for entry in make(text).moves)]

    return {
        "kif": moves(record.from_kif_str),
        "ki2": moves(record.from_ki2_str),
        "csa": moves(record.from_csa_str),
        "jkf": moves(record.from_jkf_str),
        "usi": moves(lambda text: record.from_usi_position(text)),
    }


def cshogi_readers() -> dict[str, Reader]:
    cshogi = pytest.importorskip("cshogi")
    kif = pytest.importorskip("cshogi.KIF").Parser.parse_str
    csa = pytest.importorskip("cshogi.CSA").Parser.parse_str
    return {
        "kif": lambda text: [cshogi.move_to_usi(m) for m in kif(text).moves],
        "csa": lambda text: [cshogi.move_to_usi(m) for m in csa(text)[0].moves],
    }


def python_shogi_readers() -> dict[str, Reader]:
    kif = pytest.importorskip("shogi.KIF").Parser.parse_str
    csa = pytest.importorskip("shogi.CSA").Parser.parse_str
    return {"kif": lambda text: list(kif(text)[0]["moves"]), "csa": lambda text: list(csa(text)[0]["moves"])}


def tsshogi(texts: list[tuple[str, str]]) -> list[list[str]] | None:
    """The main lines that tsshogi reads; None without it."""
    folder = os.environ.get("KOMADORI_TSSHOGI")
    if not folder or shutil.which("node") is None:
        return None
    lines = "\n".join(json.dumps(text) for text in texts)
    done = subprocess.run(["node", "-e", _NODE], input=lines, cwd=folder, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def records() -> list[tuple[str, Kifu]]:
    """Records of every kind: those of the shared collection whose moves are legal, and a part of the vectors' games."""
    found = []
    for row in vectorset.rows("games/index.jsonl"):
        if row["verified"] and row["all_legal"]:
            found.append((row["file"], read(vectorset.path("games/" + row["file"]))))
    for row in vectorset.rows("vectors/games.jsonl.gz"):
        if row["id"] % 4 == 0 and row.get("jkf"):
            found.append((f"game {row['id']}", read(row["kif"], "kif")))
    return found


WRITERS: dict[str, Callable[[Kifu], str]] = {
    "kif": Kifu.to_kif,
    "ki2": Kifu.to_ki2,
    "csa": Kifu.to_csa,
    "csa3": lambda kifu: kifu.to_csa("3.0"),
    "jkf": Kifu.to_jkf,
    "usi": Kifu.to_usi,
}


@pytest.mark.parametrize("name", WRITERS)
def test_two_others_read_it(name: str) -> None:
    form = name.rstrip("3")
    peers: dict[str, Reader] = {}
    for library, make in (("rsshogi", rsshogi_readers), ("cshogi", cshogi_readers), ("python-shogi", python_shogi_readers)):
        try:
            readers = make()
        except pytest.skip.Exception:
            continue
        if form in readers:
            peers[library] = readers[form]
    texts = [(label, WRITERS[name](kifu), [m.to_usi() for m in kifu.moves]) for label, kifu in records()]
    others = tsshogi([(form, text) for _, text, _ in texts])
    if others is None and form == "kif":
        # cshogi and python-shogi put variations behind the main line, rsshogi refuses bookmarks, remarks and a header 手数: tsshogi has to be the second
        texts = [one for one in texts if not any(mark in one[1] for mark in ("\n変化：", "\n&", "\n#", "\n手数："))]
    if len(peers) + (others is not None) < 2:
        pytest.skip(f"fewer than two other readers of {form} are installed")
    few = []
    for i, (label, text, moves) in enumerate(texts):
        said = {}
        for library, reader in peers.items():
            try:
                said[library] = reader(text)
            except Exception as error:
                said[library] = [f"error: {error!r}"[:120]]
        if others is not None:
            said["tsshogi"] = others[i]
        if sum(one == moves for one in said.values()) < 2:
            few.append((label, {library: "right" if one == moves else one[:3] for library, one in said.items()}))
    assert not few, "\n".join(map(str, few))
    vectorset.count("vectors/games.jsonl.gz", len(texts))
