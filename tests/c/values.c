/* Moves, labels, texts, and the conventions that every function keeps: statuses, buffers, last error. */
#include "check.h"

#include <stdlib.h>

static uint8_t normal[65536];
static kmd_move flipped[65536], mirrored[65536], from_apery[65536];
static kmd_apery to_apery[65536];
static uint16_t label[2][65536], compact[2][65536], full_to_compact[KMD_LABELS], compact_to_full[KMD_COMPACT_LABELS], mirror_label[KMD_LABELS],
    mirror_compact[KMD_COMPACT_LABELS];
static char usi[65536][8];

/* The tables and the scalar functions are the same function, for all 65536 values. */
static void tables(void)
{
    kmd_move_tables t = {.size = sizeof t,
                         .normal = normal,
                         .flip_side = flipped,
                         .mirror_file = mirrored,
                         .to_apery = to_apery,
                         .from_apery = from_apery,
                         .label = {label[0], label[1]},
                         .compact = {compact[0], compact[1]},
                         .usi = usi[0],
                         .full_to_compact = full_to_compact,
                         .compact_to_full = compact_to_full,
                         .mirror_label = mirror_label,
                         .mirror_compact = mirror_compact};
    OK(kmd_fill_move_tables(&t));
    int normals = 0, labelled[2] = {0, 0};
    for (int i = 0; i < 65536; i++) {
        kmd_move m = (kmd_move)i, back = 0;
        kmd_apery a = 0;
        char text[16] = {0};
        size_t n = 0;
        normals += normal[i];
        if (kmd_move_is_normal(m) != normal[i] || kmd_move_flip_side(m) != flipped[i] || kmd_move_mirror_file(m) != mirrored[i])
            SAME(i, -1);
        if (flipped[flipped[i]] != m || mirrored[mirrored[i]] != m) /* involutions */
            SAME(i, -2);
        if (kmd_move_to_usi(m, text, sizeof text, &n) != KMD_OK || n > 8 || memcmp(text, usi[i], 8) != 0)
            SAME(i, -3);
        if (normal[i] && (kmd_move_from_usi(text, n, &back) != KMD_OK || back != m))
            SAME(i, -4);
        kmd_status s = kmd_move_to_apery(m, &a);
        if ((s == KMD_OK) != (to_apery[i] != 0xFFFF) || (s == KMD_OK && (a != to_apery[i] || from_apery[a] != m)))
            SAME(i, -5);
        s = kmd_move_from_apery((kmd_apery)i, &back);
        if ((s == KMD_OK) != (from_apery[i] != 0xFFFF) || (s == KMD_OK && (back != from_apery[i] || to_apery[back] != i)))
            SAME(i, -6);
        for (uint8_t c = 0; c < 2; c++) {
            uint16_t l = 0, k = 0;
            s = kmd_move_label(m, c, 0, &l);
            if ((s == KMD_OK) != (label[c][i] != KMD_NO_LABEL) || (s == KMD_OK && l != label[c][i]))
                SAME(i, -7);
            kmd_status s2 = kmd_move_label(m, c, 1, &k);
            if ((s2 == KMD_OK) != (compact[c][i] != KMD_NO_LABEL) || (s2 == KMD_OK && k != compact[c][i]))
                SAME(i, -8);
            if (s2 == KMD_OK && (full_to_compact[l] != k || compact_to_full[k] != l))
                SAME(i, -9);
            labelled[c] += s == KMD_OK;
            /* White's label is Black's of the turned move. */
            if (label[1][i] != label[0][flipped[i]])
                SAME(i, -10);
            if (s == KMD_OK && mirror_label[l] != label[c][mirrored[i]])
                SAME(i, -11);
            if (s2 == KMD_OK && mirror_compact[k] != compact[c][mirrored[i]])
                SAME(i, -12);
        }
    }
    SAME(normals, 81 * 80 * 2 + 7 * 81);
    SAME(labelled[0], labelled[1]);
    uint16_t l = 0;
    OK(kmd_move_label(move_of("7g7f"), 0, 0, &l));
    SAME(l, 59);
    SAME(kmd_move_flip_side(move_of("7g7f")), move_of("3c3d"));
    SAME(kmd_move_mirror_file(move_of("7g7f")), move_of("3g3f"));
    SAME(kmd_move32_flip_side(0x11e3b), 0x110a15);
    SAME(kmd_move32_mirror_file(0x11e3b), 0x10c17);
    kmd_move32 m32 = 0;
    OK(kmd_move32_from_apery32(0x11e3b, 0, &m32)); /* a black pawn that moves: equal in both layouts */
    SAME(m32, 0x11e3b);
    t.size--;
    SAME(kmd_fill_move_tables(&t), KMD_ERR_ARGUMENT);
    SAME(kmd_fill_move_tables(NULL), KMD_ERR_ARGUMENT);
    kmd_move_tables none = {.size = sizeof none};
    OK(kmd_fill_move_tables(&none));
}

