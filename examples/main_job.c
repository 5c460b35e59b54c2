/*
 * The main job of komadori from C: games in, training files out, and the files back as planes, labels, values and results.
 *
 *     main_job_c DATA.tsv OUTDIR
 *
 * Built with the header and the library alone, from the root of the repository:
 *
 *     gcc -std=c11 -O2 -Wall -Wextra -Werror -pedantic -Iinclude examples/main_job.c -o main_job_c -Lbuild/c -lkomadori \
 *         -Wl,-rpath,"$PWD/build/c"
 */
#include "komadori.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES1 = 62, PLANES2 = 57, SQUARES = 81, MAX_PLIES = 1024, NODES = 500, CHUNK = 512 };
enum { SIZE1 = PLANES1 * SQUARES, SIZE2 = PLANES2 * SQUARES };

/* Ends the program with the details that the library keeps of its last failure. */
static void check(kmd_status status, const char *what)
{
    kmd_error error = {.size = sizeof error};
    if (status == KMD_OK) {
        return;
    }
    if (kmd_last_error(&error) == KMD_OK) {
        fprintf(stderr, "%s: %s\n", what, error.message);
    } else {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
    }
    exit(1);
}

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void *memory(size_t n, size_t size)
{
    void *block = calloc(n, size);
    require(block != NULL, "no memory");
    return block;
}

/* Waits for a job in slices, as a program does that has other things to look after, and takes its result. */
static kmd_result finish(kmd_job job)
{
    kmd_result result = {.size = sizeof result};
    kmd_status status;
    while ((status = kmd_job_wait(job, 20)) == KMD_ERR_BUSY) {
    }
    check(status, "waiting");
    check(kmd_job_finish(job, &result), "job");
    return result;
}

static kmd_result search(kmd_searcher searcher, kmd_board board, uint64_t nodes)
{
    kmd_search_limits limits = {.size = sizeof limits, .nodes = nodes};
    kmd_job job;
    check(kmd_search_start(searcher, board, &limits, &job), "search");
    return finish(job);
}

/* A score as a stored evaluation: centipawns up to 32000, a mate in n plies as 32767 - n. */
static int16_t eval_of(const kmd_result *r)
{
    int32_t v = r->score;
    if (r->kind == KMD_SCORE_MATE) {
        return (int16_t)(v > 0 ? 32767 - v : -32767 - v);
    }
    return (int16_t)(v > 32000 ? 32000 : v < -32000 ? -32000 : v);
}

static void print_moves(const kmd_move *moves, size_t n, size_t most)
{
    for (size_t i = 0; i < n && i < most; i++) {
        char text[8];
        size_t length;
        check(kmd_move_to_usi(moves[i], text, sizeof text, &length), "text of a move");
        printf(" %.*s", (int)length, text);
    }
    printf("%s\n", n > most ? " ..." : "");
}

/* --------------------------------------------------------------------------------------------------------------- Games */

typedef struct records {
    uint8_t *hcpe, *psv;
    size_t n;
} records;

/* Replays one game, evaluates each position, and appends its records in both formats. */
static void add_game(records *out, kmd_searcher searcher, const char *winner, char *moves)
{
    int32_t result = strcmp(winner, "black") == 0 ? 0 : strcmp(winner, "white") == 0 ? 1 : 2;
    int16_t evals[MAX_PLIES];
    size_t plies = 0, count;
    kmd_board board;
    check(kmd_board_new(&board), "new board");
    for (char *text = strtok(moves, " \r\n"); text != NULL; text = strtok(NULL, " \r\n")) {
        kmd_result found = search(searcher, board, NODES);
        kmd_move move;
        require(plies < MAX_PLIES, "a game is too long");
        evals[plies++] = eval_of(&found);
        check(kmd_move_from_usi(text, strlen(text), &move), text);
        check(kmd_board_push(board, move), text); /* refuses every move that is not legal */
    }
    out->hcpe = realloc(out->hcpe, (out->n + plies) * 38);
    out->psv = realloc(out->psv, (out->n + plies) * 40);
    require(out->hcpe != NULL && out->psv != NULL, "no memory");
    check(kmd_board_records(board, KMD_FORMAT_HCPE, 0, evals, result, out->hcpe + 38 * out->n, plies, &count), "HCPE records");
    check(kmd_board_records(board, KMD_FORMAT_PSV, 0, evals, result, out->psv + 40 * out->n, plies, &count), "PSV records");
    out->n += plies;
    check(kmd_board_close(board), "close");
}

