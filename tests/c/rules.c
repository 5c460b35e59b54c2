/* Rules: declarations, profiles, outcomes, and what they refuse. */
#include "check.h"

/* Twenty-eight points in the camp and in hand: a win under the rule of 27 points, a draw under that of 24. */
#define ENTERED "K+P+P+P+P+P+P+P+P/+P+P7/9/9/9/9/9/9/k8 b 2RB3P 1"

static kmd_rules profile(const char *name)
{
    kmd_rules r = {.size = sizeof r};
    OK(kmd_rules_profile(name, strlen(name), &r));
    return r;
}

static kmd_outcome outcome(kmd_board b, const kmd_rules *rules, int32_t declare)
{
    kmd_outcome o = {.size = sizeof o};
    OK(kmd_board_outcome(b, rules, declare, &o));
    SAME(o.size, sizeof o);
    return o;
}

static void declarations(void)
{
    static const struct {
        const char *sfen;
        int32_t rule, verdict, points, required, pieces, king, check;
        const char *move;
    } rows[] = {
        {START, KMD_RULE_CSA27, KMD_VERDICT_NONE, 0, 28, 0, 0, 0, "none"},
        {ENTERED, KMD_RULE_CSA27, KMD_VERDICT_WIN, 28, 28, 10, 1, 0, "win"},
        {ENTERED, KMD_RULE_CSA24, KMD_VERDICT_DRAW, 28, 31, 10, 1, 0, "none"},
        {ENTERED, KMD_RULE_CSA24_HANDICAP, KMD_VERDICT_DRAW, 28, 31, 10, 1, 0, "none"},
        {ENTERED, KMD_RULE_NONE, KMD_VERDICT_NONE, 28, 0, 10, 1, 0, "none"},
        {"8K/9/9/9/9/9/9/7+p+p/+p+p+p+p+p+p+p+pk w RB4G4S4N3Ll7p 1", KMD_RULE_CSA27_HANDICAP, KMD_VERDICT_WIN, 18, 16, 10, 1, 0, "win"},
        {"9/4K3r/9/9/9/9/9/9/8k b - 1", KMD_RULE_TRY, KMD_VERDICT_WIN, 0, 0, 0, 1, 1, "5b5a"},
        {"9/9/4K4/9/9/9/9/9/8k b - 1", KMD_RULE_TRY, KMD_VERDICT_NONE, 0, 0, 0, 1, 0, "none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kmd_board b = board_of(rows[i].sfen);
        kmd_declaration d = {.size = sizeof d, .reserved = 7};
        OK(kmd_board_declaration(b, rows[i].rule, &d));
        SAME(d.verdict, rows[i].verdict);
        SAME(d.points, rows[i].points);
        SAME(d.required, rows[i].required);
        SAME(d.pieces_in_camp, rows[i].pieces);
        SAME(d.king_in_camp, rows[i].king);
        SAME(d.in_check, rows[i].check);
        SAME(d.move, move_of(rows[i].move));
        SAME(d.reserved, 0);
        SAME(d.size, sizeof d);
        OK(kmd_board_close(b));
    }

    kmd_board b = board_of(START);
    kmd_declaration d = {.size = sizeof d, .points = -5};
    SAME(kmd_board_declaration(b, 6, &d), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_declaration(b, -1, &d), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_declaration(b, 256, &d), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_declaration(b, KMD_RULE_TRY, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_declaration(b, KMD_RULE_TRY, (kmd_declaration *)((char *)&d + 1)), KMD_ERR_ARGUMENT);
    d.size--;
    SAME(kmd_board_declaration(b, KMD_RULE_TRY, &d), KMD_ERR_ARGUMENT);
    d.size = 0;
    SAME(kmd_board_declaration(b, KMD_RULE_TRY, &d), KMD_ERR_ARGUMENT);
    SAME(last_kind(), KMD_ERR_ARGUMENT);
    d.size = sizeof d;
    OK(kmd_board_close(b));
    SAME(kmd_board_declaration(b, KMD_RULE_CSA27, &d), KMD_ERR_HANDLE);
    b = board_of("9/9/9/9/9/9/9/9/4K4 b P 1");
    SAME(kmd_board_declaration(b, KMD_RULE_CSA27, &d), KMD_ERR_INVALID_POSITION);
    SAME(kmd_board_declaration(b, KMD_RULE_NONE, &d), KMD_ERR_INVALID_POSITION);
    SAME(d.points, -5);
    OK(kmd_board_close(b));
}

static void profiles(void)
{
    static const struct {
        const char *name;
        kmd_rules want;
    } rows[] = {
        {"JSA", {sizeof(kmd_rules), 4, KMD_RULE_CSA24, 500, 1, KMD_HANDICAP_EVEN}},
        {"CSA", {sizeof(kmd_rules), 4, KMD_RULE_CSA27, 320, 0, KMD_HANDICAP_EVEN}},
        {"floodgate", {sizeof(kmd_rules), 4, KMD_RULE_CSA27, 256, 0, KMD_HANDICAP_EVEN}},
        {"DLSHOGI", {sizeof(kmd_rules), 2, KMD_RULE_CSA27, 320, 0, KMD_HANDICAP_EVEN}},
    };
    kmd_board b = board_of(START);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kmd_rules r = profile(rows[i].name);
        THAT(memcmp(&r, &rows[i].want, sizeof r) == 0);
        SAME(outcome(b, &r, KMD_DECLARE_TO_DRAW).reason, KMD_REASON_NONE);
    }
    OK(kmd_board_close(b));
    kmd_rules r = {.size = sizeof r, .repetition = 77};
    SAME(kmd_rules_profile("FIDE", 4, &r), KMD_ERR_PARSE);
    SAME(kmd_rules_profile("", 0, &r), KMD_ERR_PARSE);
    SAME(kmd_rules_profile("JSA\0", 4, &r), KMD_ERR_PARSE);
    SAME(kmd_rules_profile(NULL, 3, &r), KMD_ERR_ARGUMENT);
    SAME(kmd_rules_profile("JSA", (size_t)1 << 62, &r), KMD_ERR_ARGUMENT);
    SAME(kmd_rules_profile("JSA", 3, NULL), KMD_ERR_ARGUMENT);
    SAME(r.repetition, 77);
    r.size = 4;
    SAME(kmd_rules_profile("JSA", 3, &r), KMD_ERR_ARGUMENT);
}

static void outcomes(void)
{
    static const char *const shuffle[] = {"2h3h", "8b7b", "3h2h", "7b8b"};
    kmd_rules rules = profile("JSA"), training = profile("DLSHOGI");
    kmd_board b = board_of(START);
    for (int i = 0; i < 12; i++) {
        OK(kmd_board_push(b, move_of(shuffle[i % 4])));
        SAME(outcome(b, &rules, KMD_DECLARE_TO_WIN).reason, i == 11 ? KMD_REASON_REPETITION : KMD_REASON_NONE);
        SAME(outcome(b, &training, KMD_DECLARE_TO_WIN).reason, i >= 3 ? KMD_REASON_REPETITION : KMD_REASON_NONE);
    }
    kmd_outcome o = outcome(b, &rules, KMD_DECLARE_NEVER);
    SAME(o.result, KMD_DRAW);
    SAME(o.end, KMD_END_DRAW_BY_REPETITION);
    SAME(o.terminal, KMD_TERMINAL_DRAW);
    rules.repetition = 0;
    o = outcome(b, &rules, KMD_DECLARE_NEVER);
    SAME(o.reason, KMD_REASON_NONE);
    SAME(o.result, -1);
    SAME(o.end, KMD_END_PAUSED);
    SAME(o.terminal, KMD_TERMINAL_NONE);
    rules.move_limit = 12;
    SAME(outcome(b, &rules, KMD_DECLARE_NEVER).reason, KMD_REASON_MOVE_LIMIT);
    rules.move_limit = 13;
    SAME(outcome(b, &rules, KMD_DECLARE_NEVER).reason, KMD_REASON_NONE);
    OK(kmd_board_close(b));

    b = board_of(ENTERED);
    rules = profile("CSA");
    o = outcome(b, &rules, KMD_DECLARE_TO_WIN);
    SAME(o.reason, KMD_REASON_DECLARATION_WIN);
    SAME(o.result, KMD_BLACK_WIN);
    SAME(o.end, KMD_END_BLACK_WIN_BY_DECLARATION);
    SAME(o.terminal, KMD_TERMINAL_WIN);
    SAME(outcome(b, &rules, KMD_DECLARE_NEVER).reason, KMD_REASON_NONE);
    rules.entering_king = KMD_RULE_CSA24;
    SAME(outcome(b, &rules, KMD_DECLARE_TO_WIN).reason, KMD_REASON_NONE);
    SAME(outcome(b, &rules, KMD_DECLARE_TO_DRAW).reason, KMD_REASON_IMPASSE);
    OK(kmd_board_close(b));

    b = board_of("4k4/9/4P4/9/9/9/9/9/9 b G 1"); /* no black king: mate is mate, and nobody declares */
    OK(kmd_board_push(b, move_of("G*5b")));
    rules = profile("JSA");
    rules.move_limit = 1;
    o = outcome(b, &rules, KMD_DECLARE_TO_WIN);
    SAME(o.reason, KMD_REASON_CHECKMATE);
    SAME(o.result, KMD_BLACK_WIN);
    SAME(o.end, KMD_END_BLACK_WIN);
    SAME(o.terminal, KMD_TERMINAL_LOSS);

    kmd_rules good = profile("JSA");
    o.reason = 77;
    SAME(kmd_board_outcome(b, NULL, 0, &o), KMD_ERR_ARGUMENT);
    SAME(kmd_board_outcome(b, &good, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_outcome(b, (const kmd_rules *)((const char *)&good + 2), 0, &o), KMD_ERR_ARGUMENT);
    SAME(kmd_board_outcome(b, &good, -1, &o), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_outcome(b, &good, 3, &o), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_outcome(b, &good, 256, &o), KMD_ERR_INVALID_VALUE);
    const int32_t bad[][5] = {
        {1, 0, 0, 0, 0}, {-4, 0, 0, 0, 0}, {4, 6, 0, 0, 0},  {4, -1, 0, 0, 0}, {4, 261, 0, 0, 0}, {4, 0, -1, 0, 0},
        {4, 0, 0, 2, 0}, {4, 0, 0, -1, 0}, {4, 0, 0, 0, 17}, {4, 0, 0, 0, -1}, {4, 0, 0, 0, 256},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kmd_rules r = {sizeof r, bad[i][0], bad[i][1], bad[i][2], bad[i][3], bad[i][4]};
        SAME(kmd_board_outcome(b, &r, KMD_DECLARE_TO_WIN, &o), KMD_ERR_INVALID_VALUE);
        SAME(last_kind(), KMD_ERR_INVALID_VALUE);
    }
    good.size = sizeof good - 4;
    SAME(kmd_board_outcome(b, &good, 0, &o), KMD_ERR_ARGUMENT);
    good.size = sizeof good;
    o.size = 0;
    SAME(kmd_board_outcome(b, &good, 0, &o), KMD_ERR_ARGUMENT);
    o.size = sizeof o;
    OK(kmd_board_close(b));
    SAME(kmd_board_outcome(b, &good, 0, &o), KMD_ERR_HANDLE);
    SAME(kmd_board_outcome(0, &good, 0, &o), KMD_ERR_HANDLE);
    SAME(o.reason, 77);
}

int main(void)
{
    declarations();
    profiles();
    outcomes();
    return report_tests("rules");
}
