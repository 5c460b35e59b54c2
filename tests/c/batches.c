/* Batches: rows to planes, labels, moves and texts; bad rows; threads; the one-row form is the board's. */
#include "check.h"

#include <stdlib.h>

enum { GAME = 60, ROWS = 500 };

static uint8_t psv[ROWS * 40], hcpe[ROWS * 38];
static kmd_move played[ROWS];
static uint64_t keys[ROWS];
static uint8_t turns[ROWS];

/* Makes records by playing: row after row the same few games, every move chosen by a fixed rule. */
static void make_records(void)
{
    static int16_t evals[GAME];
    int row = 0;
    for (int i = 0; i < GAME; i++)
        evals[i] = (int16_t)(37 * i - 1000);
    for (unsigned game = 1; row < ROWS; game++) {
        kmd_board b = 0;
        OK(kmd_board_new(&b));
        const kmd_board_view *v = NULL;
        OK(kmd_board_get_view(b, &v));
        int plies = 0, first = row;
        uint8_t out_psv[GAME * 40], out_hcpe[GAME * 38];
        while (plies < GAME && row < ROWS) {
            kmd_move moves[KMD_MAX_LEGAL_MOVES];
            int32_t n = kmd_board_list(b, moves);
            if (n <= 0)
                break;
            keys[row] = v->key;
            turns[row] = v->turn;
            played[row] = moves[(game * 7919u + (unsigned)plies * 104729u) % (unsigned)n];
            OK(kmd_board_push(b, played[row++]));
            plies++;
        }
        size_t n = 0;
        OK(kmd_board_records(b, KMD_FORMAT_PSV, 0, evals, (int32_t)(game % 3), out_psv, GAME, &n));
        SAME(n, plies);
        OK(kmd_board_records(b, KMD_FORMAT_HCPE, 0, evals, (int32_t)(game % 3), out_hcpe, GAME, &n));
        memcpy(psv + 40 * first, out_psv, 40 * n);
        memcpy(hcpe + 38 * first, out_hcpe, 38 * n);
        OK(kmd_board_close(b));
    }
}

static kmd_rows rows_of(int format, const uint8_t *data, size_t n, int threads)
{
    kmd_rows r = {.size = sizeof r, .format = format, .data = data, .n = n, .threads = threads};
    return r;
}

static float f1[2][ROWS][62 * 81], f2[2][ROWS][57 * 81], value[2][ROWS], result[2][ROWS];
static int64_t labels[2][ROWS];
static kmd_move moves[2][ROWS];
static int16_t eval[2][ROWS];
static uint8_t turn[2][ROWS];
static uint16_t ply[2][ROWS];
static uint64_t key[2][ROWS];

static kmd_decode decode_of(int i)
{
    kmd_decode d = {.size = sizeof d,
                    .features2_planes = 57,
                    .label_bytes = 8,
                    .features1 = f1[i],
                    .features2 = f2[i],
                    .label = labels[i],
                    .value = value[i],
                    .result = result[i],
                    .move = moves[i],
                    .eval = eval[i],
                    .turn = turn[i],
                    .ply = ply[i],
                    .key = key[i]};
    return d;
}