/* Columns of the table: id, black, white, result, ending, moves. */
static records read_games(const char *path)
{
    records out = {0};
    static char line[1 << 16];
    kmd_searcher searcher;
    FILE *file = fopen(path, "r");
    require(file != NULL, "the table of games cannot be read");
    check(kmd_searcher_new(NULL, &searcher), "searcher");
    while (fgets(line, sizeof line, file) != NULL) {
        char *columns[6] = {line};
        int n = 1;
        if (line[0] == '#' || line[0] == '\n' || strncmp(line, "id\t", 3) == 0) {
            continue;
        }
        for (char *at = line; n < 6 && (at = strchr(at, '\t')) != NULL; n++) {
            *at++ = '\0';
            columns[n] = at;
        }
        require(n == 6, "a line of the table has not six columns");
        add_game(&out, searcher, columns[3], columns[5]);
    }
    fclose(file);
    check(kmd_searcher_close(searcher), "close");
    return out;
}

/* --------------------------------------------------------------------------------------------------------------- Files */

/* Writes under a temporary name first, so that a file with its final name is always a whole one. */
static void write_file(const char *path, const uint8_t *data, size_t size)
{
    char partial[4096];
    FILE *file;
    require(snprintf(partial, sizeof partial, "%s.partial", path) < (int)sizeof partial, "the path is too long");
    file = fopen(partial, "wb");
    require(file != NULL, "a file cannot be written");
    require(fwrite(data, 1, size, file) == size, "a file cannot be written");
    require(fclose(file) == 0, "a file cannot be written");
    require(rename(partial, path) == 0, "a file cannot be renamed");
    printf("wrote %s (%zu bytes)\n", path, size);
}

static uint8_t *read_file(const char *path, size_t size)
{
    uint8_t *data = memory(size + 1, 1);
    FILE *file = fopen(path, "rb");
    require(file != NULL, "a file cannot be read");
    require(fread(data, 1, size + 1, file) == size, "a file has another size than what was written");
    fclose(file);
    return data;
}

/* ------------------------------------------------------------------------------------------------------------ Training */

/* What training needs of a chunk of rows. */
typedef struct arrays {
    float features1[CHUNK * SIZE1], features2[CHUNK * SIZE2], value[CHUNK], result[CHUNK];
    uint16_t label[CHUNK], compact[CHUNK];
    uint64_t key[CHUNK];
} arrays;

static void decode(const kmd_rows *rows, arrays *out)
{
    kmd_decode full = {.size = sizeof full,
                       .features2_planes = PLANES2,
                       .labels = KMD_LABELS_FULL,
                       .label_bytes = 2,
                       .features1 = out->features1,
                       .features2 = out->features2,
                       .label = out->label,
                       .value = out->value,
                       .result = out->result,
                       .key = out->key};
    kmd_decode compact = {.size = sizeof compact, .features2_planes = PLANES2, .labels = KMD_LABELS_COMPACT, .label_bytes = 2, .label = out->compact};
    /* Without row statuses the lowest bad row is an error, and the message names it. */
    check(kmd_decode_batch(rows, &full, NULL), "decode");
    check(kmd_decode_batch(rows, &compact, NULL), "decode");
}

