/* Boards: what they do, what they refuse, and that a refusal changes nothing. */
#include "check.h"

static void playing(void)
{
    kmd_board b = 0;
    OK(kmd_board_new(&b));
    const kmd_board_view *v = NULL;
    OK(kmd_board_get_view(b, &v));
    THAT(v->size == sizeof *v && v->generation % 2 == 1 && v->sequence % 2 == 0);
    SAME(v->ply, 1);
    SAME(v->pieces[60], 1);
    SAME(v->pieces[81], 0);
    SAME(v->kings[0], 44);
    SAME(v->kings[1], 36);
    uint64_t first = v->key, key = 0, board_key = 0, hand_key = 0;
    THAT(is_sfen(b, START));

    kmd_move moves[KMD_MAX_LEGAL_MOVES];
    kmd_move32 moves32[KMD_MAX_LEGAL_MOVES];
    size_t n = 0;
    SAME(kmd_board_list(b, moves), 30);
    OK(kmd_board_legal_moves32(b, moves32, KMD_MAX_LEGAL_MOVES, &n));
    SAME(n, 30);
    SAME(kmd_board_legal_moves(b, moves, 29, &n), KMD_ERR_BUFFER);
    SAME(n, 30);
    OK(kmd_board_legal_moves(b, moves, 30, &n));
    for (size_t i = 0; i < 30; i++) {
        kmd_move32 full = 0;
        THAT((kmd_move)moves32[i] == moves[i]);
        OK(kmd_board_complete_move32(b, moves[i], &full));
        SAME(full, moves32[i]);
    }

    /* Exactly the listed ones of all values are legal, and the others change nothing when pushed. */
    int legal_count = 0;
    for (int i = 0; i < 65536; i++) {
        int32_t legal = 2;
        if (kmd_board_is_legal(b, (kmd_move)i, &legal) != KMD_OK)
            SAME(i, -1);
        legal_count += legal;
        if (!legal && kmd_board_push(b, (kmd_move)i) != KMD_ERR_ILLEGAL_MOVE)
            SAME(i, -2);
    }
    SAME(legal_count, 30);
    SAME(v->key, first);
    SAME(v->moves, 0);
    THAT(is_sfen(b, START));

    OK(kmd_board_push(b, move_of("7g7f")));
    SAME(v->turn, 1);
    SAME(v->ply, 2);
    SAME(v->pieces[59], 1);
    OK(kmd_board_push32(b, move_of("3c3d")));
    SAME(kmd_board_push32(b, move_of("8h2b+") | 1u << 16), KMD_ERR_ILLEGAL_MOVE); /* says that a pawn arrives */
    OK(kmd_board_push32(b, move_of("8h2b+") | 13u << 16));
    SAME(v->hands[0], 1 << 20);
    OK(kmd_board_keys(b, &key, &board_key, &hand_key));
    SAME(key, v->key);
    OK(kmd_board_keys(b, NULL, NULL, NULL));
    static const char line[] = "position startpos moves 7g7f 3c3d 8h2b+";
    char text[256];
    OK(kmd_board_to_position(b, text, sizeof text, &n));
    THAT(n == sizeof line - 1 && memcmp(text, line, n) == 0);
    kmd_board again = 0, copy = 0, turned = 0, mirrored = 0;
    OK(kmd_board_from_position(line, sizeof line - 1, &again));
    OK(kmd_board_copy(b, &copy));
    const kmd_board_view *w = NULL;
    OK(kmd_board_get_view(again, &w));
    SAME(w->key, v->key);
    SAME(w->moves, 3);
    kmd_move history[3] = {0, 0, 0};
    SAME(kmd_board_moves(b, history, 2, &n), KMD_ERR_BUFFER);
    SAME(n, 3);
    OK(kmd_board_moves(b, history, 3, &n));
    SAME(history[2], move_of("8h2b+"));

    OK(kmd_board_flip_side(b, &turned));
    OK(kmd_board_mirror_file(b, &mirrored));
    kmd_board back = 0;
    OK(kmd_board_flip_side(turned, &back));
    THAT(is_sfen(back, "lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4"));
    THAT(is_sfen(turned, "lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1+b5R1/LNSGKGSNL b b 4"));
    THAT(is_sfen(mirrored, "lnsgkgsnl/1+B5r1/pp1pppppp/2p6/9/6P2/PPPPPP1PP/1R7/LNSGKGSNL w B 4"));

    kmd_move m = 0;
    for (int i = 0; i < 3; i++)
        OK(kmd_board_pop(b, i == 2 ? &m : NULL));
    SAME(m, move_of("7g7f"));
    SAME(v->key, first);
    SAME(kmd_board_pop(b, &m), KMD_ERR_ILLEGAL_MOVE);
    SAME(m, move_of("7g7f"));
    OK(kmd_board_get_view(copy, &w));
    SAME(w->moves, 3); /* the copy kept its history */
    OK(kmd_board_pop(copy, NULL));

    OK(kmd_board_push_null(b));
    SAME(v->turn, 1);
    OK(kmd_board_pop(b, &m));
    SAME(m, KMD_MOVE_NULL);
    OK(kmd_board_set_sfen(b, MAX_MOVES, strlen(MAX_MOVES)));
    SAME(kmd_board_list(b, moves), 593);
    SAME(kmd_board_set_sfen(b, "x", 1), KMD_ERR_PARSE);
    THAT(is_sfen(b, MAX_MOVES));
    kmd_board all[] = {b, again, copy, turned, mirrored, back};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        OK(kmd_board_close(all[i]));
}

