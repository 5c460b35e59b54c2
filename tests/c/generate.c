/* Moves by kind, attacks, exchanges, keys: the definitions, asked of the complete legal list, and every wrong argument. */
#include "check.h"

#define BUSY "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"
#define CHECKED "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2S2/1PPb2P1P/P5GS1/R8/LN4bKL b RGgsn6p 1"

static int has(const kmd_move *list, size_t n, kmd_move m)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == m)
            return 1;
    return 0;
}

static int bit(const uint64_t words[2], int sq) { return sq < 63 ? words[0] >> sq & 1 : words[1] >> (sq - 63) & 1; }

/* Whether a legal move is of a kind. */
static int belongs(kmd_board b, int32_t kind, uint8_t square, kmd_move m)
{
    kmd_setup s = {.size = sizeof s};
    OK(kmd_board_get_setup(b, &s));
    int drop = m >> 14 & 1, promotes = m >> 15, to = m & 127, from = m >> 7 & 127;
    int takes = !drop && s.board[to] != 0;
    switch (kind) {
    case KMD_MOVES_ALL:
    case KMD_MOVES_PSEUDO_LEGAL: return 1;
    case KMD_MOVES_SEARCH: {
        if (drop || promotes)
            return 1;
        int far_to = s.turn == KMD_BLACK ? to % 9 : 8 - to % 9, far_from = s.turn == KMD_BLACK ? from % 9 : 8 - from % 9;
        switch (s.board[from] & 15) {
        case KMD_PAWN:
        case KMD_BISHOP:
        case KMD_ROOK: return far_to > 2 && far_from > 2;
        case KMD_LANCE: return far_to > 1;
        }
        return 1;
    }
    case KMD_MOVES_CAPTURES: return takes;
    case KMD_MOVES_QUIETS: return !takes;
    case KMD_MOVES_EVASIONS: {
        uint64_t set[2];
        OK(kmd_board_checkers(b, set));
        return (set[0] | set[1]) != 0;
    }
    case KMD_MOVES_CHECKS: {
        int32_t check = 0;
        OK(kmd_board_gives_check(b, m, &check));
        return check;
    }
    case KMD_MOVES_RECAPTURES: return takes && to == square;
    case KMD_MOVES_DROPS: return drop;
    }
    return takes || promotes;
}

static void kinds(const char *sfen)
{
    kmd_board b = board_of(sfen);
    kmd_move legal[KMD_MAX_LEGAL_MOVES], moves[KMD_MAX_LEGAL_MOVES], quick[KMD_MAX_LEGAL_MOVES], stage[KMD_MAX_LEGAL_MOVES];
    int32_t n = kmd_board_list(b, legal);
    THAT(n > 0);
    for (int32_t kind = 0; kind < KMD_MOVE_KINDS; kind++)
        for (int sq = 0; sq < (kind == KMD_MOVES_RECAPTURES ? 81 : 1); sq++) {
            size_t count = 0, part = 0, sum = 0, wanted = 0;
            OK(kmd_board_generate(b, kind, (uint8_t)sq, moves, KMD_MAX_LEGAL_MOVES, &count));
            for (int32_t i = 0; i < n; i++)
                if (belongs(b, kind, (uint8_t)sq, legal[i])) {
                    wanted++;
                    THAT(has(moves, count, legal[i]));
                }
            THAT(kind == KMD_MOVES_PSEUDO_LEGAL ? count >= wanted : count == wanted);
            SAME(kmd_quick_generate(b, kind, (uint8_t)sq, KMD_ALL_STAGES, quick), count);
            THAT(memcmp(moves, quick, count * sizeof *moves) == 0);
            for (int32_t s = 0; s < KMD_MOVE_STAGES; s++) {
                OK(kmd_board_generate_stage(b, kind, (uint8_t)sq, s, stage, KMD_MAX_LEGAL_MOVES, &part));
                SAME(kmd_quick_generate(b, kind, (uint8_t)sq, s, quick), part);
                THAT(memcmp(stage, quick, part * sizeof *stage) == 0);
                for (size_t i = 0; i < part; i++)
                    THAT(has(moves, count, stage[i]) && (stage[i] >> 14 & 1) == (s == 2));
                sum += part;
            }
            SAME(sum, count);
            if (count > 0) {
                SAME(kmd_board_generate(b, kind, (uint8_t)sq, moves, count - 1, &part), KMD_ERR_BUFFER);
                SAME(part, count);
                SAME(kmd_board_generate(b, kind, (uint8_t)sq, NULL, 0, &part), KMD_ERR_BUFFER);
            } else {
                OK(kmd_board_generate(b, kind, (uint8_t)sq, NULL, 0, &part));
            }
        }
    OK(kmd_board_close(b));
}