/* Compares every row with itself turned by 180 degrees and with itself mirrored. */
static void check_file(const char *path, int32_t format, size_t size, size_t n)
{
    static uint16_t mirror_label[KMD_LABELS], mirror_compact[KMD_COMPACT_LABELS], full_to_compact[KMD_LABELS];
    kmd_move_tables tables = {.size = sizeof tables, .full_to_compact = full_to_compact, .mirror_label = mirror_label, .mirror_compact = mirror_compact};
    uint8_t *data = read_file(path, n * size), *other = memory(CHUNK, size);
    arrays *plain = memory(1, sizeof *plain), *turned = memory(1, sizeof *turned), *sided = memory(1, sizeof *sided);
    double value = 0, result = 0;
    check(kmd_fill_move_tables(&tables), "tables");
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t count = n - at < CHUNK ? n - at : CHUNK;
        kmd_rows rows = {.size = sizeof rows, .format = format, .data = data + at * size, .n = count};
        kmd_rows others = {.size = sizeof others, .format = format, .data = other, .n = count};
        decode(&rows, plain);
        kmd_conversion flip = {.size = sizeof flip, .format = format, .flip = 1, .out = other};
        check(kmd_convert_batch(&rows, &flip, NULL), "flip_side");
        decode(&others, turned);
        kmd_conversion mirror = {.size = sizeof mirror, .format = format, .mirror = 1, .out = other};
        check(kmd_convert_batch(&rows, &mirror, NULL), "mirror_file");
        decode(&others, sided);

        /* A network sees the mover's view, so turning the board changes nothing of it... */
        require(memcmp(plain->features1, turned->features1, count * SIZE1 * sizeof(float)) == 0, "flip_side: features1");
        require(memcmp(plain->features2, turned->features2, count * SIZE2 * sizeof(float)) == 0, "flip_side: features2");
        require(memcmp(plain->label, turned->label, count * sizeof(uint16_t)) == 0, "flip_side: labels");
        require(memcmp(plain->compact, turned->compact, count * sizeof(uint16_t)) == 0, "flip_side: compact labels");
        require(memcmp(plain->value, turned->value, count * sizeof(float)) == 0, "flip_side: values");
        require(memcmp(plain->result, turned->result, count * sizeof(float)) == 0, "flip_side: results");
        for (size_t i = 0; i < count; i++) {
            /* ... but the positions are two, with the other side to move. */
            require(plain->key[i] != turned->key[i] && plain->key[i] != sided->key[i], "keys");
            require(full_to_compact[plain->label[i]] == plain->compact[i], "compact labels");
            require(mirror_label[plain->label[i]] == sided->label[i], "mirror_file: labels");
            require(mirror_compact[plain->compact[i]] == sided->compact[i], "mirror_file: compact labels");
            require(plain->value[i] == sided->value[i] && plain->result[i] == sided->result[i], "mirror_file: values");
            value += plain->value[i];
            result += plain->result[i];
        }
        /* A plane is nine files of nine squares; mirroring exchanges files 1 and 9, 2 and 8, and so on. */
        for (size_t plane = 0; plane < count * PLANES1; plane++) {
            for (size_t file = 0; file < 9; file++) {
                require(memcmp(plain->features1 + plane * SQUARES + 9 * file, sided->features1 + plane * SQUARES + 9 * (8 - file), 9 * sizeof(float)) == 0,
                        "mirror_file: features1");
            }
        }
        require(memcmp(plain->features2, sided->features2, count * SIZE2 * sizeof(float)) == 0, "mirror_file: features2");
    }
    printf("%s: %zu rows, 0 bad; flip_side and mirror_file agree in every row; mean value %.3f, mean result %.3f\n", path, n, value / (double)n,
           result / (double)n);
    free(plain);
    free(turned);
    free(sided);
    free(other);
    free(data);
}

/* ---------------------------------------------------------------------------------------------------------- A position */

static void look(const uint8_t *hcp)
{
    kmd_board board;
    kmd_searcher searcher;
    kmd_job job;
    kmd_move moves[KMD_MAX_LEGAL_MOVES];
    size_t count, length;
    char sfen[256];
    kmd_result found;
    kmd_mate_limits mate = {.size = sizeof mate, .nodes = 100000};
    check(kmd_board_from_hcp(hcp, &board), "board");
    check(kmd_board_to_sfen(board, sfen, sizeof sfen, &length), "SFEN");
    printf("\n%.*s\n", (int)length, sfen);

    check(kmd_board_legal_moves(board, moves, KMD_MAX_LEGAL_MOVES, &count), "legal moves");
    printf("  %zu legal moves:", count);
    print_moves(moves, count, 12);

    check(kmd_searcher_new(NULL, &searcher), "searcher");
    found = search(searcher, board, 100000);
    printf("  search: %s %d, depth %d, %llu nodes:", found.kind == KMD_SCORE_MATE ? "mate" : "cp", (int)found.score, (int)found.depth,
           (unsigned long long)found.nodes);
    print_moves(found.pv, found.pv_length, 8);

    check(kmd_mate_start(board, &mate, &job), "mate");
    found = finish(job);
    printf("  mate: %s, %llu nodes", found.kind == KMD_MATE_FOUND ? "yes" : found.kind == KMD_MATE_NONE ? "no" : "unknown", (unsigned long long)found.nodes);
    print_moves(found.pv, found.pv_length, 8);
    check(kmd_searcher_close(searcher), "close");
    check(kmd_board_close(board), "close");
}

int main(int argc, char **argv)
{
    char hcpe[2048], psv[2048];
    records made;
    if (argc != 3) {
        fprintf(stderr, "usage: %s DATA.tsv OUTDIR\n", argv[0]);
        return 2;
    }
    require(kmd_abi_version() == KMD_ABI_VERSION, "the library is of another version than the header");
    require(snprintf(hcpe, sizeof hcpe, "%s/games.hcpe", argv[2]) < (int)sizeof hcpe, "the path is too long");
    require(snprintf(psv, sizeof psv, "%s/games.psv", argv[2]) < (int)sizeof psv, "the path is too long");

    made = read_games(argv[1]);
    require(made.n > 60, "too few positions");
    write_file(hcpe, made.hcpe, made.n * 38);
    write_file(psv, made.psv, made.n * 40);
    check_file(hcpe, KMD_FORMAT_HCPE, 38, made.n);
    check_file(psv, KMD_FORMAT_PSV, 40, made.n);
    look(made.hcpe + 60 * 38); /* any row serves; this one is in the middle game */
    free(made.hcpe);
    free(made.psv);
    return 0;
}
