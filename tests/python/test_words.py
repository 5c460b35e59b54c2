"""Words for a move: five styles, KI2 as a value, and the records and vectors that use them."""

from __future__ import annotations

import copy
import os
import pickle
import random
import re
from typing import Any

import pytest

import vectorset
from komadori import (
    AmbiguousMoveError,
    Board,
    Color,
    HandleError,
    IllegalMoveError,
    InvalidValueError,
    Ki2Notation,
    Move,
    ParseError,
    PieceType,
    Setup,
    Square,
    Style,
)

WORDS = {Style.USI: "usi", Style.CSA: "csa", Style.KIF: "kif", Style.KI2: "ki2", Style.WESTERN: "western"}


def exchange() -> Board:
    return Board.from_position("startpos moves 7g7f 3c3d 8h2b+")


def test_words_of_a_move_in_five_styles() -> None:
    board, move = exchange(), Move.from_usi("3a2b")
    want = {"usi": "3a2b", "csa": "-3122GI", "kif": "同　銀(31)", "ki2": "△同　銀", "western": "Sx2b"}
    for name, text in want.items():
        assert getattr(board, name)(move) == text
        assert getattr(board, f"parse_{name}")(f" {text}\n") is move
    board.push(move)
    drop = Move.from_usi("B*5e")
    assert [board.kif(drop), board.ki2(drop), board.western(drop)] == ["５五角打", "▲５五角", "B*5e"]


def test_spellings_of_records() -> None:
    board = exchange()
    for text in ("△同銀", "▽同 銀", "☖２二銀", "22銀上", "２二同銀"):
        assert board.parse_ki2(text).to_usi() == "3a2b", text
    for text in ("同銀(31)", "同　銀（３１）", "22銀(31)"):
        assert board.parse_kif(text).to_usi() == "3a2b", text
    for text in ("3122GI", "-3122GI"):
        assert board.parse_csa(text).to_usi() == "3a2b", text
    for text in ("Sx22", "S31x22", "S-2b", "S2b"):
        assert board.parse_western(text).to_usi() == "3a2b", text


def test_the_history_says_what_same_means() -> None:
    board = exchange()
    without = Board(board.to_sfen())
    move = Move.from_usi("3a2b")
    assert without.ki2(move) == "△２二銀"
    assert without.kif(move) == "２二銀(31)"
    with pytest.raises(IllegalMoveError):
        without.parse_ki2("△同　銀")
    board.push_null()  # a pass goes nowhere
    board.push_null()
    assert board.ki2(move) == "△２二銀"


@pytest.mark.parametrize("name", WORDS.values())
def test_what_is_no_legal_move(name: str) -> None:
    board = Board()
    for move in (Move.from_usi("7g7e"), Move.RESIGN, Move.NULL, Move.NONE, Move(0xFFFF)):
        with pytest.raises(IllegalMoveError) as caught:
            getattr(board, name)(move)
        assert caught.value.move is move
        assert caught.value.sfen == board.to_sfen()
    with pytest.raises(TypeError):
        getattr(board, name)("7g7f")
    for junk in ("", "xyz", "７", "\0", "\ud800", "投了", "%TORYO", "7g7f7g7f"):
        with pytest.raises(ParseError) as unreadable:
            getattr(board, f"parse_{name}")(junk)
        assert unreadable.value.text == junk
        assert unreadable.value.offset is not None
    with pytest.raises(TypeError):
        getattr(board, f"parse_{name}")(7739)
    board.close()
    with pytest.raises(HandleError):
        getattr(board, f"parse_{name}")("7g7f")


def test_illegal_and_ambiguous_words_differ() -> None:
    board = Board()
    for text in ("▲５八金", "▲５八金上"):
        with pytest.raises(AmbiguousMoveError) as caught:
            board.parse_ki2(text)
        assert caught.value.sfen == board.to_sfen()
    for text in ("▲５八金直", "▲５五歩", "△３四歩", "▲同　歩", "▲７六歩打", "▲７六歩成"):
        with pytest.raises(IllegalMoveError) as refused:
            board.parse_ki2(text)
        assert not isinstance(refused.value, AmbiguousMoveError)
    with pytest.raises(ParseError) as unreadable:
        board.parse_ki2("▲５八金左左")
    assert unreadable.value.offset == 15  # bytes
    with pytest.raises(AmbiguousMoveError):
        board.parse_western("G-5h")
    with pytest.raises(IllegalMoveError):
        board.parse_csa("-7776FU")