static void attacks(void)
{
    kmd_board b = board_of("4k4/9/9/4p4/9/9/9/1b2R4/4K4 b P 1");
    uint64_t set[2], other[2];
    OK(kmd_board_attackers_to(b, 39, KMD_BLACK, set)); /* 5d */
    THAT(set[0] == (uint64_t)1 << 43 && set[1] == 0);
    OK(kmd_board_attacks_by(b, 39, set));
    THAT(set[0] == (uint64_t)1 << 40);
    OK(kmd_board_attacks_by(b, 0, set));
    THAT((set[0] | set[1]) == 0);
    OK(kmd_board_blockers(b, KMD_WHITE, set));
    THAT(set[0] == (uint64_t)1 << 39);
    OK(kmd_board_pinned(b, KMD_WHITE, other));
    THAT(memcmp(set, other, sizeof set) == 0);
    OK(kmd_board_discoverers(b, set));
    THAT((set[0] | set[1]) == 0);
    OK(kmd_board_check_squares(b, KMD_PAWN, set));
    THAT(set[0] == (uint64_t)1 << 37);

    /* What attacks what, told three ways. */
    uint8_t counts[2][81], by_kind[2][15][81], mobility[81];
    for (uint8_t c = 0; c < 2; c++) {
        OK(kmd_board_attacked_by(b, c, set));
        OK(kmd_board_attack_counts(b, 0, counts));
        OK(kmd_board_attack_counts_by_kind(b, 0, by_kind));
        OK(kmd_board_mobility(b, mobility));
        for (uint8_t sq = 0; sq < 81; sq++) {
            int32_t attacked = 0;
            OK(kmd_board_is_attacked(b, sq, c, &attacked));
            SAME(attacked, bit(set, sq));
            OK(kmd_board_attackers_to(b, sq, c, other));
            int n = 0, kinds = 0;
            for (uint8_t from = 0; from < 81; from++)
                if (bit(other, from)) {
                    uint64_t back[2];
                    OK(kmd_board_attacks_by(b, from, back));
                    THAT(bit(back, sq));
                    n++;
                }
            SAME(attacked, n > 0);
            SAME(counts[c][sq], n);
            SAME(by_kind[c][0][sq], n);
            for (int kind = 1; kind < 15; kind++)
                kinds += by_kind[c][kind][sq];
            SAME(kinds, n);
        }
    }
    SAME(mobility[43], 11); /* the rook: 5d 5e 5f 5g upwards, six squares and the bishop sideways, not the king below */
    SAME(mobility[0], 0);
    OK(kmd_board_close(b));

    b = board_of("4k4/9/9/9/9/4P4/9/4L4/4K4 b - 1");
    for (int32_t xray = 0; xray < 2; xray++) {
        OK(kmd_board_attack_counts(b, xray, counts));
        SAME(counts[0][40], 1 + xray);
        OK(kmd_board_attack_counts_by_kind(b, xray, by_kind));
        SAME(by_kind[0][KMD_LANCE][40], xray);
    }
    OK(kmd_board_close(b));
}

static void exchanges(void)
{
    kmd_board b = board_of("4k4/9/9/4g4/4p4/4R4/9/9/4K4 b - 1");
    int32_t value = 0;
    OK(kmd_board_see(b, move_of("5f5e"), &value));
    SAME(value, 200 - 2000);
    SAME(kmd_board_see(b, move_of("5f5d"), &value), KMD_ERR_ILLEGAL_MOVE);
    SAME(kmd_board_see(b, KMD_MOVE_RESIGN, &value), KMD_ERR_ILLEGAL_MOVE);
    SAME(kmd_board_see(b, 0xFFFF, &value), KMD_ERR_ILLEGAL_MOVE);
    SAME(value, 200 - 2000);
    OK(kmd_board_close(b));
}

static void keys(void)
{
    kmd_board b = 0;
    uint64_t key = 0, wide[2] = {0, 0}, pawns = 0, material = 0, again = 0;
    OK(kmd_board_new(&b));
    OK(kmd_board_keys(b, &key, NULL, NULL));
    OK(kmd_board_key128(b, wide));
    OK(kmd_board_pawn_key(b, &pawns));
    OK(kmd_board_material_key(b, &material));
    THAT(wide[0] == key && wide[1] == 0xd44af54fee560e2c && pawns == 0x73382ba48c1859a3 && material == 0x770ff7d774c8224a);

    const kmd_board_view *view = NULL;
    OK(kmd_board_get_view(b, &view));
    SAME(view->last_move, KMD_MOVE_NONE);
    OK(kmd_board_push(b, move_of("2h3h")));
    SAME(view->last_move, move_of("2h3h"));
    OK(kmd_board_pawn_key(b, &again));
    THAT(again == pawns);
    OK(kmd_board_material_key(b, &again));
    THAT(again == material);
    OK(kmd_board_push_null(b));
    SAME(view->last_move, KMD_MOVE_NULL);
    OK(kmd_board_pop(b, NULL));
    SAME(view->last_move, move_of("2h3h"));
    OK(kmd_board_pop(b, NULL));
    SAME(view->last_move, KMD_MOVE_NONE);
    OK(kmd_board_close(b));
}