static void numberings(void)
{
    for (int i = 0; i < 256; i++) {
        uint8_t x = (uint8_t)i, on = i < 81;
        SAME(kmd_square_from_row_major(kmd_square_to_row_major(x)), on ? i : 81);
        SAME(kmd_square_flip_side(x), on ? 80 - i : 81);
        SAME(kmd_square_mirror_file(kmd_square_mirror_file(x)), on ? i : 81);
        SAME(kmd_piece_type_from_gold_first(kmd_piece_type_to_gold_first(x)), i <= 14 ? i : 0);
        int piece = i < 31 && i % 16 != 0 && i % 16 != 15;
        SAME(kmd_piece_from_signed(kmd_piece_to_signed(x)), piece ? i : 0);
        SAME(kmd_piece_from_flagged(kmd_piece_to_flagged(x)), piece ? i : 0);
    }
    SAME(kmd_square_to_row_major(60), 56); /* 7g */
    SAME(kmd_square_mirror_file(60), 24);  /* 3g */
    SAME(kmd_piece_type_to_gold_first(KMD_GOLD), 5);
    SAME(kmd_piece_to_signed(KMD_WHITE_PIECE + KMD_ROOK), -7);
    SAME(kmd_piece_to_flagged(KMD_WHITE_PIECE + KMD_DRAGON), 32 + 16 + 7);

    static const uint8_t all[7] = {18, 4, 4, 4, 2, 2, 4}, fewer[7] = {18, 4, 4, 4, 2, 1, 4}, wrong[7] = {19, 0, 0, 0, 0, 0, 0};
    uint8_t counts[7] = {0};
    kmd_hand a = 0, b = 0;
    OK(kmd_hand_pack(all, &a));
    OK(kmd_hand_unpack(a, counts));
    THAT(memcmp(counts, all, 7) == 0);
    OK(kmd_hand_pack(fewer, &b));
    SAME(kmd_hand_is_superior_or_equal(a, b), 1);
    SAME(kmd_hand_is_superior_or_equal(b, a), 0);
    SAME(kmd_hand_is_superior_or_equal(a, a), 1);
    SAME(kmd_hand_pack(wrong, &b), KMD_ERR_INVALID_VALUE);
    SAME(kmd_hand_unpack(1u << 31, counts), KMD_ERR_INVALID_VALUE);
    SAME(kmd_hand_pack(NULL, &b), KMD_ERR_ARGUMENT);
}

static void texts(void)
{
    kmd_move m = 77;
    SAME(kmd_move_from_usi("7g7", 3, &m), KMD_ERR_PARSE);
    SAME(last_kind(), KMD_ERR_PARSE);
    SAME(m, 77); /* untouched on failure */
    SAME(kmd_move_from_usi(NULL, 0, &m), KMD_ERR_PARSE);
    SAME(kmd_move_from_usi(NULL, 4, &m), KMD_ERR_ARGUMENT);
    SAME(kmd_move_from_usi("7g7f", (size_t)-1, &m), KMD_ERR_ARGUMENT);
    SAME(kmd_move_from_usi("7g7f", 4, NULL), KMD_ERR_ARGUMENT);
    SAME(m, 77);
    static const char *const words[] = {"none", "null", "resign", "win", "end"};
    for (int i = 0; i < 5; i++)
        SAME(move_of(words[i]), i * 129);
    char b[8] = "xxxxxxx";
    size_t n = 99;
    SAME(kmd_move_to_usi(move_of("8h2b+"), b, 4, &n), KMD_ERR_BUFFER);
    SAME(n, 5);
    SAME(b[0], 'x');
    OK(kmd_move_to_usi(move_of("8h2b+"), b, 5, &n));
    THAT(memcmp(b, "8h2b+xx", 7) == 0); /* no terminator is written */
    SAME(kmd_move_to_usi(move_of("8h2b+"), NULL, 0, &n), KMD_ERR_BUFFER);
    SAME(kmd_move_to_usi(move_of("8h2b+"), NULL, 5, &n), KMD_ERR_ARGUMENT);
}

