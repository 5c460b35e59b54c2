"""Opening books."""

from __future__ import annotations

import os
import pickle
import shutil
from collections import Counter
from pathlib import Path

import pytest

from komadori import Board, Color, HandleError, Move, ParseError
from komadori.book import Book, BookMove
from komadori.search import Score

START = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
TEXT = f"#YANEURAOU-DB2016 1.00\n{START}\n7g7f 3c3d 63 27 90\n2g2f none none none 10\n1a9i none 0 0 5\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "本.db"
    made.write_text(TEXT, encoding="utf-8")
    return made


def test_lookup(path: Path) -> None:
    with Book(path) as book:
        assert book.positions == 1
        assert book.lookup(Board()) == (
            BookMove(Move.from_usi("7g7f"), Move.from_usi("3c3d"), Score(cp=63, view=Color.BLACK), 27, 90),
            BookMove(Move.from_usi("2g2f"), Move.NONE, None, 0, 10),
        )
        white = Board(START.removeprefix("sfen ").replace(" b ", " w "))
        assert [(m.move.to_usi(), m.score and m.score.view) for m in book.lookup(white)] == [("3c3d", Color.WHITE), ("8c8d", None)]
        later = Board(START.removeprefix("sfen ").replace(" 1", " 7"))
        assert len(book.lookup(later)) == 2
        assert book.lookup(Board.from_position("startpos moves 7g7f")) == ()
        assert Book(path, ignore_ply=False).lookup(later) == Book(path, flip=False).lookup(white) == ()
        with pytest.raises(TypeError):
            book.lookup("startpos")  # type: ignore[arg-type]
    with pytest.raises(HandleError):
        book.lookup(Board())
    book.close()


def test_choose(path: Path) -> None:
    book = Book(path)
    seen = Counter(book.choose(Board(), seed).move.to_usi() for seed in range(300))  # type: ignore[union-attr]
    assert set(seen) == {"7g7f", "2g2f"} and 240 < seen["7g7f"] < 295
    assert [book.choose(Board(), 5) for _ in range(3)] == [book.choose(Board(), 5)] * 3
    assert book.choose(Board.from_position("startpos moves 7g7f")) is None
    assert book.choose(Board()) in book.lookup(Board())


def test_bad_books(path: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Book(tmp_path / "none.db")
    path.write_text(f"{START}\nhello\n", encoding="utf-8")
    with pytest.raises(ParseError) as caught:
        Book(path)
    assert caught.value.offset == len(START) + 1
    (tmp_path / "a.bin").write_bytes(bytes(15))
    with pytest.raises(ParseError):
        Book(tmp_path / "a.bin")


def test_pickles_and_forks(path: Path) -> None:
    book = Book(path)
    again = pickle.loads(pickle.dumps(book))
    assert again.lookup(Board()) == book.lookup(Board())
    assert again.path == book.path == str(path)
    assert repr(book) == f"Book({str(path)!r})"
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            os._exit(0 if len(book.lookup(Board())) == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0
    moved = path.with_name("moved.db")
    shutil.move(path, moved)
    assert len(book.lookup(Board())) == 2  # the open file goes on
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickle.dumps(book))
