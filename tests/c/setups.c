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

int main(void)
{
    handicaps();
    return report_tests("setups");
}