static void wrong_arguments(void)
{
    kmd_board b = board_of(START), gone = b;
    kmd_move moves[KMD_MAX_LEGAL_MOVES];
    uint64_t set[2] = {7, 7};
    uint8_t counts[2 * 15 * 81] = {7};
    int32_t x = 7;
    size_t n = 7;
    static const int32_t kinds[] = {-1, KMD_MOVE_KINDS, 1 << 20};
    for (int i = 0; i < 3; i++) {
        SAME(kmd_board_generate(b, kinds[i], 0, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_ARGUMENT);
        SAME(kmd_board_generate_stage(b, kinds[i], 0, 0, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_ARGUMENT);
        SAME(kmd_quick_generate(b, kinds[i], 0, KMD_ALL_STAGES, moves), KMD_ERR_ARGUMENT);
    }
    for (int sq = 81; sq < 256; sq += 58) {
        SAME(kmd_board_generate(b, KMD_MOVES_RECAPTURES, (uint8_t)sq, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_generate_stage(b, KMD_MOVES_RECAPTURES, (uint8_t)sq, 0, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_INVALID_VALUE);
        SAME(kmd_quick_generate(b, KMD_MOVES_RECAPTURES, (uint8_t)sq, 0, moves), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_attackers_to(b, (uint8_t)sq, 0, set), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_attacks_by(b, (uint8_t)sq, set), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_is_attacked(b, (uint8_t)sq, 0, &x), KMD_ERR_INVALID_VALUE);
        OK(kmd_board_generate(b, KMD_MOVES_ALL, (uint8_t)sq, moves, KMD_MAX_LEGAL_MOVES, NULL));
    }
    SAME(kmd_board_generate_stage(b, KMD_MOVES_ALL, 0, -1, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_board_generate_stage(b, KMD_MOVES_ALL, 0, KMD_MOVE_STAGES, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_board_generate_stage(b, KMD_MOVES_ALL, 0, 1, NULL, 3, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_generate(b, KMD_MOVES_ALL, 0, -2, moves), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_generate(b, KMD_MOVES_ALL, 0, KMD_MOVE_STAGES, moves), KMD_ERR_ARGUMENT);
    SAME(kmd_board_generate(b, KMD_MOVES_ALL, 0, NULL, 3, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_board_generate(b, KMD_MOVES_ALL, 0, NULL, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_generate(b, KMD_MOVES_ALL, 0, (kmd_move *)((char *)moves + 1), 30, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_generate(b, KMD_MOVES_ALL, 0, 0, NULL), KMD_ERR_ARGUMENT);
    for (int c = 2; c < 256; c += 127) {
        SAME(kmd_board_attackers_to(b, 0, (uint8_t)c, set), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_attacked_by(b, (uint8_t)c, set), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_blockers(b, (uint8_t)c, set), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_pinned(b, (uint8_t)c, set), KMD_ERR_INVALID_VALUE);
        SAME(kmd_board_is_attacked(b, 0, (uint8_t)c, &x), KMD_ERR_INVALID_VALUE);
    }
    SAME(kmd_board_check_squares(b, 0, set), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_check_squares(b, 15, set), KMD_ERR_INVALID_VALUE);
    SAME(kmd_board_check_squares(b, 255, set), KMD_ERR_INVALID_VALUE);

    SAME(kmd_board_attackers_to(b, 0, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_attacks_by(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_attacked_by(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_checkers(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_blockers(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_pinned(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_discoverers(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_check_squares(b, 1, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_is_attacked(b, 0, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_attack_counts(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_attack_counts_by_kind(b, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_mobility(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_see(b, move_of("7g7f"), NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_pawn_key(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_material_key(b, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_board_key128(b, NULL), KMD_ERR_ARGUMENT);

    OK(kmd_board_close(b));
    SAME(kmd_board_generate(gone, KMD_MOVES_ALL, 0, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_HANDLE);
    SAME(kmd_board_generate_stage(gone, KMD_MOVES_ALL, 0, 0, moves, KMD_MAX_LEGAL_MOVES, &n), KMD_ERR_HANDLE);
    SAME(kmd_quick_generate(gone, KMD_MOVES_ALL, 0, 0, moves), KMD_ERR_HANDLE);
    SAME(kmd_board_attacks_by(gone, 0, set), KMD_ERR_HANDLE);
    SAME(kmd_board_attack_counts(gone, 0, (uint8_t (*)[81])counts), KMD_ERR_HANDLE);
    SAME(kmd_board_see(gone, 0, &x), KMD_ERR_HANDLE);
    SAME(kmd_board_key128(gone, set), KMD_ERR_HANDLE);
    THAT(n == 7 && x == 7 && set[0] == 7 && set[1] == 7 && counts[0] == 7); /* failures write nothing */
}

int main(void)
{
    kinds(START);
    kinds(MAX_MOVES);
    kinds(BUSY);
    kinds(CHECKED);
    kinds("3lkl3/9/4S4/9/9/9/9/9/4K4 b P 1");
    attacks();
    exchanges();
    keys();
    wrong_arguments();
    return report_tests("generate");
}