static void decoding(void)
{
    kmd_rows one = rows_of(KMD_FORMAT_PSV, psv, ROWS, 1), two = rows_of(KMD_FORMAT_HCPE, hcpe, ROWS, 3);
    kmd_decode d = decode_of(0), e = decode_of(1);
    OK(kmd_decode_batch(&one, &d, NULL));
    OK(kmd_decode_batch(&two, &e, NULL));
    /* Both formats, and any number of threads, say the same. */
    THAT(memcmp(f1[0], f1[1], sizeof f1[0]) == 0);
    THAT(memcmp(f2[0], f2[1], sizeof f2[0]) == 0);
    THAT(memcmp(labels[0], labels[1], sizeof labels[0]) == 0);
    THAT(memcmp(value[0], value[1], sizeof value[0]) == 0);
    THAT(memcmp(result[0], result[1], sizeof result[0]) == 0);
    THAT(memcmp(eval[0], eval[1], sizeof eval[0]) == 0);
    THAT(memcmp(moves[0], played, sizeof played) == 0);
    THAT(memcmp(turn[0], turns, sizeof turns) == 0);
    THAT(memcmp(key[0], keys, sizeof keys) == 0 && memcmp(key[1], keys, sizeof keys) == 0);
    SAME(ply[0][3], 4);
    SAME(ply[1][3], 1);
    SAME(result[0][0], 0); /* game 1: White won, Black to move */
    SAME(result[0][1], 1);
    THAT(value[0][0] > 0.2f && value[0][0] < 0.22f); /* 1/(1+exp(1000/756)) */
    for (int i = 0; i < ROWS; i++) {
        uint16_t l = 0;
        if (kmd_move_label(played[i], turns[i], 0, &l) != KMD_OK || l != labels[0][i])
            SAME(i, -1);
    }
    /* The even game: own pawns on the seventh rank of plane 0, nobody in check. */
    float pawns = 0;
    for (int f = 0; f < 9; f++)
        pawns += f1[0][0][9 * f + 6];
    SAME(pawns, 9);
    SAME(f2[0][0][56 * 81], 0);

    /* Outputs alone are the same as together, and other element types hold the same numbers. */
    static uint8_t bytes[ROWS][62 * 81], bits[ROWS][628];
    kmd_decode only = {.size = sizeof only, .features2_planes = 57, .label_bytes = 2, .element = KMD_UINT8, .features1 = bytes};
    OK(kmd_decode_batch(&one, &only, NULL));
    only.element = KMD_BITS;
    only.features1 = bits;
    OK(kmd_decode_batch(&one, &only, NULL));
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 62 * 81; k++)
            if (bytes[i][k] != f1[0][i][k] || (bits[i][k / 8] >> k % 8 & 1) != bytes[i][k]) {
                SAME(i, -2);
                break;
            }

    /* Mirrored: as the mirrored move's label says. */
    static uint16_t small[ROWS];
    only = (kmd_decode){.size = sizeof only, .features2_planes = 57, .label_bytes = 2, .labels = KMD_LABELS_COMPACT, .label = small, .mirror_all = 1};
    OK(kmd_decode_batch(&one, &only, NULL));
    for (int i = 0; i < ROWS; i++) {
        uint16_t l = 0;
        if (kmd_move_label(kmd_move_mirror_file(played[i]), turns[i], 1, &l) != KMD_OK || l != small[i])
            SAME(i, -3);
    }

    /* A stride: every second record. */
    kmd_rows half = one;
    half.stride = 80;
    half.n = ROWS / 2;
    only = (kmd_decode){.size = sizeof only, .features2_planes = 57, .label_bytes = 2, .key = key[1]};
    OK(kmd_decode_batch(&half, &only, NULL));
    for (int i = 0; i < ROWS / 2; i++)
        if (key[1][i] != keys[2 * i])
            SAME(i, -4);
}

