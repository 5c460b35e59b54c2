/* Words for a move: five styles, KI2 as a number. */
#include "check.h"

static int is_text(const char *want, kmd_status status, const char *got, size_t n)
{
    int same_text = status == KMD_OK && n == strlen(want) && memcmp(got, want, n) == 0;
    if (!same_text)
        fprintf(stderr, "    got %.*s (status %d), want %s\n", status == KMD_OK ? (int)n : 0, got, status, want);
    return same_text;
}

static void push(kmd_board b, const char *usi) { OK(kmd_board_push(b, move_of(usi))); }

static void written_and_read(void)
{
    static const struct {
        int32_t style;
        const char *text;
    } words[] = {
        {KMD_STYLE_USI, "3a2b"}, {KMD_STYLE_CSA, "-3122GI"}, {KMD_STYLE_KIF, "同　銀(31)"}, {KMD_STYLE_KI2, "△同　銀"}, {KMD_STYLE_WESTERN, "Sx2b"},
    };
    kmd_board b = board_of(START);
    push(b, "7g7f");
    push(b, "3c3d");
    push(b, "8h2b+");
    kmd_move m = move_of("3a2b"), back = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[64];
        size_t n = 0;
        kmd_status s = kmd_board_format_move(b, words[i].style, m, text, sizeof text, &n);
        THAT(is_text(words[i].text, s, text, n));
        OK(kmd_board_parse_move(b, words[i].style, words[i].text, strlen(words[i].text), &back));
        SAME(back, m);
        /* a short buffer */
        size_t needed = 0;
        SAME(kmd_board_format_move(b, words[i].style, m, text, n - 1, &needed), KMD_ERR_BUFFER);
        SAME(needed, n);
        SAME(kmd_board_format_move(b, words[i].style, m, NULL, 0, &needed), KMD_ERR_BUFFER);
        OK(kmd_board_format_move(b, words[i].style, m, text, n, NULL));
        SAME(kmd_board_format_move(b, words[i].style, m, NULL, 5, &needed), KMD_ERR_ARGUMENT);
        /* what is no legal move */
        SAME(kmd_board_format_move(b, words[i].style, move_of("7g7f"), text, sizeof text, &n), KMD_ERR_ILLEGAL_MOVE);
        SAME(kmd_board_format_move(b, words[i].style, KMD_MOVE_RESIGN, text, sizeof text, &n), KMD_ERR_ILLEGAL_MOVE);
        SAME(kmd_board_format_move(b, words[i].style, 0xFFFF, text, sizeof text, &n), KMD_ERR_ILLEGAL_MOVE);
        /* text that is no move, with every length of a good one */
        back = 77;
        for (size_t k = 0; k < strlen(words[i].text); k++)
            if (words[i].style != KMD_STYLE_KIF || k < 9) { /* 同　銀 alone is enough */
                kmd_status short_status = kmd_board_parse_move(b, words[i].style, words[i].text, k, &back);
                THAT(short_status == KMD_ERR_PARSE);
            }
        SAME(back, 77); /* untouched on failure */
        SAME(kmd_board_parse_move(b, words[i].style, NULL, 0, &back), KMD_ERR_PARSE);
        SAME(kmd_board_parse_move(b, words[i].style, NULL, 1, &back), KMD_ERR_ARGUMENT);
        SAME(kmd_board_parse_move(b, words[i].style, words[i].text, SIZE_MAX, &back), KMD_ERR_ARGUMENT);
        SAME(kmd_board_parse_move(b, words[i].style, words[i].text, 4, NULL), KMD_ERR_ARGUMENT);
        SAME(kmd_board_parse_move(0, words[i].style, words[i].text, 4, &back), KMD_ERR_HANDLE);
        SAME(kmd_board_format_move(0, words[i].style, m, text, sizeof text, &n), KMD_ERR_HANDLE);
    }
    char text[64];
    size_t n = 0;
    for (int32_t style = -1; style <= 7; style++)
        if (style < KMD_STYLE_USI || style > KMD_STYLE_WESTERN) {
            SAME(kmd_board_format_move(b, style, m, text, sizeof text, &n), KMD_ERR_ARGUMENT);
            SAME(kmd_board_parse_move(b, style, "3a2b", 4, &back), KMD_ERR_ARGUMENT);
        }
    OK(kmd_board_close(b));

    b = board_of(START);
    SAME(kmd_board_parse_move(b, KMD_STYLE_KI2, "▲５八金", strlen("▲５八金"), &back), KMD_ERR_AMBIGUOUS_MOVE);
    SAME(last_kind(), KMD_ERR_AMBIGUOUS_MOVE);
    SAME(kmd_board_parse_move(b, KMD_STYLE_KI2, "▲５五歩", strlen("▲５五歩"), &back), KMD_ERR_ILLEGAL_MOVE);
    SAME(kmd_board_parse_move(b, KMD_STYLE_KI2, "▲５五犬", strlen("▲５五犬"), &back), KMD_ERR_PARSE);
    kmd_error e = {.size = sizeof e};
    OK(kmd_last_error(&e));
    SAME(e.offset, 9);
    SAME(kmd_board_parse_move(b, KMD_STYLE_KIF, "\xff\xfe\xe5", 3, &back), KMD_ERR_PARSE); /* not UTF-8 */
    OK(kmd_board_close(b));
}