def test_all_moves_at_once() -> None:
    board = Board("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1")
    moves = board.legal_moves()
    for style, name in WORDS.items():
        texts = board.format_moves(moves, style)
        assert len(set(texts)) == 593
        assert texts[::37] == [getattr(board, name)(move) for move in moves][::37]
        assert [getattr(board, f"parse_{name}")(text) for text in texts] == list(moves)
    assert board.format_moves([], Style.KI2) == []
    with pytest.raises(IllegalMoveError) as caught:
        board.format_moves([moves[0], Move.RESIGN], Style.KI2)
    assert (caught.value.row, caught.value.move) == (1, Move.RESIGN)
    with pytest.raises(ValueError, match="9"):
        board.format_moves(moves, 9)
    with pytest.raises(TypeError):
        board.format_moves(["7g7f"], Style.KI2)  # type: ignore[list-item]


def test_words_on_random_walks_turn_with_the_board() -> None:
    numbers = random.Random(4)
    swap = str.maketrans("右左", "左右")
    sides = str.maketrans("▲△", "△▲")
    digits = str.maketrans("１２３４５６７８９", "９８７６５４３２１")
    ranks = str.maketrans("一二三四五六七八九", "九八七六五四三二一")
    for _ in range(3):
        board = Board()
        for _ in range(80):
            moves = board.legal_moves()
            if not moves:
                break
            texts = board.format_moves(moves, Style.KI2)
            assert len(set(texts)) == len(texts)
            flipped, mirrored = board.flip_side(), board.mirror_file()  # they have no history: 同 is compared by the values below
            for move, text in zip(moves, texts, strict=True):
                if "同" in text:
                    continue
                assert flipped.ki2(move.flip_side()) == text.translate(sides).translate(digits).translate(ranks)
                assert mirrored.ki2(move.mirror_file()) == text.translate(swap).translate(digits)
            move = numbers.choice(list(moves))
            words = Ki2Notation.of(board, move)
            before = board.moves()[-1].to_square if board.history_length else Square.NONE
            assert Ki2Notation.of(flipped, move.flip_side(), before.flip_side()) == words.flip_side()
            assert Ki2Notation.of(mirrored, move.mirror_file(), before.mirror_file()) == words.mirror_file()
            assert words.resolve(board) is move
            board.push(move)


def test_ki2_notation_is_a_value() -> None:
    words = Ki2Notation.from_text("△５二銀左引不成")
    assert str(words) == "△５二銀左引不成"
    assert repr(words) == "Ki2Notation.from_text('△５二銀左引不成')"
    assert (words.color, words.is_same, words.to_square, words.piece_type) == (Color.WHITE, False, Square.from_usi("5b"), PieceType.SILVER)
    assert words == Ki2Notation(words.value) == Ki2Notation.from_text("▽52銀引左生")
    assert words != Ki2Notation.from_text("△５二銀左引成")
    assert words != words.value
    assert len({words, Ki2Notation(words.value)}) == 1
    assert int(words) == words.value
    assert str(words.flip_side()) == "▲５八銀左引不成"
    assert str(words.mirror_file()) == "△５二銀右引不成"
    assert words.flip_side().flip_side() == words
    same = Ki2Notation.from_text("▲同歩")
    assert (str(same), same.is_same, same.to_square) == ("▲同　歩", True, Square.NONE)
    assert same.mirror_file() == same
    for made in (pickle.loads(pickle.dumps(words)), copy.deepcopy(words)):
        assert made == words
    with pytest.raises(AttributeError):
        words.value = 3
    for bad in (0, -1, 1 << 32, 2**64, 82 << 2 | 1 << 9):
        with pytest.raises(InvalidValueError):
            Ki2Notation(bad)
    for wrong in ("44720", 1.5, None, True):
        with pytest.raises(TypeError):
            Ki2Notation(wrong)  # type: ignore[arg-type]
    for text in ("５八金右", "▲５八金右(49)", "▲５八金成", ""):
        with pytest.raises(ParseError):
            Ki2Notation.from_text(text)
    with pytest.raises(TypeError):
        Ki2Notation.from_text(5)  # type: ignore[arg-type]