static void errors(void)
{
    kmd_error e = {.size = sizeof e};
    kmd_board b = 123;
    static const char bad[] = "lnsgkgsnl/1r5b1/ppppppppp/54/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    SAME(kmd_board_from_sfen(bad, sizeof bad - 1, &b), KMD_ERR_PARSE);
    SAME(b, 123);
    OK(kmd_last_error(&e));
    SAME(e.kind, KMD_ERR_PARSE);
    THAT(e.offset > 25 && e.offset < 30);
    SAME(e.row, -1);
    THAT(strchr(e.message, '\n') == NULL && strlen(e.message) > 10);

    static const char odd[] = "4k4/9/9/9/9/9/9/9/P3K3P b P 1"; /* fine */
    b = board_of(odd);
    OK(kmd_board_close(b));
    static const char two[] = "9/9/9/9/9/P8/P8/9/4KK2P b - 1"; /* one side with both kings, and two pawns on a file */
    SAME(kmd_board_from_sfen(two, sizeof two - 1, &b), KMD_ERR_INVALID_POSITION);
    OK(kmd_last_error(&e));
    int kings = 0, pawns = 0;
    for (uint32_t i = 0; i < e.problem_count; i++) {
        kings += e.problems[i].kind == KMD_PROBLEM_TWO_KINGS;
        pawns += e.problems[i].kind == KMD_PROBLEM_DOUBLE_PAWN;
    }
    SAME(kings, 1);
    SAME(pawns, 1);
    static const char dead[] = "PPPPPPPPP/PPPPPPPPP/9/9/9/9/9/9/9 b - 1"; /* 9 that cannot move, 9 second pawns, no kings */
    SAME(kmd_board_from_sfen(dead, sizeof dead - 1, &b), KMD_ERR_INVALID_POSITION);
    OK(kmd_last_error(&e));
    SAME(e.problem_count, 20);
    SAME(e.problems[19].kind, KMD_PROBLEM_NO_KING);
    SAME(e.problems[19].color, KMD_WHITE);

    SAME(kmd_last_error(NULL), KMD_ERR_ARGUMENT);
    e.size = 8;
    SAME(kmd_last_error(&e), KMD_ERR_ARGUMENT);

    /* No message, however long the input, outgrows its place or breaks a character. */
    size_t huge = 100000;
    char *text = malloc(huge);
    if (text == NULL)
        return;
    for (size_t i = 0; i + 3 <= huge; i += 3)
        memcpy(text + i, "\xE6\xAD\xA9", 3);
    SAME(kmd_board_from_sfen(text, huge - 1, &b), KMD_ERR_PARSE);
    free(text);
    e.size = sizeof e;
    OK(kmd_last_error(&e));
    THAT(memchr(e.message, 0, sizeof e.message) != NULL);
}

static void library(void)
{
    SAME(kmd_version(), KMD_VERSION_MAJOR * 1000000 + KMD_VERSION_MINOR * 1000 + KMD_VERSION_PATCH);
    SAME(kmd_abi_version(), KMD_ABI_VERSION);
    SAME(kmd_alive(), 1);
    char info[256];
    size_t n = 0;
    OK(kmd_build_info(info, sizeof info, &n));
    THAT(n > 10 && n <= sizeof info);
    int32_t threads = 0;
    OK(kmd_threads(&threads));
    THAT(threads >= 1);
    SAME(kmd_set_threads(0), KMD_ERR_ARGUMENT);
    OK(kmd_set_threads(threads));
    SAME(kmd_threads(NULL), KMD_ERR_ARGUMENT);
    OK(kmd_collect());
    kmd_usage before = {.size = sizeof before}, after = before;
    kmd_board boards[3] = {0};
    OK(kmd_get_usage(&before));
    for (int i = 0; i < 3; i++)
        OK(kmd_board_new(&boards[i]));
    OK(kmd_board_push_null(boards[1]));
    OK(kmd_get_usage(&after));
    SAME(after.boards, before.boards + 3);
    THAT(after.board_bytes > before.board_bytes && after.heap_bytes > 0 && after.goroutines > 0);
    for (int i = 0; i < 3; i++)
        OK(kmd_board_close(boards[i]));
    OK(kmd_get_usage(&after));
    SAME(after.boards, before.boards);
    uint64_t address = 0;
    OK(kmd_arena(&address));
    THAT(address != 0);
    SAME(kmd_adopt(0), KMD_ERR_ARGUMENT);
    SAME(kmd_adopt(123), KMD_ERR_ARGUMENT);
    SAME(kmd_adopt(4096), KMD_ERR_ARGUMENT); /* not mapped: an error, not a fault */
    SAME(kmd_adopt(address), KMD_ERR_ARGUMENT); /* this copy has an arena */
}

int main(void)
{
    tables();
    numberings();
    texts();
    errors();
    library();
    return report_tests("values");
}
