// komadori.hpp: what a C++17 program sees.
#include <komadori.hpp>

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
    THAT(throws<HandleError>([] { Board gone; Board taken = std::move(gone); gone.key128(); }));
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
    THAT(Setup(Handicap::Lance).piece_at(Square(1, 1)).empty() && Setup().handicap() == Handicap::Other && Setup(Handicap::Even).mirror_file().turn() == Color::Black);
    THAT(throws<ParseError>([] { Setup("P1", Text::CSA); }) && throws<ParseError>([] { Board::handicap("?"); }) && throws<InvalidValueError>([] { Setup(Handicap::Other); }));
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
        THAT(throws<Error>([] { kmd_search_options o = search_options(-1); Searcher s(o); }));
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
