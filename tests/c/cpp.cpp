// komadori.hpp: what a C++17 program sees.
#include <komadori.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <type_traits>

using namespace komadori;

static int failures, checks;

static void that(bool ok, int line, const char *what)
{
    checks++;
    if (!ok) {
        failures++;
        std::fprintf(stderr, "cpp.cpp:%d: failed: %s\n", line, what);
    }
}

#define THAT(x) that((x), __LINE__, #x)

template <class E, class F> static bool throws(F &&f)
{
    try {
        f();
    } catch (const E &e) {
        return std::strlen(e.what()) > 5;
    } catch (...) {
    }
    return false;
}

static_assert(!std::is_copy_constructible_v<Board> && std::is_nothrow_move_constructible_v<Board>);
static_assert(!std::is_copy_assignable_v<Board> && std::is_nothrow_move_assignable_v<Board>);
static_assert(!std::is_copy_constructible_v<Job> && !std::is_copy_constructible_v<Searcher>);
static_assert(sizeof(Move) == 2 && sizeof(Piece) == 1 && sizeof(Square) == 1 && std::is_trivially_copyable_v<Move>);
static_assert(Square(7, 7).raw() == 60 && Square(200) == Square() && Piece(Color::White, PieceType::Pawn).raw() == 17);

/* Arithmetic of values is done by the compiler. */
static_assert("7g7f"_move.raw() == (59 | 60 << 7) && "8h2b+"_move.is_promotion() && "P*5e"_move == Move::drop(PieceType::Pawn, Square(5, 5)));
static_assert("7g7f"_move.flip_side() == "3c3d"_move && "7g7f"_move.mirror_file() == "3g3f"_move && "G*7h"_move.flip_side() == "G*3b"_move);
static_assert(!"7g7g"_move && !"K*5e"_move && !"0a1a"_move && !"what"_move && !Move::drop(PieceType::King, Square(5, 5)) &&
              !Move::normal(Square(1, 1), Square(1, 1)));
static_assert(Square(7, 7).flip_side() == Square(3, 3) && Square(7, 7).mirror_file() == Square(3, 7) && Square(7, 7).row_major() == 56);
static_assert(Move32("7g7f"_move, Piece(Color::Black, PieceType::Pawn)).move() == "7g7f"_move);
static_assert(Hand(3).is_superior_or_equal(Hand(2)) && !Hand(3).is_superior_or_equal(Hand(1 << 8)));

/* What C++ computes is what the library does, for every value there is. */
static void arithmetic()
{
    int bad = 0;
    for (unsigned i = 0; i < 65536; i++) {
        Move m(static_cast<kmd_move>(i));
        bad += m.is_normal() != (kmd_move_is_normal(m.raw()) == 1) || m.flip_side().raw() != kmd_move_flip_side(m.raw()) ||
               m.mirror_file().raw() != kmd_move_mirror_file(m.raw());
    }
    for (unsigned i = 0; i < 256; i++) {
        Square q(static_cast<std::uint8_t>(i));
        bad += q.flip_side().raw() != kmd_square_flip_side(q.raw()) || q.mirror_file().raw() != kmd_square_mirror_file(q.raw()) ||
               q.row_major() != kmd_square_to_row_major(q.raw()) ||
               Square::from_row_major(static_cast<std::uint8_t>(i)).raw() != kmd_square_from_row_major(static_cast<std::uint8_t>(i));
    }
    const Hand some = Hand::from_counts({18, 0, 1, 2, 2, 1, 4}), none, more = Hand::from_counts({18, 0, 1, 3, 2, 1, 4});
    for (Hand a : {some, none, more})
        for (Hand b : {some, none, more})
            bad += a.is_superior_or_equal(b) != (kmd_hand_is_superior_or_equal(a.raw(), b.raw()) == 1);
    THAT(bad == 0 && some.counts()[3] == 2 && throws<InvalidValueError>([] { Hand::from_counts({19, 0, 0, 0, 0, 0, 0}); }));
    for (const char *usi : {"7g7f", "8h2b+", "P*5e", "1a9i+"})
        THAT(Move::from_usi(usi) == operator""_move(usi, std::strlen(usi)));
    THAT(Piece::from_signed(-1) == Piece(Color::White, PieceType::Pawn) &&
         Piece::from_flagged(Piece(Color::White, PieceType::Dragon).to_flagged()).type() == PieceType::Dragon);
    THAT(Piece(Color::White, PieceType::Gold).to_signed() == -5 && to_gold_first(PieceType::Gold) == 5 && from_gold_first(7) == PieceType::Rook);
    THAT(version() == KMD_VERSION_MAJOR * 1000000u + KMD_VERSION_MINOR * 1000u + KMD_VERSION_PATCH && build_info().find("go1") != std::string::npos &&
         is_alive());
    const int before = threads();
    {
        const auto open = usage().boards;
        const Board board;
        THAT(usage().boards == open + 1);
    }
    set_threads(3);
    THAT(threads() == 3 && throws<Error>([] { set_threads(0); }));
    set_threads(before);
}

