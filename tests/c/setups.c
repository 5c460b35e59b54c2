/* Setups: handicaps, editing, texts, and what they refuse. */
#include "check.h"

static int32_t named(const char *name)
{
    int32_t handicap = -1;
    OK(kmd_handicap_from_name(name, strlen(name), &handicap));
    return handicap;
}

static void handicaps(void)
{
    static const char *const starts[] = {"平手", "two piece", "左七枚落", "KY_R"};
    static const int32_t values[] = {KMD_HANDICAP_EVEN, KMD_HANDICAP_TWO_PIECE, KMD_HANDICAP_LEFT_SEVEN_PIECE, KMD_HANDICAP_RIGHT_LANCE};
    for (int i = 0; i < 4; i++)
        SAME(named(starts[i]), values[i]);
    char text[64];
    size_t n = 0;
    kmd_setup s = {.size = sizeof s};
    for (int32_t h = KMD_HANDICAP_EVEN; h < KMD_HANDICAP_OTHER; h++) {
        int32_t back = -1;
        for (int32_t japanese = 0; japanese < 2; japanese++) {
            OK(kmd_handicap_name(h, japanese, text, sizeof text - 1, &n));
            text[n] = 0;
            SAME(named(text), h);
        }
        OK(kmd_setup_handicap(h, &s));
        SAME(s.ply, 1);
        SAME(s.turn, h == KMD_HANDICAP_EVEN ? KMD_BLACK : KMD_WHITE);
        s.ply = 50;
        OK(kmd_setup_to_handicap(&s, &back));
        SAME(back, h);
        kmd_board b = 0;
        OK(kmd_board_from_setup(&s, &b));
        OK(kmd_board_close(b));
    }
    s.board[40] = KMD_PAWN;
    int32_t handicap = -1;
    OK(kmd_setup_to_handicap(&s, &handicap));
    SAME(handicap, KMD_HANDICAP_OTHER);
    OK(kmd_setup_handicap(KMD_HANDICAP_LANCE, &s));
    SAME(s.board[0], KMD_NO_PIECE);
    SAME(s.board[72], KMD_WHITE_PIECE + KMD_LANCE);

    handicap = 77;
    kmd_setup untouched = s;
    SAME(kmd_handicap_from_name("七枚落ち", 12, &handicap), KMD_ERR_PARSE);
    SAME(kmd_handicap_from_name(NULL, 0, &handicap), KMD_ERR_PARSE);
    SAME(kmd_handicap_from_name(NULL, 3, &handicap), KMD_ERR_ARGUMENT);
    SAME(kmd_handicap_from_name("lance", (size_t)-1, &handicap), KMD_ERR_ARGUMENT);
    SAME(kmd_handicap_from_name("lance", 5, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_handicap_from_name("lance", 5, (int32_t *)(void *)(text + 1)), KMD_ERR_ARGUMENT);
    SAME(kmd_handicap_name(17, 0, text, sizeof text, &n), KMD_ERR_INVALID_VALUE);
    SAME(kmd_handicap_name(-1, 1, text, sizeof text, &n), KMD_ERR_INVALID_VALUE);
    SAME(kmd_handicap_name(0, 1, NULL, 0, &n), KMD_ERR_BUFFER);
    SAME(n, 6);
    SAME(kmd_handicap_name(0, 1, NULL, 9, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_handicap(KMD_HANDICAP_OTHER, &s), KMD_ERR_INVALID_VALUE);
    SAME(kmd_setup_handicap(INT32_MIN, &s), KMD_ERR_INVALID_VALUE);
    SAME(kmd_setup_handicap(0, NULL), KMD_ERR_ARGUMENT);
    THAT(memcmp(&s, &untouched, sizeof s) == 0);
    s.size--;
    SAME(kmd_setup_handicap(0, &s), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_to_handicap(&s, &handicap), KMD_ERR_ARGUMENT);
    s.size++;
    SAME(kmd_setup_to_handicap(&s, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_to_handicap(NULL, &handicap), KMD_ERR_ARGUMENT);
    SAME(handicap, 77);
}

static kmd_setup read_as(int32_t format, const char *text)
{
    kmd_setup s = {.size = sizeof s};
    OK(kmd_setup_from_text(format, text, strlen(text), &s));
    return s;
}

static int is_text(const kmd_setup *s, int32_t format, const char *want)
{
    char text[1024];
    size_t n = 0;
    kmd_status status = kmd_setup_to_text(s, format, text, sizeof text - 1, &n);
    text[status == KMD_OK ? n : 0] = 0;
    if (strcmp(text, want) != 0)
        fprintf(stderr, "    got %s (status %d)\n    want %s\n", text, status, want);
    return strcmp(text, want) == 0;
}

static int equal(const kmd_setup *a, const kmd_setup *b) { return memcmp(a, b, sizeof *a) == 0; }

static void texts(void)
{
    static const char mate[] = "4k4/9/4+P4/9/9/9/9/9/9 b G 7";
    kmd_setup s = read_as(KMD_TEXT_SFEN, mate);
    SAME(s.ply, 7);
    SAME(s.board[36], KMD_WHITE_PIECE + KMD_KING);
    SAME(s.hands[0][KMD_GOLD - 1], 1);
    THAT(is_text(&s, KMD_TEXT_SFEN, mate));
    THAT(is_text(&s, KMD_TEXT_SFEN_WITHOUT_PLY, "4k4/9/4+P4/9/9/9/9/9/9 b G"));
    THAT(is_text(&s, KMD_TEXT_CSA,
                 "P1 *  *  *  * -OU *  *  *  * \nP2 *  *  *  *  *  *  *  *  * \nP3 *  *  *  * +TO *  *  *  * \n"
                 "P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n"
                 "P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \nP9 *  *  *  *  *  *  *  *  * \n"
                 "P+00KI\nP-\n+"));
    /* Every text reads back, and a board writes the same ones. */
    kmd_board b = 0;
    OK(kmd_board_from_setup(&s, &b));
    for (int32_t format = KMD_TEXT_SFEN; format <= KMD_TEXT_SFEN_WITHOUT_PLY; format++) {
        char text[1024], again[1024];
        size_t n = 0, m = 0;
        OK(kmd_setup_to_text(&s, format, text, sizeof text - 1, &n));
        text[n] = 0;
        SAME(kmd_setup_to_text(&s, format, again, n - 1, &m), KMD_ERR_BUFFER);
        SAME(m, n);
        OK(kmd_board_to_text(b, format, again, sizeof again, &m));
        THAT(m == n && memcmp(again, text, n) == 0);
        kmd_setup back = read_as(format, text);
        back.ply = format == KMD_TEXT_CSA || format == KMD_TEXT_SFEN_WITHOUT_PLY ? s.ply : back.ply;
        THAT(equal(&back, &s));
    }
    SAME(kmd_board_to_text(b, 0, NULL, 0, NULL), KMD_ERR_INVALID_VALUE);
    OK(kmd_board_close(b));
    SAME(kmd_board_to_text(b, KMD_TEXT_BOD, NULL, 0, NULL), KMD_ERR_HANDLE);

    kmd_setup untouched = s;
    kmd_error e = {.size = sizeof e};
    SAME(kmd_setup_from_text(KMD_TEXT_CSA, "PI\nP+55XX", 9, &s), KMD_ERR_PARSE);
    OK(kmd_last_error(&e));
    SAME(e.offset, 7);
    SAME(kmd_setup_from_text(KMD_TEXT_BOD, NULL, 0, &s), KMD_ERR_PARSE);
    SAME(kmd_setup_from_text(KMD_TEXT_BOD, NULL, 1, &s), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_from_text(KMD_TEXT_SFEN, mate, (size_t)-1, &s), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_from_text(0, mate, strlen(mate), &s), KMD_ERR_INVALID_VALUE);
    SAME(kmd_setup_from_text(INT32_MAX, mate, strlen(mate), &s), KMD_ERR_INVALID_VALUE);
    SAME(kmd_setup_from_text(KMD_TEXT_SFEN, mate, strlen(mate), NULL), KMD_ERR_ARGUMENT);
    THAT(equal(&s, &untouched));
    SAME(kmd_setup_to_text(NULL, KMD_TEXT_SFEN, NULL, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_to_text(&s, KMD_TEXT_SFEN, NULL, 9, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_to_text(&s, 6, NULL, 0, NULL), KMD_ERR_INVALID_VALUE);
    s.board[3] = 31;
    SAME(kmd_setup_to_text(&s, KMD_TEXT_CSA, NULL, 0, NULL), KMD_ERR_INVALID_POSITION);
    s = untouched;
    s.hands[1][KMD_ROOK - 1] = 4;
    SAME(kmd_setup_to_text(&s, KMD_TEXT_CSA, NULL, 0, NULL), KMD_ERR_INVALID_VALUE);
    s.size = 0;
    SAME(kmd_setup_to_text(&s, KMD_TEXT_CSA, NULL, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_from_text(KMD_TEXT_SFEN, mate, strlen(mate), &s), KMD_ERR_ARGUMENT);
}

static void problems(void)
{
    /* Two black kings, three rooks on the board and four in a hand, a dead pawn, a second pawn, White in check, a piece that is none, ply 0. */
    kmd_setup s = read_as(KMD_TEXT_SFEN, "P3k4/4R4/P8/9/9/9/9/3RR4/3KK4 b - 1");
    s.hands[1][KMD_ROOK - 1] = 200;
    s.board[80] = 99;
    s.ply = 0;
    kmd_problem found[KMD_MAX_PROBLEMS];
    size_t n = 0;
    OK(kmd_setup_problems(&s, found, KMD_MAX_PROBLEMS, &n));
    static const int32_t kinds[] = {KMD_PROBLEM_TWO_KINGS,          KMD_PROBLEM_INVALID_PLACEMENT, KMD_PROBLEM_DOUBLE_PAWN, KMD_PROBLEM_INVALID_PLACEMENT,
                                    KMD_PROBLEM_INVALID_HAND_COUNT, KMD_PROBLEM_TOO_MANY_PIECES,   KMD_PROBLEM_INVALID_PLY, KMD_PROBLEM_OPPONENT_IN_CHECK};
    SAME(n, sizeof kinds / sizeof kinds[0]);
    for (size_t i = 0; i < n && i < sizeof kinds / sizeof kinds[0]; i++)
        SAME(found[i].kind, kinds[i]);
    memset(found, 0, sizeof found);
    OK(kmd_setup_problems(&s, found, 2, &n));
    SAME(n, 8);
    SAME(found[1].square, 72);
    SAME(found[2].kind, 0);
    OK(kmd_setup_problems(&s, NULL, 0, &n));
    SAME(n, 8);
    SAME(kmd_setup_problems(&s, NULL, 3, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_problems(&s, NULL, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_problems(NULL, found, 2, &n), KMD_ERR_ARGUMENT);
    kmd_board b = 0;
    kmd_error e = {.size = sizeof e};
    SAME(kmd_board_from_setup(&s, &b), KMD_ERR_INVALID_POSITION);
    OK(kmd_last_error(&e));
    SAME(e.problem_count, 8);
    /* Any bytes have fewer problems than there is said to be room for. */
    for (int fill = 0; fill < 256; fill++) {
        memset(&s, fill, sizeof s);
        s.size = sizeof s;
        OK(kmd_setup_problems(&s, NULL, 0, &n));
        THAT(n <= KMD_MAX_PROBLEMS);
    }
}

static void editing(void)
{
    kmd_setup s = read_as(KMD_TEXT_SFEN, "4k4/9/4+P4/9/9/9/9/9/9 b G 7"), t = s;
    uint8_t box[8];
    OK(kmd_setup_box(&s, box));
    static const uint8_t rest[8] = {17, 4, 4, 4, 2, 2, 3, 1};
    THAT(memcmp(box, rest, 8) == 0);
    OK(kmd_setup_give_box(&s, KMD_WHITE));
    THAT(is_text(&s, KMD_TEXT_SFEN, "4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 7"));
    OK(kmd_setup_box(&s, box));
    SAME(box[0] + box[6], 0);
    SAME(box[7], 1);
    OK(kmd_setup_flip_side(&s, &t));
    THAT(is_text(&t, KMD_TEXT_SFEN, "9/9/9/9/9/9/4+p4/9/4K4 w 2R2B3G4S4N4L17Pg 7"));
    OK(kmd_setup_flip_side(&t, &t));
    THAT(equal(&s, &t));
    s = read_as(KMD_TEXT_SFEN, "8K/9/9/9/9/9/9/9/k7p w R 2");
    OK(kmd_setup_mirror_file(&s, &t));
    THAT(is_text(&t, KMD_TEXT_SFEN, "K8/9/9/9/9/9/9/9/p7k w R 2"));

    kmd_setup untouched = s;
    SAME(kmd_setup_give_box(&s, 2), KMD_ERR_INVALID_VALUE);
    SAME(kmd_setup_give_box(NULL, 0), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_box(&s, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_box(NULL, box), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_flip_side(&s, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_flip_side(NULL, &s), KMD_ERR_ARGUMENT);
    t.size = 1;
    SAME(kmd_setup_mirror_file(&s, &t), KMD_ERR_ARGUMENT);
    SAME(kmd_setup_mirror_file(&t, &s), KMD_ERR_ARGUMENT);
    THAT(equal(&s, &untouched));
    s.hands[0][KMD_PAWN - 1] = 32;
    untouched = s;
    SAME(kmd_setup_give_box(&s, KMD_BLACK), KMD_ERR_INVALID_VALUE);
    SAME(kmd_setup_flip_side(&s, &s), KMD_ERR_INVALID_VALUE);
    THAT(equal(&s, &untouched));
}

int main(void)
{
    handicaps();
    texts();
    problems();
    editing();
    return report_tests("setups");
}