static void asking(void)
{
    kmd_board b = board_of("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1");
    kmd_move m = 0;
    int32_t x = 0;
    OK(kmd_board_mate_in_one(b, &m));
    SAME(m, move_of("G*5b"));
    OK(kmd_board_gives_check(b, m, &x));
    SAME(x, 1);
    SAME(kmd_board_gives_check(b, move_of("5i5a"), &x), KMD_ERR_ILLEGAL_MOVE);
    OK(kmd_board_is_checkmate(b, &x));
    SAME(x, 0);
    OK(kmd_board_push(b, m));
    OK(kmd_board_is_checkmate(b, &x));
    SAME(x, 1);
    SAME(kmd_board_push_null(b), KMD_ERR_ILLEGAL_MOVE);
    uint64_t set[2] = {0, 0};
    OK(kmd_board_checkers(b, set));
    SAME(set[0], (int64_t)1 << 37);
    SAME(set[1], 0);
    OK(kmd_board_attackers_to(b, 37, 0, set));
    SAME(set[0], (int64_t)1 << 38);
    SAME(kmd_board_attackers_to(b, 81, 0, set), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_attackers_to(b, 37, 2, set), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_pinned(b, 2, set), KMD_ERR_INVALID_VALUE);
    OK(kmd_board_close(b));

    /* Repetition: the fourth occurrence ends the game; one side checks all the way in the second. */
    static const char *const shuffle[] = {"2h3h", "8b7b", "3h2h", "7b8b"};
    OK(kmd_board_new(&b));
    for (int i = 0; i < 12; i++) {
        int32_t state = 0, repeated = 0;
        OK(kmd_board_push(b, move_of(shuffle[i % 4])));
        OK(kmd_board_repetition(b, &state));
        SAME(state, i == 11 ? KMD_REPETITION_DRAW : KMD_REPETITION_NONE);
        OK(kmd_board_search_repetition(b, 16, &state));
        SAME(state, i >= 3 ? KMD_REPETITION_DRAW : KMD_REPETITION_NONE);
        OK(kmd_board_is_repetition(b, 2, &repeated));
        SAME(repeated, i >= 3);
    }
    OK(kmd_board_close(b));

    b = board_of("9/9/9/9/9/9/9/9/4K4 b P 1"); /* no white king: fine for a board, named as a problem, and no packed form */
    kmd_problem p[4];
    size_t n = 0;
    OK(kmd_board_problems(b, p, 4, &n));
    SAME(n, 1);
    SAME(p[0].kind, KMD_PROBLEM_NO_KING);
    SAME(p[0].color, 1);
    OK(kmd_board_problems(b, NULL, 0, &n));
    uint8_t packed[32];
    memset(packed, 7, sizeof packed);
    SAME(kmd_board_to_hcp(b, packed), KMD_ERR_INVALID_POSITION);
    SAME(kmd_board_to_packed_sfen(b, packed), KMD_ERR_INVALID_POSITION);
    SAME(packed[31], 7);
    OK(kmd_board_close(b));
}