/* Failures without exceptions, and the same calls with them. */
static void results()
{
    auto good = Board::try_from_sfen(Board().to_sfen());
    THAT(good && good->ply() == 1 && good.status() == KMD_OK && Board(std::move(good).value()).history_length() == 0);
    auto bad = Board::try_from_sfen("54/9 b");
    THAT(!bad && bad.status() == KMD_ERR_PARSE && bad.failure().message().size() > 10 && bad.failure().offset() >= 0);
    THAT(throws<ParseError>([&] { bad.value(); }) && throws<ParseError>([&] { bad->ply(); }));
    THAT(!Board::try_from_position("startpos moves 7g7e") && !Board::try_from_hcp(Packed{}) && !Board::try_from_packed_sfen(Packed{}));
    auto kings = Board::try_from_setup(Setup("4kk3/9/9/9/9/9/9/9/9 b - 1"));
    THAT(kings.status() == KMD_ERR_INVALID_POSITION && kings.failure().problems().size() > 0 && Board::try_from_setup(Setup(Handicap::Even)));
    Board board;
    THAT(!board.try_push(Move()) && board.try_push("7g7f"_move) && board.try_push("3c3d").value() == "3c3d"_move && board.history_length() == 2);
    THAT(board.try_push("what").status() == KMD_ERR_PARSE && board.try_push("1a1b").status() == KMD_ERR_ILLEGAL_MOVE && board.history_length() == 2);
    THAT(board.try_pop().value() == "3c3d"_move && board.try_pop() && board.try_pop().status() == KMD_ERR_ILLEGAL_MOVE);
    THAT(board.try_parse_move("▲５八金", Style::KI2).status() == KMD_ERR_AMBIGUOUS_MOVE &&
         board.try_parse_move("７六歩(77)", Style::KIF).value() == "7g7f"_move);
    THAT(Move::try_from_usi("7g7f").value_or(Move()) == "7g7f"_move && Move::try_from_usi("x").value_or("3c3d"_move) == "3c3d"_move);
    THAT(Setup::try_from_text("what").status() == KMD_ERR_PARSE && Setup::try_from_text("4k4/9/9/9/9/9/9/9/9 b - 1"));
    auto packed = result_of([&] { return board.to_hcp(); });
    THAT(packed && *packed == board.to_hcp() && result_of([&] { board.push("1a1b"); }).status() == KMD_ERR_ILLEGAL_MOVE && result_of([] {}));
    auto book = result_of([] { return Book("/nowhere.db"); });
    THAT(book.status() == KMD_ERR_IO && book.failure().error_number() == ENOENT);

    std::vector<int> numbers{1, 2, 3};
    int array[2] = {7, 8};
    const std::array<int, 2> fixed{{5, 6}};
    Span<const int> a = numbers, b = array, c = fixed;
    Span<int> d = numbers;
    d[0] = 9;
    THAT(a.size() == 3 && a[0] == 9 && b[1] == 8 && c.begin() + 2 == c.end() && a.subspan(1, 2)[1] == 3 && Span<int>().empty());
}