def test_words_need_a_board() -> None:
    words = Ki2Notation.of(Board(), Move.from_usi("7g7f"))
    for wrong in (None, 0, "startpos", Setup("startpos")):
        with pytest.raises(TypeError):
            Ki2Notation.of(wrong, Move.from_usi("7g7f"))  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            words.resolve(wrong)  # type: ignore[arg-type]


def test_ki2_notation_resolves_strictly() -> None:
    board = exchange()
    move = Move.from_usi("3a2b")
    words = Ki2Notation.of(board, move)
    assert words.resolve(board) is move
    named = Ki2Notation.of(board, move, Square.NONE)
    assert str(named) == "△２二銀"
    assert named.resolve(board, Square.NONE) is move
    for wrong in (named, Ki2Notation.from_text("△同銀上"), words.flip_side()):
        with pytest.raises(IllegalMoveError) as caught:
            wrong.resolve(board)
        assert caught.value.sfen == board.to_sfen()
    with pytest.raises(IllegalMoveError) as refused:
        Ki2Notation.of(board, Move.from_usi("7g7f"))
    assert refused.value.move == Move.from_usi("7g7f")
    with pytest.raises(TypeError):
        Ki2Notation.of(board, "3a2b")  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError):
        words.resolve(board, 82)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_words_in_a_forked_child() -> None:
    board, words = exchange(), Ki2Notation.from_text("△同　銀")
    child = os.fork()
    if child == 0:
        good = board.ki2(Move.from_usi("3a2b")) == "△同　銀" and str(words.flip_side()) == "▲同　銀" and words.resolve(board).to_usi() == "3a2b"
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_vectors_words_of_moves() -> None:
    n = 0
    for row in vectorset.rows("vectors/move32.jsonl"):
        words = Ki2Notation.from_text(row["ki2"])
        assert (words.value, str(words)) == (row["ki2_u32"], row["ki2"])
        assert Ki2Notation(row["ki2_u32"]) == words
        n += 1
        try:
            board = Board(row["sfen"])
        except ValueError as error:  # a piece that can never move again
            assert "cannot stand there" in str(error)
            continue
        if row["prev"]:
            board.push_usi(row["prev"])
        move = Move.from_usi(row["usi"])
        assert (board.usi(move), board.csa(move), board.ki2(move)) == (row["usi"], row["csa"], row["ki2"]), row
        assert board.parse_usi(row["usi"]) is board.parse_csa(row["csa"]) is board.parse_ki2(row["ki2"]) is move
        assert board.parse_kif(board.kif(move)) is board.parse_western(board.western(move)) is move
        assert Ki2Notation.of(board, move) == words
        assert words.resolve(board) is move
        if row.get("ki2_tsshogi"):
            assert board.parse_ki2(row["ki2_tsshogi"]) is move
    vectorset.count("vectors/move32.jsonl", n)


# Words of a KIF record in the place of a move that end its line.
ENDINGS = ("投了", "中断", "千日手", "持将棋", "詰み", "切れ負け", "反則", "入玉", "不戦", "不詰", "最大手数", "Time-up")


def words_of_record(form: str, text: str) -> list[str]:
    """The words of the moves of a record's main line. This reader knows no more of a record than where they stand."""
    found = []
    for line in text.splitlines():
        if line.startswith(("変化：", "まで")) or (form == "csa" and line.startswith("%")):
            break
        if line.startswith(("*", "#", "'")) or (form != "csa" and "：" in line):
            continue
        if form == "kif":
            numbered = re.match(r"[ 　]*[0-9]+[ 　]+(\S.*)$", line)
            if numbered and not numbered[1].startswith(ENDINGS):
                found.append(re.sub(r"[ 　]*(\( *[0-9]+:.*)?\+?[ 　]*$", "", numbered[1]))
        elif form == "ki2":
            found += [words.rstrip(" 　") for words in re.findall("[▲△▽▼☗☖][^▲△▽▼☗☖]*", line)]
        elif form == "csa" and re.match("[+-][0-9]{4}", line):
            found.append(line.split(",")[0].rstrip())
        elif form == "usi" and " moves " in line:
            found += [word for word in line.split(" moves ")[1].split() if word != "resign"]
    return found