static void forms(void)
{
    static const uint8_t hcp[32] = {0x58, 0xa4, 0x49, 0x21, 0x0c, 0xd7, 0x57, 0x21, 0x7e, 0x8e, 0x4d, 0x21, 0x2c, 0xaf, 0x42, 0x78,
                                    0x14, 0xc2, 0xab, 0x10, 0x9e, 0x4d, 0x21, 0x2c, 0xd7, 0x5f, 0x21, 0x3e, 0x8e, 0x49, 0x21, 0x0c};
    uint8_t packed[32];
    kmd_board b = 0, c = 0, d = 0;
    OK(kmd_board_new(&b));
    OK(kmd_board_to_hcp(b, packed));
    THAT(memcmp(packed, hcp, 32) == 0);
    OK(kmd_board_from_hcp(packed, &c));
    THAT(is_sfen(c, START));
    OK(kmd_board_to_packed_sfen(b, packed));
    OK(kmd_board_close(c));
    OK(kmd_board_from_packed_sfen(packed, &c));
    THAT(is_sfen(c, START));
    memset(packed, 0xFF, sizeof packed);
    SAME(kmd_board_from_hcp(packed, &d), KMD_ERR_PARSE);
    SAME(kmd_board_from_hcp(NULL, &d), KMD_ERR_ARGUMENT);
    SAME(d, 0);

    kmd_setup s = {.size = sizeof s};
    OK(kmd_board_push(b, move_of("7g7f")));
    OK(kmd_board_get_setup(b, &s));
    SAME(s.ply, 2);
    SAME(s.turn, 1);
    OK(kmd_board_from_setup(&s, &d));
    THAT(is_sfen(d, "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"));
    OK(kmd_board_close(d));
    d = 9;
    s.board[0] = 200;
    SAME(kmd_board_from_setup(&s, &d), KMD_ERR_INVALID_POSITION);
    s.board[0] = 18;
    s.hands[0][0] = 255;
    SAME(kmd_board_from_setup(&s, &d), KMD_ERR_INVALID_POSITION);
    s.hands[0][0] = 0;
    s.turn = 7;
    SAME(kmd_board_from_setup(&s, &d), KMD_ERR_INVALID_POSITION);
    s.turn = 0;
    s.ply = -1;
    SAME(kmd_board_from_setup(&s, &d), KMD_ERR_INVALID_POSITION);
    s.size = 3;
    SAME(kmd_board_from_setup(&s, &d), KMD_ERR_ARGUMENT);
    SAME(kmd_board_get_setup(b, &s), KMD_ERR_ARGUMENT);
    SAME(d, 9);

    /* Every legal move of a busy position is found again by its labels or shares them with no other. */
    kmd_move moves[KMD_MAX_LEGAL_MOVES], m = 0;
    OK(kmd_board_close(c));
    c = board_of("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1");
    int32_t n = kmd_board_list(c, moves);
    SAME(n, 207);
    for (int32_t i = 0; i < n; i++)
        for (int32_t compact = 0; compact < 2; compact++) {
            uint16_t l = 0;
            OK(kmd_move_label(moves[i], 1, compact, &l));
            OK(kmd_board_move_of_label(c, l, compact, &m));
            SAME(m, moves[i]);
        }
    SAME(kmd_board_move_of_label(c, KMD_LABELS, 0, &m), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_move_of_label(c, KMD_COMPACT_LABELS, 1, &m), KMD_ERR_INVALID_VALUE);
    kmd_apery32 a = 0;
    OK(kmd_board_apery32(c, moves[0], &a));
    kmd_move32 back = 0, full = 0;
    OK(kmd_move32_from_apery32(a, 1, &back));
    OK(kmd_board_complete_move32(c, moves[0], &full));
    SAME(back, full);
    OK(kmd_board_close(b));
    OK(kmd_board_close(c));
}