static void all_moves_at_once(void)
{
    kmd_board b = board_of(MAX_MOVES);
    kmd_move moves[KMD_MAX_LEGAL_MOVES];
    int64_t offsets[KMD_MAX_LEGAL_MOVES + 1];
    static char text[KMD_MAX_LEGAL_MOVES * 32];
    int32_t n = kmd_board_list(b, moves);
    SAME(n, 593);
    for (int32_t style = KMD_STYLE_USI; style <= KMD_STYLE_WESTERN; style++) {
        OK(kmd_board_format_moves(b, style, moves, (size_t)n, offsets, text, sizeof text));
        SAME(offsets[0], 0);
        int wrong = 0;
        for (int32_t i = 0; i < n; i++) {
            kmd_move back = 0;
            kmd_status s = kmd_board_parse_move(b, style, text + offsets[i], (size_t)(offsets[i + 1] - offsets[i]), &back);
            wrong += s != KMD_OK || back != moves[i];
        }
        SAME(wrong, 0);
        int64_t whole = offsets[n];
        memset(offsets, 0, sizeof offsets);
        SAME(kmd_board_format_moves(b, style, moves, (size_t)n, offsets, text, (size_t)whole - 1), KMD_ERR_BUFFER);
        SAME(offsets[n], whole);
        SAME(kmd_board_format_moves(b, style, moves, (size_t)n, offsets, NULL, 0), KMD_ERR_BUFFER);
        OK(kmd_board_format_moves(b, style, moves, (size_t)n, offsets, text, (size_t)whole));
    }
    moves[7] = KMD_MOVE_RESIGN;
    SAME(kmd_board_format_moves(b, KMD_STYLE_KI2, moves, (size_t)n, offsets, text, sizeof text), KMD_ERR_ILLEGAL_MOVE);
    kmd_error e = {.size = sizeof e};
    OK(kmd_last_error(&e));
    SAME(e.row, 7);
    OK(kmd_board_format_moves(b, KMD_STYLE_KI2, NULL, 0, offsets, NULL, 0));
    SAME(offsets[0], 0);
    SAME(kmd_board_format_moves(b, 0, moves, 1, offsets, text, sizeof text), KMD_ERR_ARGUMENT);
    SAME(kmd_board_format_moves(b, KMD_STYLE_KI2, NULL, 1, offsets, text, sizeof text), KMD_ERR_ARGUMENT);
    SAME(kmd_board_format_moves(b, KMD_STYLE_KI2, moves, 1, NULL, text, sizeof text), KMD_ERR_ARGUMENT);
    SAME(kmd_board_format_moves(b, KMD_STYLE_KI2, moves, 1, offsets, NULL, 8), KMD_ERR_ARGUMENT);
    SAME(kmd_board_format_moves(b, KMD_STYLE_KI2, moves, SIZE_MAX, offsets, text, sizeof text), KMD_ERR_ARGUMENT);
    SAME(kmd_board_format_moves(b, KMD_STYLE_KI2, (const kmd_move *)((const char *)moves + 1), 1, offsets, text, sizeof text), KMD_ERR_ARGUMENT);
    SAME(kmd_board_format_moves(0, KMD_STYLE_KI2, moves, 1, offsets, text, sizeof text), KMD_ERR_HANDLE);
    OK(kmd_board_close(b));
}