def test_vectors_words_in_real_records() -> None:
    games = moves = 0
    against_the_rules = []
    for row in vectorset.rows("games/index.jsonl"):
        if row["usi"] is None or row["format"] == "jkf":
            continue  # a handicap that no reader knows, which the Go test reads; JSON, which has no words
        encoding = {"utf-8-bom": "utf-8-sig"}.get(row["encoding"], row["encoding"])
        texts = words_of_record(row["format"], vectorset.path(f"games/{row['file']}").read_bytes().decode(encoding))
        usi = row["usi"].split()
        assert len(texts) == len(usi), row["file"]
        board = Board(row["initial_sfen"])
        parse = getattr(board, f"parse_{row['format']}")
        for ply, (text, move) in enumerate(zip(texts, usi, strict=True), 1):
            if ply == row.get("first_illegal_ply"):
                with pytest.raises(IllegalMoveError):
                    parse(text)
                with pytest.raises(IllegalMoveError):
                    board.push_usi(move)
                against_the_rules.append(row["file"])
                break
            assert parse(text).to_usi() == move, (row["file"], ply, text)
            board.push_usi(move)
            moves += 1
        else:
            # The set counts plies from 1, whatever the position says.
            assert board.to_sfen().split()[:3] == row["final_sfen"].split()[:3], row["file"]
        if "microcosmos" in row["file"]:
            assert (board.history_length, board.is_checkmate()) == (1525, True)
        games += 1
    assert against_the_rules == ["records/kif_bishop_unpromoted_leaves_king_in_check.kif", "records/kif_mog014_illegal_end.kif"]
    print(f"{games} records, {moves} moves")
    vectorset.count("games/index.jsonl", games)


def test_vectors_words_in_written_records() -> None:
    games = 0
    for row in vectorset.rows("vectors/games.jsonl.gz"):
        usi = [Move.from_usi(text) for text in row["usi"].split()]
        forms = [(form, words_of_record(form[:3], row[form])) for form in ("kif", "ki2", "csa", "csa3") if form in row]
        board = Board(row["start"])
        for ply, move in enumerate(usi):
            for form, texts in forms:
                assert len(texts) == len(usi)
                assert getattr(board, form[:3])(move) == texts[ply], (row["id"], ply)
                assert getattr(board, f"parse_{form[:3]}")(texts[ply]) is move
            board.push(move)
        games += bool(forms)
    vectorset.count("vectors/games.jsonl.gz", games)


def test_vectors_words_in_branches() -> None:
    n = 0
    for row in vectorset.rows("vectors/variations.jsonl"):
        lines: list[str] = []

        def walk(nodes: list[list[Any]], line: list[str], lines: list[str] = lines) -> None:
            if not nodes:
                lines.append(" ".join(line))
            for usi, children in nodes:
                walk(children, [*line, usi])

        walk(row["tree"], [])
        for form in ("kif", "ki2"):
            blocks = re.split(r"(?m)^変化：([0-9]+)手.*$", row[f"{form}_tsshogi"])
            got, line = [], list[Move]()
            for ply, block in zip(["1", *blocks[1::2]], blocks[::2], strict=True):
                board = Board(row["start"])
                for move in line[: int(ply) - 1]:
                    board.push(move)
                for text in words_of_record(form, block):
                    board.push(getattr(board, f"parse_{form}")(text))
                line = board.moves()
                got.append(" ".join(move.to_usi() for move in line))
            assert sorted(got) == sorted(lines), (row["id"], form)
        n += 1
    vectorset.count("vectors/variations.jsonl", n)