static void bad_rows(void)
{
    static uint8_t broken[ROWS * 40];
    static kmd_status status[ROWS];
    memcpy(broken, psv, sizeof broken);
    memset(broken + 40 * 7, 0xFF, 32);                /* no position */
    broken[40 * 9 + 34] = 0, broken[40 * 9 + 35] = 0; /* no move */
    broken[40 * 11 + 38] = 5;                         /* no result */
    broken[40 * 13 + 34] = 0x3d, broken[40 * 13 + 35] = 0x1e; /* 7g7h, with White to move */
    kmd_rows r = rows_of(KMD_FORMAT_PSV, broken, ROWS, 2);
    kmd_decode d = decode_of(1);
    kmd_error e = {.size = sizeof e};
    THAT(kmd_decode_batch(&r, &d, NULL) < 0);
    OK(kmd_last_error(&e));
    SAME(e.row, 7);
    memset(f1[1], 0x55, sizeof f1[1]);
    OK(kmd_decode_batch(&r, &d, status));
    for (int i = 0; i < ROWS; i++) {
        int bad = i == 7 || i == 9 || i == 11 || i == 13;
        if ((status[i] != KMD_OK) != bad)
            SAME(i, -1);
        if (!bad && memcmp(f1[1][i], f1[0][i], sizeof f1[0][i]) != 0)
            SAME(i, -2);
        for (int k = 0; bad && k < 62 * 81; k++)
            if (f1[1][i][k] != 0) {
                SAME(i, -3);
                break;
            }
    }
    SAME(status[7], KMD_ERR_PARSE);
    SAME(status[11], KMD_ERR_INVALID_VALUE);
    SAME(status[13], KMD_ERR_ILLEGAL_MOVE);

    /* Calls that cannot be right. */
    d.size = 1;
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    d = decode_of(1);
    d.features2_planes = 58;
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    d = decode_of(1);
    d.label_bytes = 3;
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    d = decode_of(1);
    r.format = 9;
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    r = rows_of(KMD_FORMAT_HCP, broken, ROWS, 2);
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT); /* no records */
    r = rows_of(KMD_FORMAT_PSV, NULL, ROWS, 2);
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    r = rows_of(KMD_FORMAT_PSV, broken, (size_t)-1, 2);
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    r = rows_of(KMD_FORMAT_PSV, broken, ROWS, 2);
    r.stride = 39;
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    r = rows_of(KMD_FORMAT_PSV, broken, ROWS, -1);
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    r = rows_of(KMD_FORMAT_PSV, NULL, 0, 0);
    OK(kmd_decode_batch(&r, &d, NULL)); /* nothing to do */
    SAME(kmd_decode_batch(NULL, &d, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_decode_batch(&r, NULL, NULL), KMD_ERR_ARGUMENT);
}