/* A board is set to what makes boards, and everything of a move is there. */
static void boards()
{
    Board board, other("4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    board.set_board(other);
    THAT(board.to_sfen() == other.to_sfen() && board.problems().empty() && Board("9/9/9/9/9/9/9/9/4K4 b - 1").problems().size() == 1);
    board.set_flipped(other);
    THAT(board.to_sfen() == other.flip_side().to_sfen());
    board.set_mirrored(other);
    THAT(board.to_sfen() == other.mirror_file().to_sfen());
    board.set_hcp(other.to_hcp());
    board.set_packed_sfen(Board().to_packed_sfen());
    board.set_setup(Setup(Handicap::Even));
    board.set_position("startpos moves 7g7f 3c3d");
    THAT(board.history_length() == 2 && board.legal_moves32().size() == board.legal_moves().size());
    const auto words = board.format_moves(board.legal_moves(), Style::KIF);
    std::vector<Move> list;
    for (std::size_t i = 0; i < words.size(); i++) {
        list.push_back(board.legal_moves()[i]);
        THAT(words[i] == board.format_move(list[i], Style::KIF) && board.parse_move(words[i], Style::KIF) == list[i]);
    }
    THAT(words.size() == board.legal_moves().size() && board.format_moves(list, Style::KIF) == words && throws<IllegalMoveError>([&] {
             list[3] = Move();
             board.format_moves(list, Style::USI);
         }));
    Move32 full = board.complete(Move32("8h2b+"_move, Piece()));
    THAT(full.piece_after() == Piece(Color::Black, PieceType::Horse) && full.flip_side().mirror_file() == full.mirror_file().flip_side());
    THAT(Move32::from_apery32(board.apery32("8h2b+"_move), Color::Black) == full);
    THAT(throws<IllegalMoveError>([&] { board.push(Move32("8h2b+"_move, Piece(Color::Black, PieceType::Pawn))); }));
    board.push(full);
    THAT(board.history_length() == 3 && board.checkers().size() == board.checkers().squares().size());
    const std::vector<std::int16_t> evals{10, -20, 300};
    const auto records = board.records(KMD_FORMAT_PSV, evals, KMD_BLACK_WIN);
    THAT(records.size() == 3 * 40 && throws<Error>([&] { board.records(KMD_FORMAT_PSV, {}, KMD_BLACK_WIN); }));

    /* Everything about rows. */
    const kmd_rows r = rows(KMD_FORMAT_PSV, records);
    THAT(r.n == 3 && throws<InvalidValueError>([&] { rows(KMD_FORMAT_HCPE, records); }) && throws<InvalidValueError>([&] { rows(9, records); }));
    const auto legal = legal_moves(r);
    THAT(legal.size() == 3 && legal[0].size() == 30 && legal.values.size() == static_cast<std::size_t>(legal.offsets[3]));
    const auto text = sfens(r);
    THAT(text.size() == 3 && text[0] == Board().to_sfen() && encode(text, KMD_FORMAT_PACKED_SFEN).size() == 96);
    const auto found = record_labels(r), compact = record_labels(r, true);
    const std::vector<kmd_move> played{"7g7f"_move.raw(), "3c3d"_move.raw(), "8h2b+"_move.raw()};
    const std::vector<std::uint8_t> turns{0, 1, 0};
    THAT(found == labels(played, turns) && compact == labels(played, turns, true) && moves_of_labels(r, found) == played &&
         moves_of_labels(r, compact, true) == played);
    THAT(throws<Error>([&] { labels(played, Span<const std::uint8_t>(turns).subspan(0, 2)); }));
    const auto masks = legal_masks(r);
    THAT(masks.size() == 3 * KMD_LABELS && masks[found[0]] == 1 && legal_masks(r, true, true).size() == 3 * 187);
    const auto after = play(r, played, KMD_FORMAT_PACKED_SFEN);
    THAT(sfens(rows(KMD_FORMAT_PACKED_SFEN, after))[2] == Board::from_packed_sfen(board.to_packed_sfen()).to_sfen());
    THAT(attack_counts(r).size() == 3 * 162 && attack_counts(r, true)[81 * 15] == attack_counts(r)[81]);
    THAT(gather(r, std::vector<std::int64_t>{2, 0}).size() == 80 && mirrored(1, 7, std::vector<std::uint64_t>{1, 2}) == std::vector<std::uint8_t>(2, 1));
    std::vector<std::uint64_t> keys(3);
    kmd_facts f = facts();
    f.key = keys.data();
    look(r, f);
    std::vector<float> value(3);
    kmd_decode d = decode();
    d.value = value.data();
    decode(r, d);
    THAT(keys[0] == Board().key() && value[0] > 0.5f && value[1] < 0.5f);
    THAT(convert(rows(KMD_FORMAT_HCPE, convert(r, KMD_FORMAT_HCPE)), KMD_FORMAT_HCP).size() == 96);

    /* A bad row: its number is in the error, or its status in the list. */
    std::vector<std::uint8_t> broken = records;
    std::fill(broken.begin() + 40, broken.begin() + 72, std::uint8_t{255});
    std::vector<kmd_status> status(3);
    THAT(sfens(rows(KMD_FORMAT_PSV, broken), status)[1].empty() && status[0] == KMD_OK && status[1] != KMD_OK);
    THAT(throws<Error>([&] { sfens(rows(KMD_FORMAT_PSV, broken), Span<kmd_status>(status.data(), 2)); }));
    auto row = result_of([&] { return sfens(rows(KMD_FORMAT_PSV, broken)); });
    THAT(!row && row.failure().row() == 1);

    /* HCPE3 and back. */
    std::vector<std::uint8_t> three(3 * KMD_HCPE3_ROW_SIZE);
    std::vector<kmd_candidate> candidates(3);
    kmd_conversion c = conversion(KMD_FORMAT_HCPE3, three.data());
    c.candidates = candidates.data();
    convert(r, c);
    kmd_rows whole = rows(KMD_FORMAT_HCPE3, three);
    whole.candidates = candidates.data();
    whole.candidate_count = candidates.size();
    const auto file = Hcpe3::pack(whole);
    const Hcpe3 games(file);
    THAT(games.games().size() == 1 && games.games()[0].moves == 3 && games.check_games(std::vector<std::uint64_t>{0}) == std::vector<std::uint16_t>{3});
    const auto read = games.read(std::vector<std::uint64_t>{0, 0, 0}, std::vector<std::uint16_t>{0, 1, 2});
    THAT(read.candidates.size() == 3 && sfens(read.view()).size() == 3 && record_labels(read.view()) == found);
    THAT(throws<ParseError>([&] { Hcpe3(Span<const std::uint8_t>(file).subspan(0, file.size() - 1)).games(); }));

    /* Many searches. */
    kmd_search_limits l = limits();
    l.depth = 1;
    Job job = start_search(r, search_options(1, 1), l);
    while (!job.wait(std::chrono::milliseconds(100))) {
    }
    THAT(search_found(job, 0, 3)[2].status == KMD_OK && throws<Error>([&] { search_found(job, 2, 2); }) && job.finish().rows == 3);
    const Packed problem = other.to_packed_sfen();
    Job mates = start_mate(rows(KMD_FORMAT_PACKED_SFEN, problem));
    while (!mates.wait(std::chrono::milliseconds(100))) {
    }
    const auto lines = mate_lines(mates, 1);
    THAT(mate_found(mates, 0, 1)[0].kind == KMD_MATE_FOUND && lines[0].size() == 1 && Move(lines[0][0]) == "G*5b"_move);
    THAT(solve_mate(other).kind == KMD_MATE_FOUND && plane_name(0) == "pieces.own.pawn");
    THAT(start_usi(-1, 1, "quit").finish().nodes == 0);
}

static void files()
{
    const std::string path = "/tmp/komadori-cpp-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
    Board b;
    b.push("7g7f");
    const auto records = b.records(KMD_FORMAT_PSV, std::vector<std::int16_t>{10}, KMD_DRAW);
    File::write(path + ".psv", records);
    {
        File file(path + ".psv");
        THAT(file.size() == 1 && record_labels(file.rows()) == std::vector<std::uint16_t>{59} && file.rows(1, 0).n == 0);
        THAT(throws<Error>([&] { file.hcpe3(); }) && throws<Error>([&] { file.rows(0, 2); }));
        File moved = std::move(file);
        THAT(throws<HandleError>([&] { file.size(); }) && moved.size() == 1);
    }
    THAT(throws<ParseError>([&] { File(path + ".psv", KMD_FORMAT_HCPE); }) && result_of([] { File("/nowhere.psv"); }).failure().error_number() == ENOENT);
    std::remove((path + ".psv").c_str());
}

static void kifus()
{
    const std::string kif = "先手：甲\n後手：乙\n手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n*good\n   2 ３四歩(33)   ( "
                            "0:02/00:00:02)\n   3 投了\n";
    const auto games = Kifu::read(kif);
    THAT(games.size() == 1 && games[0].moves() == (std::vector<Move>{"7g7f"_move, "3c3d"_move}) && games[0].header("先手") == "甲" &&
         games[0].header("x").empty());
    THAT(games[0].head().result == KMD_WHITE_WIN && games[0].nodes().size() == 4 && games[0].nodes()[1].time_ms == 1000 && games[0].warnings().empty());
    THAT(games[0].notes().size() == 1 && games[0].text(games[0].notes()[0].text) == "good" && games[0].board_at(1).history_length() == 1);
    std::vector<kmd_move> lines;
    const auto said = Kifu::read("PI\n+\n+7776FU\n'** 30 7g7f 8c8d\n")[0].analyses(lines);
    THAT(said.size() == 1 && said[0].score == 30 && said[0].start == 0 && said[0].moves == 2 && lines.size() == 2 && games[0].analyses(lines).empty());
    THAT(Kifu::from_bytes(games[0].bytes()).moves() == games[0].moves() && throws<Error>([&] { games[0].board_at(99); }));
    THAT(throws<Error>([&] { Kifu::from_bytes(games[0].bytes().subspan(0, 8)); }));
    THAT(Kifu::read(games[0].write(KMD_KIFU_CSA))[0].moves() == games[0].moves() && games[0].losses(KMD_KIFU_USI).size() > 5);
    THAT(throws<Error>([&] { games[0].write(99); }));
    const auto many = read_kifus(std::vector<std::string>{kif, "startpos moves 2g2f"});
    THAT(many.size() == 2 && many[0][0].moves().size() == 2 && many[1][0].moves()[0] == "2g2f"_move);
    Failure failure;
    const auto cut = Kifu::read_all("startpos moves 7g7f what", failure);
    THAT(failure.status() < 0 && cut.size() == 1 && cut[0].moves().size() == 1 && throws<Error>([] { Kifu::read("startpos moves 7g7f what"); }));
}

static void batches()
{
    THAT(planes("pieces check").size() == 29 && planes("hands.own").front() == 62 && planes("").empty());
    THAT(throws<ParseError>([] { planes("nothing"); }));
    std::vector<std::uint8_t> start(32), board(96), back(32);
    Board b;
    komadori::check(kmd_board_to_packed_sfen(b.handle(), start.data()));
    kmd_rows r = rows(KMD_FORMAT_PACKED_SFEN, start.data(), 1);
    kmd_conversion c = conversion(KMD_FORMAT_BOARD, board.data());
    komadori::check(kmd_convert_batch(&r, &c, nullptr));
    THAT(board[44] == KMD_KING && board[36] == KMD_KING + KMD_WHITE_PIECE);
    r = rows(KMD_FORMAT_BOARD, board.data(), 1);
    c = conversion(KMD_FORMAT_PACKED_SFEN, back.data());
    komadori::check(kmd_convert_batch(&r, &c, nullptr));
    THAT(back == start);
    std::uint16_t legal = 0;
    kmd_facts f = facts();
    f.legal_count = &legal;
    komadori::check(kmd_facts_batch(&r, &f, nullptr));
    THAT(legal == 30);
}

int main()
{
    arithmetic();
    results();
    boards();
    kifus();
    files();
    batches();
    Board board;
    THAT(board.turn() == Color::Black && board.ply() == 1 && !board.in_check());
    THAT(board.piece_at(Square(5, 9)) == Piece(Color::Black, PieceType::King));
    THAT(board.piece_at(Square()).empty());
    THAT(board.king(Color::White) == Square(5, 1));

    MoveList list = board.legal_moves();
    std::size_t n = 0;
    for (Move m : list) {
        THAT(board.is_legal(m) && m.is_normal() && Move::from_usi(m.to_usi()) == m);
        n++;
    }
    THAT(n == 30 && list.size() == 30 && list.contains(Move::from_usi("7g7f")));

    THAT(board.outcome(rules_profile("JSA")).reason == KMD_REASON_NONE && !board.is_game_over(rules_profile("dlshogi"), KMD_DECLARE_TO_DRAW));
    THAT(board.declaration(KMD_RULE_CSA27).required == 28 && board.declaration(KMD_RULE_TRY).verdict == KMD_VERDICT_NONE);
    THAT(Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2").outcome(rules_profile("CSA")).end == KMD_END_BLACK_WIN);
    THAT(throws<ParseError>([] { rules_profile("FIDE"); }));
    THAT(throws<InvalidValueError>([&] { board.declaration(9); }) && throws<InvalidValueError>([&] { board.outcome(rules_profile("CSA"), 9); }));

    board.push("7g7f");
    board.push(Move::from_usi("3c3d"));
    board.push("8h2b+");
    THAT(board.hand(Color::Black).count(PieceType::Bishop) == 1 && board.hand(Color::White).empty());
    THAT(board.to_position() == "position startpos moves 7g7f 3c3d 8h2b+");
    Move taken = Move::from_usi("3a2b");
    THAT(board.format_move(taken, Style::KIF) == "同　銀(31)" && board.format_move(taken, Style::CSA) == "-3122GI");
    THAT(board.parse_move("△同銀", Style::KI2) == taken && board.parse_move("Sx2b", Style::Western) == taken);
    Ki2Notation same = board.ki2_notation(taken);
    THAT(same.to_text() == "△同　銀" && same == Ki2Notation::from_text("△同　銀") && board.resolve(same) == taken);
    THAT(same.flip_side().to_text() == "▲同　銀" && Ki2Notation::from_text("▲５八金右").mirror_file().to_text() == "▲５八金左");
    THAT(throws<ParseError>([&] { board.parse_move("△同犬", Style::KI2); }));
    THAT(throws<IllegalMoveError>([&] { board.format_move(Move::from_usi("7g7f"), Style::USI); }));
    THAT(throws<AmbiguousMoveError>([] { Board().parse_move("▲５八金", Style::KI2); }));
    THAT(throws<IllegalMoveError>([] { Board().parse_move("▲５八金", Style::KI2); }));
    THAT(throws<InvalidValueError>([] { Ki2Notation(0); }));
    THAT(board.moves().size() == 3 && board.moves()[2].is_promotion());

    Board copy = board.copy();
    Board moved = std::move(board);
    THAT(throws<HandleError>([&] { board.push("3a2b"); }) && throws<HandleError>([&] { (void)board.turn(); }));
    board = std::move(moved);
    THAT(board.pop() == Move::from_usi("8h2b+") && copy.history_length() == 3);
    THAT(board.flip_side().flip_side().to_sfen() == board.to_sfen());
    THAT(board.mirror_file().mirror_file().key() == board.key());
    THAT(Board::from_hcp(board.to_hcp()).key() == board.key());
    THAT(Board::from_packed_sfen(board.to_packed_sfen()).key() == board.key());

    std::string before = board.to_sfen();
    THAT(throws<IllegalMoveError>([&] { board.push("1a1b"); }) && throws<ParseError>([&] { board.push("what"); }));
    THAT(throws<ParseError>([] { Board("54/9 b"); }) && throws<Error>([] { Board("54/9 b"); }));
    THAT(board.to_sfen() == before);
    try {
        Board two("9/9/9/9/9/9/9/9/4KK3 b - 1");
        THAT(false);
    } catch (const InvalidPositionError &e) {
        THAT(e.status() == KMD_ERR_INVALID_POSITION && !e.problems().empty() && e.problems()[0].kind == KMD_PROBLEM_TWO_KINGS);
    }
    Move m = Move::from_usi("7g7f");
    THAT(m.label(Color::Black) == 59 && m.from() == Square(7, 7) && m.to() == Square(7, 6) && m.flip_side().to_usi() == "3c3d");
    THAT(Move::from_apery(m.to_apery()) == m && Move::from_usi("P*5e").dropped_type() == PieceType::Pawn);

    Board mate("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1");
    THAT(mate.mate_in_one().to_usi() == "G*5b");
    mate.push("G*5b");
    THAT(mate.is_checkmate() && mate.checkers().test(Square(5, 2)) && mate.checkers().squares().size() == 1);

    Board loose("4k4/9/9/4p4/9/9/9/4R4/4K4 b P 1");
    const auto counts = loose.attack_counts(), deep = loose.attack_counts(true);
    const auto kinds = loose.attack_counts_by_kind(true);
    for (std::uint8_t i = 0; i < 81; i++)
        THAT(counts[0][i] == loose.attackers_to(Square(i), Color::Black).squares().size() && counts[1][i] <= deep[1][i] && kinds[1][0][i] == deep[1][i]);
    THAT(loose.mobility()[loose.king(Color::Black).raw()] > 0 && loose.search_repetition(16) == KMD_REPETITION_NONE);
    THAT(loose.key128()[0] == loose.key() && loose.board_key() != loose.hand_key() && loose.pawn_key() != loose.material_key());
    THAT(Board(loose.to_sfen()).board_key() == loose.board_key() && Board(loose.to_sfen()).material_key() == loose.material_key());
    THAT(throws<HandleError>([] {
        Board gone;
        Board taken = std::move(gone);
        gone.key128();
    }));
    THAT(loose.generate(MoveKind::Captures).size() == 1 && loose.generate(MoveKind::Recaptures, Square(5, 4)).contains(Move::from_usi("5h5d")));
    THAT(loose.generate(MoveKind::All).size() == loose.generate(MoveKind::Captures).size() + loose.generate(MoveKind::Quiets).size());
    THAT(loose.generate_stage(MoveKind::All, 2).size() == loose.generate(MoveKind::Drops).size());
    THAT(throws<Error>([&] { loose.generate_stage(MoveKind::All, 3); }) && throws<Error>([&] { loose.generate(MoveKind::Recaptures); }));
    THAT(loose.see(Move::from_usi("5h5d")) == 200 && loose.is_attacked(Square(5, 4), Color::Black) && !loose.is_attacked(Square(5, 3), Color::Black));
    THAT(loose.attackers_to(Square(5, 4), Color::Black).squares() == std::vector<Square>{Square(5, 8)} && loose.attacks_by(Square(5, 4)).test(Square(5, 5)));
    THAT(loose.blockers(Color::White).test(Square(5, 4)) && loose.pinned(Color::White).test(Square(5, 4)) && loose.discoverers().squares().empty());
    THAT(loose.check_squares(PieceType::Pawn).squares() == std::vector<Square>{Square(5, 2)} && loose.attacked_by(Color::White).test(Square(5, 5)));
    THAT(loose.last_move() == Move() && (loose.push("5h5d"), loose.last_move()) == Move::from_usi("5h5d"));

    Setup setup("4k4/9/4+P4/9/9/9/9/9/9 b G 7");
    THAT(setup.piece_at(Square(5, 1)) == Piece(Color::White, PieceType::King) && setup.hand(Color::Black, PieceType::Gold) == 1 && setup.ply() == 7);
    setup.give_box(Color::White);
    THAT(setup.to_text() == "4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 7" && setup.box()[0] == 0 && setup.box()[7] == 1);
    THAT(Setup(setup.to_text(Text::BOD), Text::BOD).to_text() == setup.to_text() && setup.flip_side().flip_side().to_text() == setup.to_text());
    THAT(Board::from_setup(setup).mate_in_one().is_normal() && Board::from_setup(setup).setup().to_text(Text::CSA) == setup.to_text(Text::CSA));
    setup.put(Square(9, 9), Piece(Color::Black, PieceType::King));
    setup.put(Square(8, 9), Piece(Color::Black, PieceType::King));
    setup.set_hand(Color::White, PieceType::Rook, 200);
    setup.set_hand(Color::White, PieceType::King, 1); /* kings are never in hand */
    setup.set_turn(Color::White);
    setup.set_ply(0);
    THAT(setup.problems().size() == 4 && setup.problems()[0].kind == KMD_PROBLEM_TWO_KINGS && setup.turn() == Color::White);
    THAT(throws<InvalidPositionError>([&] { Board::from_setup(setup); }) && throws<InvalidValueError>([&] { setup.to_text(Text::CSA); }));
    THAT(Board::handicap("二枚落ち").setup().handicap() == Handicap::TwoPiece && to_string(Handicap::LeftSevenPiece, true) == "左七枚落ち");
    THAT(Setup(Handicap::Lance).piece_at(Square(1, 1)).empty() && Setup().handicap() == Handicap::Other &&
         Setup(Handicap::Even).mirror_file().turn() == Color::Black);
    THAT(throws<ParseError>([] { Setup("P1", Text::CSA); }) && throws<ParseError>([] { Board::handicap("?"); }) &&
         throws<InvalidValueError>([] { Setup{Handicap::Other}; }));
    THAT(Board().to_text(Text::SFENWithoutPly) + " 1" == Board().to_sfen());

    THAT(perft(Board(), 4) == 719731);
    Searcher searcher(1, 4);
    kmd_search_limits l = limits();
    l.depth = 3;
    kmd_result r = searcher.search(Board(), l);
    THAT(r.kind == KMD_SCORE_CP && Board().is_legal(Move(r.best_move)));
    l.depth = 0;
    THAT(throws<Error>([&] { searcher.search(Board(), l); }));
    l.infinite = 1;
    {
        Job job = searcher.start(board, l);
        THAT(!job.wait(std::chrono::milliseconds(20)));
        job.cancel();
        bool cancelled = false;
        THAT(Move(job.finish(&cancelled).best_move).is_normal() && cancelled);
    }
    {
        Job job = searcher.start(board, l); // its destructor stops it
    }
    l = limits();
    l.depth = 3;
    l.multipv = 20;
    {
        Job job = searcher.start(board, l);
        while (!job.wait(std::chrono::milliseconds(100))) {
        }
        auto infos = job.infos();
        auto lines = job.lines();
        THAT(infos.size() == 60 && infos.back().depth == 3 && infos.back().multipv == 20 && job.infos().empty());
        THAT(lines.size() == 20 && lines[0].score >= lines[19].score && job.finish().line_count == 20);
        THAT(throws<Error>([] {
            kmd_search_options o = search_options(-1);
            Searcher s(o);
        }));
    }
    {
        std::string path = "/tmp/komadori-cpp-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".db";
        std::ofstream(path) << "sfen " << Board().to_sfen() << "\n7g7f 3c3d 5 6 7\n";
        Book book(path);
        std::remove(path.c_str());
        THAT(book.lookup(Board()).size() == 1 && book.lookup(Board())[0].count == 7 && book.lookup(board).empty());
        THAT(throws<Error>([] { Book("/nowhere.db"); }));
    }
    l = limits();
    l.nodes = 1000;
    THAT(searcher.search(board, l).nodes <= 1000);

    std::printf("%-8s %d checks, %d failed\n", "c++", checks, failures);
    return failures != 0;
}
