"""Game records: what readers of the shared collection agree on, trees, errors, batches."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import komadori
import vectorset
from komadori import Board, Color, Ending, GameEnd, GameResult, IllegalMoveError, InvalidPositionError, InvalidValueError, Kifu, Move, ParseError, Score
from komadori.kifu import WarningKind, parse_batch, read_games
from komadori.viewer import Viewer

SHORT = """手合割：平手
先手：A
後手：B
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:02/00:00:02)
*一
*二
   2 ３四歩(33)   ( 0:01/00:00:01)
   3 投了
"""


def test_real_records() -> None:
    """Main line, end, result and variations are those of the index, from a path, bytes and a changed tree."""
    n = 0
    for row in vectorset.rows("games/index.jsonl"):
        if not row["initial_sfen"]:
            continue
        path = vectorset.path("games/" + row["file"])
        kifu = komadori.read(path)
        assert [m.to_usi() for m in kifu.moves] == row["usi"].split(), row["file"]
        assert len(kifu) == row["plies"] and len(kifu.variations) == row["branches"]
        assert {None: None, 0: "black", 1: "white", 2: "draw"}[kifu.result] == row["result"]
        assert kifu.board_at(-1).to_sfen().rsplit(" ", 1)[0] == row["final_sfen"].rsplit(" ", 1)[0]
        assert kifu.source == str(path)
        assert [node.ply for node in kifu.main_line() if node.is_illegal] == ([row["first_illegal_ply"]] if not row["all_legal"] else [])
        again = komadori.read(path.read_bytes())
        assert again == kifu == copy.deepcopy(kifu) == pickle.loads(pickle.dumps(kifu))
        again.root.comment = again.root.comment  # makes the block anew
        assert again == kifu, row["file"]
        n += 1
    vectorset.count("games/index.jsonl", n)


def test_what_a_record_says() -> None:
    kifu = komadori.read(SHORT)
    assert kifu.start == Board().to_sfen()
    assert kifu.headers == {"先手": "A", "後手": "B"}
    assert kifu.comments == {1: "一\n二"}
    assert kifu.times_ms == [2000, 1000]
    assert (kifu.result, kifu.ending, kifu.end) == (GameResult.WHITE_WIN, Ending.RESIGN, GameEnd.WHITE_WIN)
    assert (kifu.format, kifu.encoding, kifu.warnings, kifu.source) == ("kif", "utf-8", (), None)
    assert [node.ply for node in kifu.nodes()] == [1, 2, 2]
    assert kifu.node_at(-1).move == Move.from_usi("3c3d")
    assert [board.to_sfen() for _, board in kifu.boards()] == [kifu.board_at(1).to_sfen(), kifu.board_at(2).to_sfen()]
    assert kifu.board_at(2).history_length == 2
    with pytest.raises(IndexError):
        kifu.board_at(3)
    with pytest.raises(IndexError):
        kifu.node_at(-4)


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.kif"
    path.write_bytes(SHORT.encode("cp932"))
    kifu = komadori.read(path)
    assert kifu.encoding == "cp932" and kifu == komadori.read(str(path)) == komadori.read(path.read_bytes(), encoding="shift_jis")
    assert komadori.read("position startpos moves 7g7f").moves[0] == Move.from_usi("7g7f")
    assert komadori.read("7g7f 3c3d resign", "usi").ending is Ending.RESIGN
    with pytest.raises(FileNotFoundError):
        komadori.read(str(tmp_path / "none.kif"))
    with pytest.raises(FileNotFoundError):
        komadori.read("none.csa")
    with pytest.raises(TypeError):
        komadori.read(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format is 'pgn'"):
        komadori.read(SHORT, "pgn")
    with pytest.raises(ValueError, match="encoding is 'latin-1'"):
        komadori.read(SHORT.encode(), encoding="latin-1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc-jp", "iso-2022-jp", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings(encoding: str, newline: str) -> None:
    """Every encoding is found out, with every end of line, and the last line may lack it."""
    for text in (SHORT, SHORT.rstrip("\n")):
        kifu = komadori.read(text.replace("\n", newline).encode(encoding))
        assert kifu == komadori.read(SHORT)
        assert kifu.encoding == {"utf-8-sig": "utf-8"}.get(encoding, encoding)


def test_errors_tell_the_place_and_keep_what_was_read() -> None:
    with pytest.raises(ParseError) as caught:
        komadori.read(SHORT.replace("３四歩(33)", "３四犬(33)"))
    error = caught.value
    assert (error.line, error.column) == (8, 8) and "line 8, column 8" in str(error)
    assert error.kifu is not None and [m.to_usi() for m in error.kifu.moves] == ["7g7f"] and error.kifu.headers["後手"] == "B"


def test_illegal_moves_are_kept_or_refused() -> None:
    text = SHORT.replace("３四歩(33)", "５五角打")
    kifu = komadori.read(text)
    assert kifu.moves[1].to_usi() == "B*5e" and kifu.node_at(2).is_illegal and not kifu.node_at(1).is_illegal
    assert [w.kind for w in kifu.warnings] == [WarningKind.UNPLAYED] and kifu.warnings[0].line == 8
    assert kifu.board_at(2) == kifu.board_at(1)
    with pytest.raises(IllegalMoveError) as caught:
        komadori.read(text, refuse_illegal=True)
    assert caught.value.line == 8 and caught.value.kifu is not None and len(caught.value.kifu) == 1
    two_pawns = komadori.read("position sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1 moves P*5f 5a5b 5f5e")
    assert [node.is_illegal for node in two_pawns.main_line()] == [True, False, False]
    assert two_pawns.result is None and len(two_pawns) == 3
    with pytest.raises(InvalidPositionError):
        two_pawns.board_at(1)


def test_tree() -> None:
    kifu = Kifu(headers={"先手": "A"})
    last = kifu.root.add_line(["7g7f", "3c3d", "2g2f"])
    other = kifu.node_at(1).add("8c8d", comment="another", time_ms=1500)
    assert kifu.node_at(1).add("8c8d") is other and other.ply == 2 and not other.is_main and last.is_main
    other.add("7i6h")
    last.add_ending(Ending.RESIGN)
    assert kifu.result is GameResult.BLACK_WIN and kifu.variations == (other,)
    assert last.children[0].result is GameResult.BLACK_WIN
    assert [m.to_usi() for m in other.moves] == ["8c8d", "7i6h"] and other.board().to_sfen() == other.path[-1].board().to_sfen()
    with pytest.raises(IllegalMoveError):
        other.add("5e5d")
    with pytest.raises(IllegalMoveError):
        last.children[0].add("8c8d")
    assert len(other.children) == 1
    other.promote()
    assert [m.to_usi() for m in kifu.moves] == ["7g7f", "8c8d", "7i6h"] and kifu.ending is None and other.is_main
    other.demote()
    assert kifu.ending is Ending.RESIGN
    other.children[0].promote_to_main()
    assert len(kifu) == 3 and kifu.comments == {2: "another"} and kifu.times_ms == [None, 1500, None]
    merged = Kifu()
    merged.root.add_line(["7g7f", "8c8d", "6i7h"])
    merged.merge(kifu)
    merged.merge(kifu)
    assert [n.ply for n in merged.variations] == [2, 3] and merged.comments == {2: "another"}
    other.remove()
    assert [m.to_usi() for m in kifu.moves] == ["7g7f", "3c3d", "2g2f"]
    with pytest.raises(ValueError, match="start"):
        kifu.root.remove()
    with pytest.raises(ValueError, match="starts"):
        kifu.merge(Kifu(Board.handicap("角落ち").to_sfen()))
    kifu.headers["後手"] = "B"
    assert pickle.loads(pickle.dumps(kifu)).headers == {"先手": "A", "後手": "B"}


def test_from_a_board() -> None:
    board = Board.handicap("角落ち")
    board.push_usi("3c3d")
    kifu = Kifu(board)
    assert kifu.start == Board.handicap("角落ち").to_sfen() and [m.to_usi() for m in kifu.moves] == ["3c3d"]


def test_several_games() -> None:
    text = "V2.2\nPI\n+\n+7776FU\n%TORYO\n/\nV2.2\nPI82HI\n-\n-3334FU\n%CHUDAN\n"
    first, second = read_games(text)
    assert first.ending is Ending.RESIGN and second.start.startswith("lnsgkgsnl/7b1/")
    with pytest.raises(ValueError, match="2 games"):
        komadori.read(text)


def test_batches() -> None:
    """Any number of threads gives what one text at a time gives; a bad text spoils no other."""
    texts: list[str | bytes] = [SHORT, SHORT.encode("cp932"), "V2.2\nPI\n+\n+7776FU\n-9999XX\n", "hello\n", "V2.2\nPI\n+\n+7776FU\n/\nV2.2\nPI\n+\n"] * 40
    for threads in (1, 2, None):
        batch = parse_batch(texts, threads=threads)
        assert len(batch) == 160 and batch.texts[:5] == [0, 1, 4, 4, 5] and sorted(batch.errors) == [i for i in range(200) if i % 5 in (2, 3)]
        assert batch[0] == komadori.read(SHORT) == batch[1] and len(batch[2:4]) == 2
        kept = batch.errors[2].kifu  # type: ignore[attr-defined]
        assert [m.to_usi() for m in kept.moves] == ["7g7f"]
    assert list(parse_batch([])) == []
    for number, error in parse_batch(nothing := [b"", SHORT, "hello\n", b"\0" * 40, " \n"]).errors.items():  # what read says of them
        with pytest.raises(ParseError) as alone:
            komadori.read(nothing[number])
        assert str(error) == str(alone.value) and (error.line, error.row) == (alone.value.line, number)  # type: ignore[attr-defined]
    for wrong in (SHORT, SHORT.encode(), None, 3):
        with pytest.raises(TypeError, match="texts must be"):
            parse_batch(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"texts\[70\] must be str or bytes, not int"):
        parse_batch([SHORT] * 70 + [3])  # type: ignore[list-item]


def test_batches_of_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts keep their numbers and their order, whether they are read as they are made ready or beside that."""
    monkeypatch.setattr("komadori.kifu._MOST_TEXTS", 64)
    moves = ["7g7f", "2g2f", "6i7h", "9g9f"]
    texts = [f"startpos moves {moves[i % 4]}" for i in range(1000)]
    texts[700], texts[64] = "nothing", texts[64] + "\n" + texts[64]
    for threads in (1, 2):
        batch = parse_batch(iter(texts), "usi", threads=threads)
        assert list(batch.errors) == [700] and batch.texts == [*range(64), 64, *range(64, 700), *range(701, 1000)]
        assert [kifu.moves[0].to_usi() for kifu in batch] == [moves[i % 4] for i in batch.texts] == [batch[i].moves[0].to_usi() for i in range(1000)]
        assert batch[-1].moves == batch[999].moves and [kifu.moves for kifu in batch[998:]] == [batch[998].moves, batch[999].moves]
        with pytest.raises(IndexError):
            batch[1000]

    def breaks() -> Iterator[str]:
        yield from texts[:600]
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError, match="gone"):
        parse_batch(breaks(), "usi", threads=2)