static void texts_and_moves(void)
{
    static int64_t offsets[ROWS + 1], move_offsets[ROWS + 1];
    static char text[ROWS * 200];
    static kmd_move list[ROWS * KMD_MAX_LEGAL_MOVES], found[ROWS];
    static uint8_t packed[ROWS * 32], masks[ROWS * KMD_LABELS], bits[ROWS * 274], check[ROWS];
    static uint16_t label[ROWS];
    kmd_rows r = rows_of(KMD_FORMAT_PSV, psv, ROWS, 2), h = rows_of(KMD_FORMAT_HCPE, hcpe, ROWS, 1);
    SAME(kmd_sfens_batch(&r, offsets, text, 100, NULL), KMD_ERR_BUFFER);
    int64_t needed = offsets[ROWS];
    THAT(needed > 100 && needed <= (int64_t)sizeof text);
    OK(kmd_sfens_batch(&r, offsets, text, (size_t)needed, NULL));
    SAME(offsets[ROWS], needed);
    OK(kmd_encode_batch(text, offsets, ROWS, KMD_FORMAT_HCP, 2, packed, NULL));
    for (int i = 0; i < ROWS; i++)
        if (memcmp(packed + 32 * i, hcpe + 38 * i, 32) != 0)
            SAME(i, -1);
    SAME(kmd_legal_moves_batch(&h, move_offsets, list, 10, NULL), KMD_ERR_BUFFER);
    OK(kmd_legal_moves_batch(&h, move_offsets, list, sizeof list / sizeof *list, NULL));
    static uint8_t attacked[ROWS][2][15][81];
    OK(kmd_attack_counts_batch(&r, 1, 1, attacked[0][0][0], NULL));
    OK(kmd_legal_masks_batch(&r, 0, 0, masks, NULL));
    OK(kmd_legal_masks_batch(&r, 0, 1, bits, NULL));
    OK(kmd_labels_batch(played, turns, ROWS, 0, 2, label, NULL));
    static uint16_t whole[ROWS], small[ROWS];
    OK(kmd_record_labels_batch(&h, whole, small, NULL));
    THAT(memcmp(whole, label, sizeof whole) == 0);
    OK(kmd_labels_batch(played, turns, ROWS, 1, 2, whole, NULL));
    THAT(memcmp(whole, small, sizeof whole) == 0);
    OK(kmd_record_labels_batch(&h, NULL, small, NULL));
    OK(kmd_moves_of_labels_batch(&r, label, 0, found, NULL));
    THAT(memcmp(found, played, sizeof played) == 0);
    for (int i = 0; i < ROWS; i++) {
        kmd_board b = 0;
        kmd_move scalar[KMD_MAX_LEGAL_MOVES];
        OK(kmd_board_from_hcp(hcpe + 38 * i, &b));
        int32_t n = kmd_board_list(b, scalar);
        if (n != move_offsets[i + 1] - move_offsets[i] || memcmp(scalar, list + move_offsets[i], (size_t)n * sizeof *scalar) != 0)
            SAME(i, -2);
        int ones = 0;
        for (int k = 0; k < KMD_LABELS; k++) {
            ones += masks[KMD_LABELS * i + k];
            if ((bits[274 * i + k / 8] >> k % 8 & 1) != masks[KMD_LABELS * i + k])
                SAME(i, -3);
        }
        if (ones > n || ones < n - 20 || masks[KMD_LABELS * i + label[i]] != 1)
            SAME(i, -4);
        static uint8_t counted[2][15][81];
        OK(kmd_board_attack_counts_by_kind(b, 1, counted));
        if (memcmp(counted, attacked[i], sizeof counted) != 0)
            SAME(i, -5);
        OK(kmd_board_close(b));
    }
    static uint8_t sides[ROWS], verdict[ROWS], points[ROWS];
    static uint16_t count[ROWS];
    kmd_facts f = {.size = sizeof f,
                   .rule = KMD_RULE_CSA27,
                   .key = key[1],
                   .turn = sides,
                   .in_check = check,
                   .legal_count = count,
                   .mate_in_one = found,
                   .verdict = verdict,
                   .points = points};
    OK(kmd_facts_batch(&r, &f, NULL));
    THAT(memcmp(sides, turns, sizeof sides) == 0);
    for (int i = 0; i < ROWS; i++)
        THAT(count[i] == move_offsets[i + 1] - move_offsets[i] && verdict[i] == KMD_VERDICT_NONE);
    f.rule = 6;
    SAME(kmd_facts_batch(&r, &f, NULL), KMD_ERR_ARGUMENT);
    f = (kmd_facts){.size = sizeof f};
    OK(kmd_facts_batch(&r, &f, NULL)); /* the rows are judged all the same */
    SAME(kmd_facts_batch(&r, NULL, NULL), KMD_ERR_ARGUMENT);
    int32_t stop = 1;
    static kmd_status stopped[ROWS];
    r.cancel = &stop;
    SAME(kmd_facts_batch(&r, &f, stopped), KMD_ERR_CANCELLED);
    SAME(stopped[ROWS - 1], KMD_ERR_CANCELLED);
    r.cancel = NULL;

    /* Moves played on boards lead to the next position of the game. */
    static uint8_t boards[ROWS * 96], after[ROWS * 96];
    kmd_conversion c = {.size = sizeof c, .format = KMD_FORMAT_BOARD, .out = boards};
    OK(kmd_convert_batch(&r, &c, NULL));
    kmd_rows b = rows_of(KMD_FORMAT_BOARD, boards, ROWS, 2);
    OK(kmd_play_batch(&b, played, KMD_FORMAT_BOARD, after, NULL));
    THAT(memcmp(boards + 96, after, 96) == 0 && boards[95] == KMD_BLACK && after[95] == KMD_WHITE);
    SAME(kmd_play_batch(&b, played, KMD_FORMAT_PSV, after, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_play_batch(&b, NULL, KMD_FORMAT_BOARD, after, NULL), KMD_ERR_ARGUMENT);
    OK(kmd_encode_batch(text, offsets, ROWS, KMD_FORMAT_BOARD, 2, after, NULL));
    THAT(memcmp(boards, after, sizeof boards) == 0);
    THAT(memcmp(key[1], keys, sizeof keys) == 0);
    SAME(kmd_attack_counts_batch(&r, 0, 0, NULL, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_attack_counts_batch(NULL, 0, 0, NULL, NULL), KMD_ERR_ARGUMENT);

    /* A move without label: named by its row. */
    kmd_move odd[3] = {played[0], KMD_MOVE_RESIGN, played[1]};
    kmd_status status[3];
    kmd_error e = {.size = sizeof e};
    SAME(kmd_labels_batch(odd, NULL, 3, 0, 0, label, NULL), KMD_ERR_INVALID_VALUE);
    OK(kmd_last_error(&e));
    SAME(e.row, 1);
    OK(kmd_labels_batch(odd, NULL, 3, 0, 0, label, status));
    SAME(status[0], KMD_OK);
    SAME(status[1], KMD_ERR_INVALID_VALUE);
    SAME(label[1], KMD_NO_LABEL);
}

static void converting(void)
{
    static uint8_t out[ROWS * 40], back[ROWS * 40];
    kmd_rows r = rows_of(KMD_FORMAT_PSV, psv, ROWS, 2);
    kmd_conversion c = {.size = sizeof c, .format = KMD_FORMAT_HCPE, .out = out};
    OK(kmd_convert_batch(&r, &c, NULL));
    THAT(c.lost_plies == ROWS && c.lost_endings == 0 && c.lost_candidates == 0);
    THAT(memcmp(out, hcpe, sizeof hcpe) == 0);
    /* Turning and mirroring twice is nothing. */
    for (int flip = 0; flip < 2; flip++)
        for (int mirror = 0; mirror < 2; mirror++) {
            kmd_conversion turn = {.size = sizeof turn, .format = KMD_FORMAT_PSV, .flip = flip, .mirror = mirror, .out = out};
            OK(kmd_convert_batch(&r, &turn, NULL));
            SAME(memcmp(out, psv, sizeof psv) == 0, flip + mirror == 0);
            kmd_rows again = rows_of(KMD_FORMAT_PSV, out, ROWS, 0);
            turn.out = back;
            OK(kmd_convert_batch(&again, &turn, NULL));
            THAT(memcmp(back, psv, sizeof psv) == 0);
        }
    kmd_rows packed = rows_of(KMD_FORMAT_HCP, hcpe, 1, 0);
    c.format = KMD_FORMAT_PSV;
    SAME(kmd_convert_batch(&packed, &c, NULL), KMD_ERR_ARGUMENT); /* a position has no move */
    c.format = KMD_FORMAT_HCPE3;
    SAME(kmd_convert_batch(&r, &c, NULL), KMD_ERR_ARGUMENT); /* nowhere to put candidates */
    c.size--;
    SAME(kmd_convert_batch(&r, &c, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_convert_batch(&r, NULL, NULL), KMD_ERR_ARGUMENT);

    int64_t numbers[3] = {ROWS - 1, 0, 0};
    OK(kmd_gather_batch(&r, numbers, 3, out));
    THAT(memcmp(out, psv + 40 * (ROWS - 1), 40) == 0 && memcmp(out + 40, psv, 40) == 0 && memcmp(out + 80, psv, 40) == 0);
    numbers[1] = ROWS;
    SAME(kmd_gather_batch(&r, numbers, 3, out), KMD_ERR_ARGUMENT);
}

/* What a call can make besides dlshogi's planes. */
static void other_outputs(void)
{
    static float planes[ROWS * 28 * 81], policy[ROWS * 2187], weights[ROWS * 2];
    static int32_t indices[ROWS * 76], labelled[ROWS * 2];
    static int64_t wide[ROWS * 76];
    static uint8_t mask[ROWS * 2187], bits[ROWS * 274], again[ROWS * 2187], ending[ROWS], mirrored[ROWS];
    static uint64_t plain[ROWS], turned[ROWS], numbers[ROWS];
    uint16_t stack[64];
    size_t count = 0;
    char name[32];
    OK(kmd_planes_parse("pieces", 6, stack, 64, &count));
    SAME(count, 28);
    SAME(kmd_planes_parse("pieces", 6, stack, 27, &count), KMD_ERR_BUFFER);
    SAME(kmd_planes_parse("nothing", 7, stack, 64, &count), KMD_ERR_PARSE);
    OK(kmd_plane_name(stack[14], name, sizeof name, &count));
    THAT(count == 20 && memcmp(name, "pieces.opponent.pawn", 20) == 0);
    SAME(kmd_plane_name(KMD_PLANES, name, sizeof name, &count), KMD_ERR_INVALID_VALUE);

    kmd_rows r = rows_of(KMD_FORMAT_PSV, psv, ROWS, 2);
    kmd_decode d = {.size = sizeof d,
                    .label_bytes = 8,
                    .stack = stack,
                    .stack_count = 28,
                    .planes = planes,
                    .mask = mask,
                    .mask_bits = bits,
                    .policy = policy,
                    .policy_labels = labelled,
                    .policy_weights = weights,
                    .policy_width = 2,
                    .nnue = KMD_NNUE_HALFKP,
                    .nnue_indices = indices,
                    .nnue_bytes = 4,
                    .temperature = 1,
                    .ending = ending,
                    .label = labels[0],
                    .key = plain};
    OK(kmd_decode_batch(&r, &d, NULL));
    OK(kmd_legal_masks_batch(&r, 0, 0, again, NULL));
    THAT(memcmp(mask, again, sizeof mask) == 0);
    OK(kmd_legal_masks_batch(&r, 0, 1, again, NULL));
    THAT(memcmp(bits, again, sizeof bits) == 0);
    int64_t *label = labels[0];
    for (int i = 0; i < ROWS; i++) {
        int men = 0;
        for (int k = 0; k < 28 * 81; k++)
            men += planes[i * 28 * 81 + k] == 1;
        int active = 0; /* men on the board, kings left out: piece numbers from 90 on */
        for (int k = 0; k < 38; k++) {
            THAT(indices[76 * i + k] >= 0 && indices[76 * i + k] < 125388 && (k == 0 || indices[76 * i + k] >= indices[76 * i + k - 1]));
            active += indices[76 * i + k] % 1548 >= 90;
        }
        SAME(men, active + 2);
        THAT(policy[2187 * i + label[i]] == 1 && labelled[2 * i] == label[i] && labelled[2 * i + 1] == -1 && weights[2 * i] == 1 && weights[2 * i + 1] == 0);
    }
    d = (kmd_decode){.size = sizeof d,
                     .nnue = KMD_NNUE_HALFKP,
                     .nnue_indices = wide,
                     .nnue_bytes = 8,
                     .key = turned,
                     .mirror_share = 0.5,
                     .mirror_seed = 3,
                     .first_row = 1000};
    OK(kmd_decode_batch(&r, &d, NULL));
    for (int i = 0; i < ROWS; i++)
        numbers[i] = 1000 + (uint64_t)i;
    OK(kmd_mirrored_batch(0.5, 3, numbers, ROWS, mirrored));
    int some = 0;
    for (int i = 0; i < ROWS; i++) {
        some += mirrored[i];
        if (!mirrored[i])
            THAT(plain[i] == turned[i] && wide[76 * i] == indices[76 * i] && wide[76 * i + 75] == indices[76 * i + 75]);
    }
    THAT(some > ROWS / 4 && some < ROWS * 3 / 4);
    SAME(kmd_mirrored_batch(1.5, 3, numbers, ROWS, mirrored), KMD_ERR_ARGUMENT);
    d.mirror_share = 2;
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
    d = (kmd_decode){.size = sizeof d, .planes = planes};
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT); /* no stack */
    d = (kmd_decode){.size = sizeof d, .nnue_indices = indices, .nnue_bytes = 4};
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT); /* no numbering */
    stack[0] = KMD_PLANES;
    d = (kmd_decode){.size = sizeof d, .planes = planes, .stack = stack, .stack_count = 1};
    SAME(kmd_decode_batch(&r, &d, NULL), KMD_ERR_ARGUMENT);
}

/* The records of a game to a file of games, and back. */
static void games(void)
{
    static uint8_t made[GAME * 48], read[GAME * 48], file[GAME * 64], back[GAME * 40];
    static kmd_candidate candidates[GAME], own[GAME];
    static kmd_status status[GAME];
    kmd_rows r = rows_of(KMD_FORMAT_PSV, psv, GAME, 2);
    kmd_conversion c = {.size = sizeof c, .format = KMD_FORMAT_HCPE3, .out = made, .candidates = candidates};
    OK(kmd_convert_batch(&r, &c, NULL));
    THAT(candidates[0].visits == 1);
    kmd_rows rows = rows_of(KMD_FORMAT_HCPE3, made, GAME, 2);
    rows.candidates = candidates;
    rows.candidate_count = GAME;
    size_t needed = 0, used = 0, count = 0;
    uint64_t lost = 0;
    SAME(kmd_hcpe3_pack(&rows, 1, file, 10, &needed, &used, &lost, NULL), KMD_ERR_BUFFER);
    OK(kmd_hcpe3_pack(&rows, 1, file, sizeof file, &needed, &used, &lost, NULL));
    THAT(used == GAME && lost == 0 && needed == 36 + 10 * GAME); /* one game */

    kmd_hcpe3_game game[2] = {{0, 0, 0, 0}};
    OK(kmd_hcpe3_index(file, needed, 7, 1, game, 2, &count, &used));
    THAT(count == 1 && used == needed && game[0].offset == 7 && game[0].length == needed && game[0].moves == GAME && game[0].targets == GAME);
    SAME(kmd_hcpe3_index(file, needed - 1, 7, 1, game, 2, &count, &used), KMD_ERR_PARSE);
    kmd_error e = {.size = sizeof e};
    OK(kmd_last_error(&e));
    THAT(count == 0 && used == 0 && e.offset == (int64_t)needed - 1 + 7);
    OK(kmd_hcpe3_index(file, needed - 1, 7, 0, game, 2, &count, &used)); /* more may follow */
    THAT(count == 0 && used == 0);

    kmd_hcpe3_file f = {.size = sizeof f, .which = KMD_HCPE3_TARGETS, .data = file, .length = needed};
    uint64_t offsets[GAME] = {0};
    uint16_t places[GAME], counts[1];
    int64_t at[GAME];
    for (int i = 0; i < GAME; i++)
        places[i] = (uint16_t)i;
    OK(kmd_hcpe3_check_batch(&f, offsets, 1, KMD_CHECK_LEGAL, counts, NULL));
    SAME(counts[0], GAME);
    OK(kmd_hcpe3_rows_batch(&f, offsets, places, GAME, read, at, NULL));
    SAME(kmd_hcpe3_candidates(&f, at, GAME, read, 0, own, 1, &count), KMD_ERR_BUFFER);
    SAME(count, GAME);
    OK(kmd_hcpe3_candidates(&f, at, GAME, read, 0, own, GAME, &count));
    THAT(memcmp(read, made, 48 * GAME) == 0 && memcmp(own, candidates, sizeof own) == 0);
    rows.data = read;
    rows.candidates = own;
    c = (kmd_conversion){.size = sizeof c, .format = KMD_FORMAT_PSV, .out = back};
    OK(kmd_convert_batch(&rows, &c, NULL));
    THAT(memcmp(back, psv, 40 * GAME) == 0 && c.lost_plies == 0 && c.lost_candidates == 0);

    places[1] = GAME;
    OK(kmd_hcpe3_rows_batch(&f, offsets, places, GAME, read, at, status));
    SAME(status[1], KMD_ERR_PARSE);
    SAME(kmd_hcpe3_rows_batch(&f, offsets, places, GAME, read, at, NULL), KMD_ERR_PARSE);
    f.which = 4;
    SAME(kmd_hcpe3_rows_batch(&f, offsets, places, GAME, read, at, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_hcpe3_rows_batch(NULL, offsets, places, GAME, read, at, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_hcpe3_check_batch(&f, NULL, 1, 0, NULL, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_hcpe3_pack(&r, 1, file, sizeof file, &needed, &used, &lost, NULL), KMD_ERR_ARGUMENT); /* rows of another format */
    SAME(kmd_hcpe3_pack(&rows, 1, file, sizeof file, NULL, &used, &lost, NULL), KMD_ERR_ARGUMENT);
}

int main(void)
{
    make_records();
    decoding();
    bad_rows();
    texts_and_moves();
    converting();
    other_outputs();
    games();
    return report_tests("batches");
}