static int shows(kmd_ki2 ki2, const char *want)
{
    char text[64];
    size_t n = 0;
    kmd_status s = kmd_ki2_to_text(ki2, text, sizeof text, &n);
    return is_text(want, s, text, n);
}

static void numbers(void)
{
    kmd_ki2 k = 0, other = 0;
    char text[64];
    size_t n = 0;
    const char *right = "▲５八金右";
    OK(kmd_ki2_from_text(right, strlen(right), &k));
    SAME(k, (43 + 1) << 2 | KMD_GOLD << 9 | 5 << 13); /* 5h is square 43 */
    SAME(kmd_ki2_is_valid(k), 1);
    THAT(shows(k, right));
    THAT(shows(kmd_ki2_flip_side(k), "△５二金右"));
    THAT(shows(kmd_ki2_mirror_file(k), "▲５八金左"));
    SAME(kmd_ki2_is_valid(0), 0);
    SAME(kmd_ki2_is_valid(UINT32_MAX), 0);
    SAME(kmd_ki2_flip_side(UINT32_MAX), UINT32_MAX);
    SAME(kmd_ki2_mirror_file(0), 0);
    THAT(shows(UINT32_MAX, "invalid"));
    SAME(kmd_ki2_to_text(k, text, 3, &n), KMD_ERR_BUFFER);
    SAME(n, strlen(right));
    SAME(kmd_ki2_to_text(k, NULL, 3, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_ki2_from_text("５八金右", strlen("５八金右"), &k), KMD_ERR_PARSE); /* whose? */
    SAME(kmd_ki2_from_text(NULL, 3, &k), KMD_ERR_ARGUMENT);
    SAME(kmd_ki2_from_text(right, strlen(right), NULL), KMD_ERR_ARGUMENT);

    kmd_board b = board_of(START);
    kmd_move m = 0;
    OK(kmd_board_ki2(b, KMD_PREVIOUS_OF_HISTORY, move_of("4i5h"), &other));
    SAME(other, k);
    OK(kmd_board_resolve_ki2(b, KMD_PREVIOUS_OF_HISTORY, k, &m));
    SAME(m, move_of("4i5h"));
    push(b, "7g7f");
    push(b, "3c3d");
    push(b, "8h2b+");
    OK(kmd_board_ki2(b, KMD_PREVIOUS_OF_HISTORY, move_of("3a2b"), &k));
    THAT(shows(k, "△同　銀"));
    OK(kmd_board_ki2(b, KMD_NO_SQUARE, move_of("3a2b"), &other));
    THAT(shows(other, "△２二銀"));
    OK(kmd_board_resolve_ki2(b, KMD_PREVIOUS_OF_HISTORY, k, &m));
    SAME(m, move_of("3a2b"));
    SAME(kmd_board_resolve_ki2(b, KMD_PREVIOUS_OF_HISTORY, other, &m), KMD_ERR_ILLEGAL_MOVE); /* it is written 同 */
    SAME(kmd_board_resolve_ki2(b, KMD_NO_SQUARE, k, &m), KMD_ERR_ILLEGAL_MOVE);
    OK(kmd_board_resolve_ki2(b, KMD_NO_SQUARE, other, &m));
    SAME(kmd_board_resolve_ki2(b, KMD_NO_SQUARE, 0, &m), KMD_ERR_INVALID_VALUE);
    for (int previous = 82; previous < 255; previous++) {
        SAME(kmd_board_ki2(b, (uint8_t)previous, move_of("3a2b"), &k), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_resolve_ki2(b, (uint8_t)previous, other, &m), KMD_ERR_INVALID_VALUE);
    }
    SAME(kmd_board_ki2(b, KMD_NO_SQUARE, move_of("7g7f"), &k), KMD_ERR_ILLEGAL_MOVE);
    SAME(kmd_board_ki2(b, KMD_NO_SQUARE, move_of("3a2b"), NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_resolve_ki2(b, KMD_NO_SQUARE, other, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_ki2(0, KMD_NO_SQUARE, move_of("3a2b"), &k), KMD_ERR_HANDLE);
    SAME(kmd_board_resolve_ki2(0, KMD_NO_SQUARE, other, &m), KMD_ERR_HANDLE);
    OK(kmd_board_close(b));
}

int main(void)
{
    written_and_read();
    all_moves_at_once();
    numbers();
    return report_tests("words");
}