def test_losses_are_one_each() -> None:
    kifu = komadori.Kifu()
    kifu.headers["a\u2028b"] = kifu.headers["x\x85y"] = "c"  # what Python takes for ends of lines
    assert kifu.losses("usi") == ("header a\u2028b", "header x\x85y")
    assert kifu.losses("ki2") == ()


def test_read_all(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.csa").write_text("V2.2\nPI\n+\n+7776FU\n/\nV2.2\nPI\n+\n", encoding="utf-8")
    (tmp_path / "a.kif").write_bytes(SHORT.encode("cp932"))
    (tmp_path / "bad.ki2").write_text("▲７六歩 △３四犬\n", encoding="utf-8")
    (tmp_path / "note.txt").write_text("not a record", encoding="utf-8")
    games = komadori.read_all(tmp_path)
    assert [Path(str(kifu.source)).name for kifu in games] == ["a.kif", "b.csa", "b.csa"]
    ((name, error),) = games.errors
    assert name.endswith("bad.ki2") and isinstance(error, ParseError) and error.kifu is not None and len(error.kifu) == 1
    missing = komadori.read_all([tmp_path / "none.kif", tmp_path / "a.kif"])
    assert len(list(missing)) == 1 and isinstance(missing.errors[0][1], FileNotFoundError)
    (tmp_path / "lost.kif").symlink_to(tmp_path / "none.kif")  # a record that was moved away is not passed over
    games = komadori.read_all(tmp_path)
    assert len(list(games)) == 3
    assert {Path(name).name: type(error) for name, error in games.errors} == {"bad.ki2": ParseError, "lost.kif": FileNotFoundError}


def test_what_is_no_file(tmp_path: Path) -> None:
    """A path that is a folder or a pipe is not taken for text, nothing waits for a pipe, and what may have been meant as a path is said."""
    os.mkfifo(tmp_path / "pipe")
    for path, error in ((tmp_path, IsADirectoryError), (tmp_path / "pipe", OSError), (Path("/dev/null"), OSError), (tmp_path / "none.kif", FileNotFoundError)):
        for source in (path, str(path)):
            with pytest.raises(error) as caught:
                komadori.read(source)
            assert caught.value.errno and caught.value.filename == str(path)
    with pytest.raises(ParseError, match="taken for text, as there is no file of that name"):
        komadori.read("no/such.txt")
    (tmp_path / "empty.kif").touch()
    (tmp_path / "in.kif").mkdir()
    games = komadori.read_all(["/dev/null", tmp_path / "pipe", tmp_path, "a\0b", ""])
    assert list(games) == []
    assert {name.rsplit("/", 1)[-1]: type(error) for name, error in games.errors} == {
        "null": OSError, "pipe": OSError, "empty.kif": ParseError, "a\0b": ValueError, "": FileNotFoundError
    }  # fmt: skip
    (empty,) = (error for _, error in games.errors if isinstance(error, ParseError))
    assert "nothing to read" in str(empty) and empty.row is None and empty.kifu is not None and len(empty.kifu) == 0
    for wrong, name in ((None, "paths"), ([tmp_path, 3], r"paths\[1\]"), ([b"a.kif"], r"paths\[0\]")):
        with pytest.raises(TypeError, match=f"^{name} must be"):
            komadori.read_all(wrong)  # type: ignore[arg-type]


def test_odd_arguments() -> None:
    """They are refused by name, and the record stays as it is."""
    with pytest.raises(TypeError, match="source must be"):
        komadori.read(3)  # type: ignore[arg-type]
    for encoding in ("latin-1", 3, "ascii"):
        with pytest.raises(ValueError, match="encoding is"):
            komadori.read(SHORT, encoding=encoding)  # type: ignore[arg-type]
    for encoding in ("SJIS", "ms932", "Windows-31J", "UTF8", "eucJP"):
        assert len(komadori.read(SHORT, encoding=encoding)) == 2
    with pytest.raises(TypeError, match="refuse_illegal must be bool"):
        komadori.read(SHORT, refuse_illegal="no")  # type: ignore[arg-type]
    kifu = komadori.read(SHORT)
    before, node = kifu.to_jkf(), kifu.node_at(1)
    for name, value in {"comment": "\ud800", "remark": None, "bookmarks": "x", "time_ms": -1, "move": None, "parent": None, "ending": 3, "kifu": None}.items():
        with pytest.raises((TypeError, ValueError, AttributeError)):
            setattr(node, name, value)
    with pytest.raises(TypeError, match="ending must be"):
        node.add_ending("resign")  # type: ignore[arg-type]
    assert kifu.to_jkf() == before
    text = "V2.2\nPI\n+\n+7776FU\n/\nV2.2\nPI\n+\n+7776XX\n"
    with pytest.raises(ParseError) as caught:
        read_games(text)
    assert [len(k) for k in caught.value.games] == [1] and caught.value.kifu is not None and len(caught.value.kifu) == 0


def test_large_files_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that lie across the parts come out whole and once."""
    monkeypatch.setattr("komadori.kifu._MOST_BYTES", 1000)
    csa = "V2.2\nN+p{0}\nPI\n+\n+7776FU\nT1\n-3334FU\n%TORYO\n"
    (tmp_path / "a.csa").write_text("/\n".join(csa.format(i) for i in range(300)), encoding="utf-8")
    (tmp_path / "a.usi").write_text("".join(f"startpos moves {m} 3c3d\n" for m in ["7g7f", "2g2f", "6i7h"] * 100), encoding="utf-8")
    kif = [komadori.read(csa.format(i)).to_kif() for i in range(100)]
    kif[70] = kif[70].replace("３四歩", "３四犬")
    (tmp_path / "b.kif").write_text("".join(kif), encoding="cp932")
    (tmp_path / "c.kif").write_text("".join(kif[:3]).replace("#KIF", "# IF"), encoding="utf-8")  # nothing parts these games for sure
    reading = komadori.read_all(tmp_path)
    games = list(reading)
    assert [k.headers["先手"] for k in games[:300]] == [f"p{i}" for i in range(300)]
    assert [k.moves[0].to_usi() for k in games[300:600]] == ["7g7f", "2g2f", "6i7h"] * 100
    assert [k.headers["先手"] for k in games[600:]] == [f"p{i}" for i in range(100) if i != 70] + ["p0", "p1", "p2"]
    ((name, error),) = reading.errors
    line = next(i for i, text in enumerate("".join(kif).splitlines(), 1) if "３四犬" in text)
    assert name.endswith("b.kif") and isinstance(error, ParseError) and error.line == line and f"line {line}," in str(error)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_records_go_on_in_a_child() -> None:
    kifu = komadori.read(SHORT)
    child = os.fork()
    if child == 0:
        os._exit(0 if kifu.board_at(2).history_length == 2 and komadori.read(SHORT) == kifu else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_writing(tmp_path: Path) -> None:
    kifu = komadori.read(SHORT)
    kifu.node_at(1).add("8c8d", comment="other")
    for name in ("a.kif", "a.ki2", "a.csa", "a.jkf", "a.kifu"):
        kifu.write(tmp_path / name)
        again = komadori.read(tmp_path / name)
        assert again.moves == kifu.moves and again.headers == kifu.headers and again.comments == kifu.comments and again.result is kifu.result
        assert (len(again.variations) == 1) == (name != "a.csa")
    assert komadori.read(kifu.to_kif()) == kifu and komadori.read(kifu.to_jkf()) == kifu and kifu.losses("kif") == kifu.losses("jkf") == ()
    assert kifu.losses("csa") == ("1 variation", "1 comment")
    kifu.write(tmp_path / "b.kif", encoding="cp932")
    assert "encoding=Shift_JIS" in (tmp_path / "b.kif").read_bytes().decode("cp932") and komadori.read(tmp_path / "b.kif") == kifu
    kifu.headers["場所"] = "𠮷野"
    with pytest.raises(InvalidValueError, match="cp932 has no"):
        kifu.write(tmp_path / "b.kif", encoding="cp932")
    assert "場所" not in komadori.read(tmp_path / "b.kif").headers  # the old file stays
    with pytest.raises(ValueError, match="ends like no format"):
        kifu.write(tmp_path / "b.txt")
    with pytest.raises(ValueError, match="version is '1'"):
        kifu.to_csa("1")
    passed = komadori.read("position startpos moves 7g7f null 2g2f")
    assert passed.to_usi() == "position startpos moves 7g7f null 2g2f"
    with pytest.raises(InvalidValueError, match="move 2"):
        passed.to_kif()


def test_pasted_positions() -> None:
    for board in (Board(), Board.handicap("二枚落ち"), Board("4k4/9/4P4/9/9/9/9/9/9 b G 1")):
        for text in (board.to_sfen(), board.to_position(), board.to_csa(), board.to_bod(), f"sfen {board.to_sfen()}"):
            assert Board.parse(text).to_sfen() == board.to_sfen(), text
    assert Board.parse(SHORT).ply == 3
    with pytest.raises(ParseError):
        Board.parse("hello")
    with pytest.raises(TypeError):
        Board.parse(b"")  # type: ignore[arg-type]


@pytest.mark.parametrize("style", ["shogihome", "shogigui", "floodgate"])
def test_what_an_engine_says_is_read_back(style: str) -> None:
    """In the comments that programs write: after KIF and CSA it is the same score, line, depth and count."""
    rest = {} if style == "floodgate" else {"depth": 12, "nodes": 34567}
    kifu = Kifu()
    kifu.root.add_line(["7g7f", "3c3d"])
    kifu.root.add_analysis(-7, style=style)
    kifu.node_at(1).add_analysis(Score(cp=45, view=Color.WHITE), ["3c3d", "8h2b+", Move.from_usi("3a2b"), "B*5e"], style=style, **rest)
    kifu.node_at(2).comment = "prose"
    wanted = [
        (0, Score(cp=-7, view=Color.BLACK), [], 0, 0),
        (1, Score(cp=-45, view=Color.BLACK), ["3c3d", "8h2b+", "3a2b", "B*5e"], *(rest.values() or (0, 0))),
    ]
    if style != "floodgate":
        for mate in (9, -4):
            kifu.node_at(2).add_analysis(Score(mate=mate, view=Color.BLACK), ["8h2b+"], style=style)
            wanted.append((2, Score(mate=mate, view=Color.BLACK), ["8h2b+"], 0, 0))
    else:
        with pytest.raises(ValueError, match="no place for a mate"):
            kifu.node_at(2).add_analysis(Score(mate=3, view=Color.BLACK), style=style)
    for again in (kifu, komadori.read(kifu.to_kif()), komadori.read(kifu.to_csa()), komadori.read(kifu.to_jkf())):
        assert [(a.node.ply, a.score, [m.to_usi() for m in a.pv], a.depth, a.nodes) for a in again.analyses] == wanted
        assert all(a.start is a.node for a in again.analyses)
    before = kifu.to_kif()
    for wrong in (
        {"score": 1, "pv": ["7g7f"]},
        {"score": Score(cp=1)},
        {"score": "1"},
        {"score": 1, "style": "x"},
        {"score": 1, "depth": -1},
        {"score": 1, "pv": 3},
        {"score": 1, "pv": [3]},
    ):
        with pytest.raises((IllegalMoveError, TypeError, ValueError)):
            kifu.node_at(1).add_analysis(**{"style": style, **wrong})  # type: ignore[arg-type]
    assert kifu.to_kif() == before


def test_what_engines_said() -> None:
    kifu = komadori.read("V2.2\nPI\n+\n+7776FU\nT1\n'** 130 7g7f 8c8d\n-3334FU\n'** -40 +2726FU\n+2726FU\n'*#詰み=後手勝ち:8手\n-8384FU\n%TORYO\n")
    first, second, third = kifu.analyses
    assert (first.node.ply, first.start.ply, first.score.cp, [m.to_usi() for m in first.pv]) == (1, 0, 130, ["7g7f", "8c8d"])
    assert (second.start.ply, second.score.cp, [m.to_usi() for m in second.pv]) == (2, -40, ["2g2f"])
    assert third.score.mate == -8 and third.score.view is Color.BLACK
    assert [score.cp if score else None for score in kifu.scores] == [130, -40, None, None]


def test_training_records() -> None:
    kifu = komadori.read("V2.2\nPI\n+\n+7776FU\n'** 130\n-3334FU\n'** -40\n+2726FU\n-8384FU\n%TORYO\n")
    records = kifu.to_records()
    assert records["eval"].tolist() == [130, 40, 0, 0] and len(records) == 4
    assert kifu.to_records("psv", evals=[1, 2, 3, 4])["score"].tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="who has won"):
        komadori.read("7g7f", "usi").to_records()
    with pytest.raises(InvalidValueError, match="against the rules"):
        komadori.read("7g7e 3c3d resign", "usi").to_records()


def test_nodes_that_are_gone() -> None:
    kifu = Kifu()
    last = kifu.root.add_line(["7g7f", "3c3d", "2g2f"])
    middle = kifu.node_at(2)
    middle.remove()
    for gone in (middle, last):
        with pytest.raises(ValueError, match="removed"):
            gone.board()
        with pytest.raises(ValueError, match="removed"):
            gone.add("8c8d")
    with pytest.raises(IllegalMoveError):
        kifu.root.add_line(["2g2f", "8c8d", "8c8d"])
    with pytest.raises(TypeError, match="moves must have Move or str, not int"):
        kifu.root.add_line(["7g7f", "8c8d", 3])  # type: ignore[list-item]
    assert [node.move.to_usi() for node in kifu.nodes() if node.move] == ["7g7f"]
    with pytest.raises(TypeError):
        kifu.board_at(1.0)  # type: ignore[arg-type]
    with pytest.raises(IllegalMoveError):
        kifu.root.add("P*5e", illegal=True).add("3c3d", illegal=True)
    cannot = kifu.variations[-1]
    assert cannot.is_illegal and len(cannot.children) == 0
    for add in (lambda: cannot.add("3c3d"), lambda: cannot.add_line(["3c3d", "2g2f"])):
        with pytest.raises(IllegalMoveError, match="cannot show"):
            add()
    assert len(cannot.children) == 0 and kifu.copy() == kifu


def test_a_refused_promotion_changes_nothing() -> None:
    kifu = Kifu()
    kifu.root.add("7g7f")
    other = kifu.root.add_line(["2g2f", "8c8d", "2f2e"])
    other.parent.remove()
    before = kifu.copy()
    with pytest.raises(ValueError, match="removed"):
        other.promote_to_main()
    assert kifu == before


def test_halves_of_characters_are_refused() -> None:
    """No file could hold them, and a viewer that does could not be saved."""
    kifu = Kifu()
    node = kifu.add("7g7f")
    for change in (
        lambda: kifu.add("3c3d", comment="a\ud800"),
        lambda: setattr(node, "comment", "\udfff"),
        lambda: setattr(node, "bookmarks", ["\ud800"]),
        lambda: node.add_ending(Ending.OTHER, words="\ud800"),
        lambda: Kifu(headers={"先手": "\ud800"}).to_kif(),
        lambda: Viewer(kifu, title="\ud800"),
    ):
        with pytest.raises(InvalidValueError, match="half of a character"):
            change()
    assert len(kifu) == 1 and node.comment == "" and kifu.copy() == kifu


def test_a_comment_is_taken_over_once() -> None:
    one, other = Kifu(), Kifu()
    one.add("7g7f", comment="x")
    other.add("7g7f", comment="y\nz")
    for _ in range(3):
        one.merge(other)
    assert one.comments == {1: "x\ny\nz"}
    other.node_at(1).comment = "z"
    one.merge(other)
    assert one.comments == {1: "x\ny\nz"}
    other.node_at(1).comment = "x\nz"
    one.merge(other)
    assert one.comments == {1: "x\ny\nz\nx\nz"}


def test_bookmarks_are_kept() -> None:
    """Also those without a name; a name is one line, as in the formats."""
    kifu = Kifu()
    for names, kept in ((["", "x"], ("", "x")), ([""], ("",)), (["a\r\nb", "c\n"], ("a", "b", "c", ""))):
        kifu.root.add("7g7f").bookmarks = names
        assert kifu.root.children[0].bookmarks == kept
        assert kifu.copy() == kifu == komadori.read(kifu.to_kif(), "kif") == komadori.read(kifu.to_jkf(), "jkf")


def test_words_of_endings_that_are_lost() -> None:
    kifu = Kifu()
    kifu.root.add("7g7f").add_ending(Ending.RESIGN, words="I resign")
    for format in ("kif", "ki2", "csa", "jkf"):
        assert kifu.losses(format) == ('the words "I resign" of an ending',)
    guilty = komadori.read("V2.2\nPI\n+\n+7776FU\n%-ILLEGAL_ACTION\n")
    assert guilty.losses("csa") == () and len(guilty.losses("kif")) == 1 and komadori.read(guilty.to_csa()) == guilty


def test_long_games_are_made_soon() -> None:
    """A line is added without the record being made anew for each move."""
    kifu = Kifu("4k4/9/9/9/9/9/9/9/4K4 b - 1")
    kifu.root.add_line(["5i5h", "5a5b", "5h5i", "5b5a"] * 1000)
    assert len(kifu) == 4000 and len(komadori.read(kifu.to_kif())) == 4000


def test_line_ends_of_comments_are_line_feeds() -> None:
    kifu = Kifu()
    kifu.add("7g7f", comment="a\r\nb")
    kifu.add("3c3d", comment="\r")
    kifu.last.add_ending(Ending.RESIGN, comment="c\rd")
    assert [node.comment for node in kifu.nodes()] == ["a\nb", "\n", "c\nd"]
    assert komadori.read(kifu.to_kif()).comments == kifu.comments


def test_times_are_those_that_can_be_read_again() -> None:
    kifu = Kifu()
    most = 10**9 * 60_000 - 1000
    kifu.add("7g7f", time_ms=most)
    assert komadori.read(kifu.to_kif()).times_ms == komadori.read(kifu.to_csa()).times_ms == [most]
    for bad in (-1, 10**9 * 60_000, 10**15):
        with pytest.raises(ValueError, match=r"time_ms is .*, want 0\.\."):
            kifu.node_at(1).time_ms = bad
    assert kifu.times_ms == [most]