/* The quick forms say what the declared ones say, and refuse what they refuse. */
static void quick(void)
{
    kmd_board b = board_of(MAX_MOVES), other = 0;
    char text[KMD_SFEN_SIZE];
    memset(text, 'x', sizeof text);
    SAME(kmd_quick_sfen(b, text), strlen(MAX_MOVES));
    THAT(strcmp(text, MAX_MOVES) == 0);
    SAME(kmd_quick_set_sfen(b, START, (int32_t)strlen(START)), 0);
    SAME(kmd_quick_pop(b), KMD_ERR_ILLEGAL_MOVE);
    int legal_count = 0;
    for (int i = 0; i < 65536; i++) {
        int32_t legal = 2;
        OK(kmd_board_is_legal(b, (kmd_move)i, &legal));
        legal_count += legal;
        if (kmd_quick_is_legal(b, (kmd_move)i) != legal)
            SAME(i, -1);
    }
    SAME(legal_count, 30);
    OK(kmd_board_push(b, move_of("7g7f")));
    SAME(kmd_quick_pop(b), move_of("7g7f"));
    OK(kmd_board_push_null(b));
    SAME(kmd_quick_pop(b), KMD_MOVE_NULL);
    SAME(kmd_quick_set_sfen(b, "x", 1), KMD_ERR_PARSE);
    SAME(kmd_quick_set_sfen(b, START, -1), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_set_sfen(b, NULL, 3), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_sfen(b, NULL), KMD_ERR_ARGUMENT);
    THAT(is_sfen(b, START));
    SAME(kmd_quick_is_checkmate(b), 0);
    SAME(kmd_quick_mate_in_one(b), KMD_MOVE_NONE);
    static const char mate[] = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
    SAME(kmd_quick_set_sfen(b, mate, (int32_t)strlen(mate)), 0);
    SAME(kmd_quick_mate_in_one(b), move_of("G*5b"));
    OK(kmd_board_push(b, move_of("G*5b")));
    SAME(kmd_quick_is_checkmate(b), 1);

    /* Packed forms set a board as they make one, and forget its history. */
    uint8_t hcp[32], packed[32], zeros[32] = {0};
    OK(kmd_board_new(&other));
    OK(kmd_board_to_hcp(other, hcp));
    OK(kmd_board_to_packed_sfen(other, packed));
    const kmd_board_view *v = NULL;
    OK(kmd_board_get_view(b, &v));
    OK(kmd_board_set_hcp(b, hcp));
    THAT(is_sfen(b, START) && v->moves == 0);
    OK(kmd_board_set_sfen(b, MAX_MOVES, strlen(MAX_MOVES)));
    OK(kmd_board_set_packed_sfen(b, packed));
    THAT(is_sfen(b, START));
    SAME(kmd_board_set_hcp(b, zeros), KMD_ERR_PARSE);
    SAME(kmd_board_set_packed_sfen(b, zeros), KMD_ERR_PARSE);
    SAME(kmd_board_set_hcp(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_set_packed_sfen(b, NULL), KMD_ERR_ARGUMENT);
    THAT(is_sfen(b, START));

    /* So do a position line and other boards. */
    static const char line[] = "startpos moves 7g7f 3c3d";
    OK(kmd_board_set_position(b, line, sizeof line - 1));
    SAME(v->moves, 2);
    OK(kmd_board_set_board(other, b));
    SAME(kmd_quick_pop(other), move_of("3c3d"));
    SAME(v->moves, 2);
    OK(kmd_board_set_flipped(other, b));
    THAT(is_sfen(other, "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 3"));
    OK(kmd_board_set_mirrored(other, b));
    THAT(is_sfen(other, "lnsgkgsnl/1b5r1/pp1pppppp/2p6/9/6P2/PPPPPP1PP/1R5B1/LNSGKGSNL b - 3"));
    kmd_setup setup = {.size = sizeof setup};
    OK(kmd_board_get_setup(b, &setup));
    OK(kmd_board_set_setup(other, &setup));
    THAT(is_sfen(other, "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"));
    setup.board[44] = 0;
    setup.board[0] = KMD_LANCE; /* which could never move */
    SAME(kmd_board_set_setup(other, &setup), KMD_ERR_INVALID_POSITION);
    SAME(kmd_board_set_setup(other, NULL), KMD_ERR_ARGUMENT);
    THAT(is_sfen(other, "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"));
    SAME(kmd_board_set_position(b, "startpos moves 7g7e", 19), KMD_ERR_ILLEGAL_MOVE);
    SAME(kmd_board_set_position(b, NULL, 3), KMD_ERR_ARGUMENT);
    SAME(kmd_board_set_board(b, b), KMD_ERR_BUSY);
    SAME(kmd_board_set_flipped(b, b), KMD_ERR_BUSY);
    SAME(kmd_board_set_board(b, 0), KMD_ERR_HANDLE);
    SAME(kmd_board_set_mirrored(0, b), KMD_ERR_HANDLE);
    SAME(v->moves, 2);
    OK(kmd_board_set_hcp(b, hcp));

    /* A caller's words: one for the side to move, one for each move. */
    SAME(v->turn_word, 0);
    OK(kmd_set_turn_words(11, 22));
    SAME(v->turn_word, 0); /* from the next change on */
    OK(kmd_board_push(b, move_of("7g7f")));
    SAME(v->turn_word, 22);
    OK(kmd_board_pop(b, NULL));
    SAME(v->turn_word, 11);
    OK(kmd_set_turn_words(0, 0));
    static uint64_t words[65536];
    for (int i = 0; i < 65536; i++)
        words[i] = (uint64_t)i << 32 | 7;
    const kmd_move moves[3] = {0, 65535, 7739};
    uint64_t out[4] = {5, 5, 5, 5};
    SAME(kmd_quick_words(moves, 3, words, out), 0);
    THAT(out[0] == words[0] && out[1] == words[65535] && out[2] == words[7739] && out[3] == 5);
    SAME(kmd_quick_words(moves, -1, words, out), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_words(NULL, 3, words, out), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_words(moves, 3, NULL, out), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_words(moves, 3, words, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_words((const kmd_move *)((const char *)moves + 1), 1, words, out), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_words(moves, 1, words, (uint64_t *)((char *)out + 4)), KMD_ERR_ARGUMENT);
    static union {
        uint64_t aligned;
        kmd_move moves[KMD_QUICK_MOVES];
    } listed;
    static uint64_t picked[KMD_MAX_LEGAL_MOVES];
    kmd_move legal[KMD_MAX_LEGAL_MOVES];
    OK(kmd_board_set_sfen(b, MAX_MOVES, strlen(MAX_MOVES)));
    SAME(kmd_board_list(b, legal), 593);
    kmd_quick_room room = {sizeof room, 0, listed.moves, words, picked}, wrong[6] = {room, room, room, room, room, room};
    SAME(kmd_quick_list(b, &room), 593);
    for (int i = 0; i < 593; i++)
        if (listed.moves[i] != legal[i] || picked[i] != words[legal[i]])
            SAME(i, -1);
    wrong[0].size--;
    wrong[1].moves = NULL;
    wrong[2].words = NULL;
    wrong[3].picked = NULL;
    wrong[4].words = (const uint64_t *)((const char *)words + 4);
    wrong[5].moves = listed.moves + 1;
    for (int i = 0; i < 6; i++)
        SAME(kmd_quick_list(b, &wrong[i]), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_list(b, NULL), KMD_ERR_ARGUMENT);
    OK(kmd_board_close(b));
    OK(kmd_board_close(other));
    SAME(kmd_quick_list(b, &room), KMD_ERR_HANDLE);
    SAME(kmd_quick_pop(b), KMD_ERR_HANDLE);
    SAME(kmd_quick_sfen(b, text), KMD_ERR_HANDLE);
    SAME(kmd_quick_set_sfen(b, START, (int32_t)strlen(START)), KMD_ERR_HANDLE);
    SAME(kmd_quick_is_legal(b, 0), KMD_ERR_HANDLE);
    SAME(last_kind(), KMD_ERR_HANDLE);
}

/* Null and misaligned pointers are errors. */
static void pointers(void)
{
    kmd_board b = 0;
    SAME(kmd_board_new(NULL), KMD_ERR_ARGUMENT);
    OK(kmd_board_new(&b));
    SAME(kmd_board_from_sfen(START, strlen(START), NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_copy(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_get_view(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_get_setup(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_list(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_is_legal(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_to_hcp(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_mate_in_one(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_checkers(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_set_sfen(b, NULL, 3), KMD_ERR_ARGUMENT);
    SAME(kmd_board_moves(b, NULL, 3, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_legal_moves(b, NULL, 30, NULL), KMD_ERR_ARGUMENT);
    OK(kmd_board_close(b));
}

/* Records of a game: one for each move of the history. */
static void records(void)
{
    kmd_board b = 0;
    static const char line[] = "startpos moves 7g7f 3c3d 8h2b+";
    OK(kmd_board_from_position(line, sizeof line - 1, &b));
    uint8_t out[3 * 40];
    static const int16_t evals[3] = {10, -20, 900};
    size_t n = 0;
    SAME(kmd_board_records(b, KMD_FORMAT_PSV, 0, evals, 0, out, 2, &n), KMD_ERR_BUFFER);
    SAME(n, 3);
    OK(kmd_board_records(b, KMD_FORMAT_PSV, 0, evals, 0, out, 3, &n));
    SAME(n, 3);
    for (int i = 0; i < 3; i++) {
        SAME(out[40 * i + 38], i % 2 == 0 ? 1 : 255); /* Black won: the side to move wins and loses in turn */
        SAME(out[40 * i + 36] | out[40 * i + 37] << 8, i + 1);
        SAME((int16_t)(out[40 * i + 32] | out[40 * i + 33] << 8), evals[i]);
    }
    SAME(out[34] | out[35] << 8, move_of("7g7f"));
    OK(kmd_board_records(b, KMD_FORMAT_HCPE, 0, evals, 2, out, 3, &n));
    for (int i = 0; i < 3; i++)
        SAME(out[38 * i + 36], 0);
    SAME(kmd_board_records(b, KMD_FORMAT_HCP, 0, evals, 2, out, 3, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_board_records(b, KMD_FORMAT_PSV, 0, evals, 3, out, 3, &n), KMD_ERR_INVALID_VALUE);
    OK(kmd_board_close(b));
}

int main(void)
{
    playing();
    asking();
    forms();
    quick();
    pointers();
    records();
    return report_tests("boards");
}
