/*
 * Every function against every wrong argument. The table, wrong_table.h, is made from the header by tools/genwrong.py: for each function the arguments
 * of a good call and, place by place, what may be wrong with them. A wrong call has to give the status of the table and a message that fits, and to leave
 * all memory, boards and other handles as they were. Memory that is passed ends at a page that cannot be touched, so a byte written or read beyond it ends
 * the program.
 */
#define _GNU_SOURCE
#include "check.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct wrong {
    int64_t value;
    double real;
    kmd_status status;
} wrong;

enum {
    VALUE,
    CONSTANT,
    REAL,
    SIZE,
    RESERVED,
    MEMORY,
    STRUCT,
    LENGTH,
    COUNT,
    CAPACITY,
    ROOM,
    MADE_BOARD,
    MADE_JOB,
    MADE_SEARCHER,
    MADE_BOOK,
    MADE_FILE,
    HANDLE_MAIN,
    HANDLE_OTHER,
    HANDLE_START,
    HANDLE_PROBLEM,
    HANDLE_PERFT,
    HANDLE_SEARCH,
    HANDLE_BATCH,
    HANDLE_MATE,
    HANDLE_MATES,
    HANDLE_SEARCHER,
    HANDLE_BOOK,
    HANDLE_FILE,
    HANDLE_HCPE3
};
enum { NULLABLE = 1, WRITTEN = 2, SET_IF_SHORT = 4, TEXT = 8 };
enum { STATUS, NUMBER, PLAIN };

/* An argument, or a field of a struct that another place points to. */
typedef struct place {
    const char *name;
    int parent;     /* the place of the struct, or -1 */
    size_t at;      /* number of the argument, or offset in the struct */
    unsigned width; /* bytes of a field */
    int kind;
    size_t alignment;
    int flags;
    const void *source; /* what the memory holds, or null */
    size_t size;        /* of the memory; of a list, of one entry */
    int64_t value;
    double real;
    int pair; /* the list of a capacity, the text of a length */
    const wrong *wrongs;
    int wrong_count;
} place;

typedef struct function {
    const char *name;
    int64_t (*call)(const uint64_t *);
    int arguments;
    const place *places;
    int place_count;
    int returns;
    int apart; /* memory that is written may not overlap other memory */
    kmd_status status; /* of the good call */
} function;

static double real_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* ------------------------------------------------------------------------------------------------ What good calls pass */

static uint8_t source_hcp[32], source_packed_sfen[32], source_psv[80], source_rows3[96], source_game[56], source_hand[7] = {1, 2, 3, 4, 2, 1, 0},
                                                                                                          source_flags[2] = {1, 0}, source_problems[64];
static kmd_setup source_setup[1];
static kmd_candidate source_candidates[3];
static kmd_move source_moves[2], source_legal[2], source_played[2];
static uint16_t source_labels[2], source_stack[2] = {0, 70}, source_places[2] = {0, 1};
static int16_t source_evals[4] = {10, -20, 30, 32000};
static int32_t source_zero[1];
static uint64_t source_words[65536], source_numbers[2] = {1, 0}, source_zeros[2], source_kifu[64];
static int64_t source_at[2], source_offsets[3], value_ki2, value_label;
static char source_texts[2 * (sizeof START - 1)], source_sfen[] = "4k4/9/9/9/9/9/9/9/4K4 b - 1", book_path[64], psv_path[80], hcpe3_path[80], written_path[80];

static const char main_line[] = "startpos moves 7g7f 3c3d 2g2f 8c8d", other_line[] = "startpos moves 7g7f";
static kmd_board main_board, other_board, start_board, problem_board;

static void bytes_of(char *at, size_t *n, const void *more, size_t size)
{
    memcpy(at + *n, more, size);
    *n += size;
}

/* Makes source_game a game of HCPE3 with two moves, each with a candidate. */
static void make_game(void)
{
    char *at = (char *)source_game;
    size_t n = 0;
    uint16_t moves = 2, candidates = 1, visits = 5;
    uint8_t result = 0, opponent = 0;
    kmd_board b = board_of(START);
    uint8_t hcp[32];
    OK(kmd_board_to_hcp(b, hcp));
    bytes_of(at, &n, hcp, 32);
    bytes_of(at, &n, &moves, 2);
    bytes_of(at, &n, &result, 1);
    bytes_of(at, &n, &opponent, 1);
    for (int i = 0; i < 2; i++) {
        int16_t eval = 50;
        kmd_apery move = 0;
        OK(kmd_move_to_apery(move_of(i ? "3c3d" : "7g7f"), &move));
        bytes_of(at, &n, &move, 2);
        bytes_of(at, &n, &eval, 2);
        bytes_of(at, &n, &candidates, 2);
        bytes_of(at, &n, &move, 2);
        bytes_of(at, &n, &visits, 2);
    }
    OK(kmd_board_close(b));
    SAME(n, sizeof source_game);
}

static void prepare(void)
{
    OK(kmd_board_from_position(main_line, sizeof main_line - 1, &main_board));
    OK(kmd_board_from_position(other_line, sizeof other_line - 1, &other_board));
    OK(kmd_board_new(&start_board));
    problem_board = board_of("4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    OK(kmd_board_to_packed_sfen(problem_board, source_problems));
    memcpy(source_problems + 32, source_problems, 32);
    OK(kmd_board_to_hcp(start_board, source_hcp));
    OK(kmd_board_to_packed_sfen(start_board, source_packed_sfen));
    source_setup->size = sizeof *source_setup;
    OK(kmd_board_get_setup(start_board, source_setup));

    size_t n = 0;
    OK(kmd_board_records(other_board, KMD_FORMAT_PSV, 0, source_evals, 0, source_psv, 1, &n));
    memcpy(source_psv + 40, source_psv, 40);
    source_played[0] = source_played[1] = move_of("7g7f");
    source_moves[0] = move_of("2g2f"), source_moves[1] = move_of("8c8d");
    source_legal[0] = move_of("2f2e"), source_legal[1] = move_of("6i7h");
    OK(kmd_move_label(source_played[0], 0, 0, &source_labels[0]));
    source_labels[1] = source_labels[0];
    kmd_ki2 ki2 = 0;
    OK(kmd_board_ki2(main_board, KMD_PREVIOUS_OF_HISTORY, source_legal[0], &ki2));
    value_ki2 = ki2;
    uint16_t label = 0;
    OK(kmd_move_label(source_legal[0], 0, 0, &label));
    value_label = label;
    for (int i = 0; i < 65536; i++)
        source_words[i] = (uint64_t)i * 3;
    memcpy(source_texts, START, sizeof START - 1);
    memcpy(source_texts + sizeof START - 1, START, sizeof START - 1);
    source_offsets[1] = sizeof START - 1, source_offsets[2] = 2 * (sizeof START - 1);

    make_game();
    kmd_hcpe3_file file = {.size = sizeof file, .which = KMD_HCPE3_TARGETS, .data = source_game, .length = sizeof source_game, .threads = 1};
    size_t count = 0;
    OK(kmd_hcpe3_rows_batch(&file, source_zeros, source_places, 2, source_rows3, source_at, NULL));
    OK(kmd_hcpe3_candidates(&file, source_at, 2, source_rows3, 0, source_candidates, 3, &count));
    SAME(count, 2);

    size_t needed = 0;
    static const char record[] = "PI\n+\n+7776FU\n'** 30 +7776FU -3334FU\n-3334FU\n+2726FU\n-8384FU\n";
    OK(kmd_kifu_read(record, sizeof record - 1, NULL, (uint8_t *)source_kifu, sizeof source_kifu, &needed));

    strcpy(book_path, "/tmp/komadori-wrong-XXXXXX");
    int fd = mkstemp(book_path);
    static const char book[] = "#YANEURAOU-DB2016 1.00\nsfen " START "\n7g7f 3c3d 0 32 1\n2g2f none 0 32 1\n";
    THAT(fd >= 0 && write(fd, book, sizeof book - 1) == (ssize_t)(sizeof book - 1) && close(fd) == 0);
    sprintf(psv_path, "%s.psv", book_path);
    sprintf(hcpe3_path, "%s.hcpe3", book_path);
    sprintf(written_path, "%s.new", book_path);
    OK(kmd_file_write(psv_path, strlen(psv_path), source_psv, sizeof source_psv));
    OK(kmd_file_write(hcpe3_path, strlen(hcpe3_path), source_game, sizeof source_game));
}

#include "wrong_table.h"

/* -------------------------------------------------------------------------------------------------------------- Memory */

enum { ROOMS = 64, ROOM_SIZE = 1 << 20, CANARY = 64, MAX_PLACES = 64 };

static uint8_t *rooms; /* each ends at a page that cannot be touched */
static uint8_t before[ROOMS][ROOM_SIZE];

static void make_rooms(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), step = ROOM_SIZE + page;
    rooms = mmap(NULL, ROOMS * step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    THAT(rooms != MAP_FAILED);
    for (size_t i = 0; i < ROOMS; i++)
        mprotect(rooms + i * step + ROOM_SIZE, page, PROT_NONE);
}

static uint8_t *end_of(int room) { return rooms + (size_t)room * (ROOM_SIZE + (size_t)sysconf(_SC_PAGESIZE)) + ROOM_SIZE; }

/* -------------------------------------------------------------------------------------------------------------- Worlds */

/* The arguments of one call and all that they name. */
static const function *now;
static uint64_t arguments[16];
static uint8_t *memory[MAX_PLACES]; /* by place */
static size_t sizes[MAX_PLACES];
static size_t capacities[MAX_PLACES];
static kmd_board boards[4]; /* main, other, start, problem */
static kmd_job jobs[MAX_PLACES];
static kmd_searcher searcher;
static kmd_book book;
static kmd_file file;

/* Bytes from the canary before the memory of a place to the page that cannot be touched. */
static size_t extent(int i) { return (size_t)(end_of(i) - memory[i]) + CANARY; }

static void put(int i, uint64_t value)
{
    const place *p = &now->places[i];
    if (p->parent < 0)
        arguments[p->at] = value;
    else
        memcpy(memory[p->parent] + p->at, &value, p->width);
}

static uint64_t get(int i)
{
    const place *p = &now->places[i];
    uint64_t value = 0;
    if (p->parent < 0)
        return arguments[p->at];
    memcpy(&value, memory[p->parent] + p->at, p->width);
    return value;
}

static int is_memory(const place *p) { return p->kind == MEMORY || p->kind == STRUCT || p->kind == COUNT || (p->kind >= MADE_BOARD && p->kind <= MADE_FILE); }

static kmd_job make_job(int kind)
{
    kmd_job job = 0;
    kmd_search_limits limits = {.size = sizeof limits, .depth = 1};
    kmd_rows rows = {.size = sizeof rows, .format = KMD_FORMAT_PSV, .data = source_psv, .n = 2, .threads = 1};
    kmd_search_options options = {.size = sizeof options, .hash_mb = 1};
    kmd_mate_limits mates = {.size = sizeof mates, .depth = 3, .memory_mb = 1, .flags = KMD_MATE_FIRST_MOVES};
    kmd_searcher s = 0;
    switch (kind) {
    case HANDLE_PERFT: OK(kmd_perft_start(start_board, 1, &job)); break;
    case HANDLE_SEARCH:
        OK(kmd_searcher_new(&options, &s));
        OK(kmd_search_start(s, start_board, &limits, &job));
        break;
    case HANDLE_BATCH: OK(kmd_search_batch_start(&rows, &options, &limits, &job)); break;
    case HANDLE_MATE: OK(kmd_mate_start(problem_board, &mates, &job)); break;
    default: rows.format = KMD_FORMAT_PACKED_SFEN, rows.data = source_problems, mates.flags = 0; OK(kmd_mate_batch_start(&rows, &mates, &job));
    }
    while (kmd_job_wait(job, 1000) == KMD_ERR_BUSY) {
    }
    if (s != 0)
        OK(kmd_searcher_close(s));
    return job;
}

static kmd_file open_file(int kind)
{
    const char *path = kind == HANDLE_FILE ? psv_path : hcpe3_path;
    kmd_file f = 0;
    OK(kmd_file_open(path, strlen(path), 0, &f));
    return f;
}

static void build(const function *f)
{
    now = f;
    memset(arguments, 0, sizeof arguments);
    OK(kmd_board_copy(main_board, &boards[0]));
    OK(kmd_board_copy(other_board, &boards[1]));
    OK(kmd_board_copy(start_board, &boards[2]));
    OK(kmd_board_copy(problem_board, &boards[3]));
    for (int i = 0; i < f->place_count; i++) {
        const place *p = &f->places[i];
        memory[i] = NULL, sizes[i] = 0, jobs[i] = 0;
        if (is_memory(p)) {
            sizes[i] = p->size;
            if (p->source == book_path || p->source == psv_path || p->source == written_path)
                sizes[i] = strlen(p->source);
            for (int k = 0; k < f->place_count; k++)
                if (f->places[k].pair == i && (f->places[k].kind == CAPACITY || f->places[k].kind == ROOM))
                    sizes[i] = p->size * capacities[k];
            memory[i] = end_of(i) - sizes[i];
            memory[i] -= (uintptr_t)memory[i] % p->alignment;
            memset(memory[i] - CANARY, 0xA5, extent(i));
            if (p->kind == STRUCT && p->source == NULL)
                memset(memory[i], 0, sizes[i]);
            if (p->source != NULL)
                memcpy(memory[i], p->source, sizes[i]);
            put(i, (uintptr_t)memory[i]);
            continue;
        }
        switch (p->kind) {
        case VALUE:
        case CONSTANT: put(i, (uint64_t)(p->source != NULL ? *(const int64_t *)p->source : p->value)); break;
        case SIZE: put(i, (uint64_t)p->value); break;
        case RESERVED: put(i, 0); break;
        case REAL: {
            uint64_t bits;
            memcpy(&bits, &p->real, 8);
            put(i, bits);
            break;
        }
        case LENGTH: put(i, sizes[p->pair]); break;
        case CAPACITY:
        case ROOM: put(i, capacities[i]); break;
        case HANDLE_MAIN:
        case HANDLE_OTHER:
        case HANDLE_START:
        case HANDLE_PROBLEM: put(i, boards[p->kind - HANDLE_MAIN]); break;
        case HANDLE_SEARCHER: {
            kmd_search_options options = {.size = sizeof options, .hash_mb = 1};
            OK(kmd_searcher_new(&options, &searcher));
            put(i, searcher);
            break;
        }
        case HANDLE_BOOK:
            OK(kmd_book_open(book_path, strlen(book_path), 1, 1, &book));
            put(i, book);
            break;
        case HANDLE_FILE:
        case HANDLE_HCPE3: put(i, file = open_file(p->kind)); break;
        default: put(i, jobs[i] = make_job(p->kind));
        }
    }
}

/* Closes what a call made. */
static void close_made(void)
{
    for (int i = 0; i < now->place_count; i++) {
        uint64_t handle = 0;
        if (now->places[i].kind < MADE_BOARD || now->places[i].kind > MADE_FILE || get(i) == 0)
            continue;
        memcpy(&handle, memory[i], 8);
        switch (now->places[i].kind) {
        case MADE_BOARD: OK(kmd_board_close(handle)); break;
        case MADE_SEARCHER: OK(kmd_searcher_close(handle)); break;
        case MADE_BOOK: OK(kmd_book_close(handle)); break;
        case MADE_FILE: OK(kmd_file_close(handle)); break;
        default: OK(kmd_job_cancel(handle)); that(kmd_job_finish(handle, NULL) != KMD_ERR_HANDLE, __FILE__, __LINE__, now->name);
        }
    }
}

/* Closes the world; all its handles have to be open still, unless the call was one that closes. */
static void leave(int is_whole)
{
    for (int i = 0; i < 4; i++) {
        kmd_status s = kmd_board_close(boards[i]);
        if (is_whole)
            SAME(s, KMD_OK);
    }
    for (int i = 0; i < now->place_count; i++)
        if (jobs[i] != 0) {
            kmd_status s = kmd_job_finish(jobs[i], NULL);
            if (is_whole)
                SAME(s, KMD_OK);
            jobs[i] = 0;
        }
    if (searcher != 0) {
        kmd_status s = kmd_searcher_close(searcher);
        if (is_whole)
            SAME(s, KMD_OK);
        searcher = 0;
    }
    if (file != 0) {
        kmd_status s = kmd_file_close(file);
        if (is_whole)
            SAME(s, KMD_OK);
        file = 0;
    }
    if (book != 0) {
        kmd_status s = kmd_book_close(book);
        if (is_whole)
            SAME(s, KMD_OK);
        book = 0;
    }
}

static void remember(void)
{
    for (int i = 0; i < now->place_count; i++)
        if (memory[i] != NULL)
            memcpy(before[i], memory[i] - CANARY, extent(i));
}

/* Whether a board is as another one, with its history. */
static int is_same(kmd_board b, kmd_board as)
{
    char text[2][256];
    size_t n[2] = {0, 1};
    return kmd_board_to_position(b, text[0], sizeof text[0], &n[0]) == KMD_OK && kmd_board_to_position(as, text[1], sizeof text[1], &n[1]) == KMD_OK &&
           n[0] == n[1] && memcmp(text[0], text[1], n[0]) == 0;
}

/* --------------------------------------------------------------------------------------------------------------- Cases */

static int cases;

static int fail(const char *what, int i, const char *how, int64_t got)
{
    if (atomic_fetch_add(&failures, 1) < 200)
        fprintf(stderr, "%s, %s %s: %s (status %lld)\n", now->name, i >= 0 ? now->places[i].name : "", how, what, (long long)got);
    return 0;
}

/* Calls with an argument that is wrong, and looks at everything. */
static void refused(int i, const char *how, kmd_status status)
{
    cases++;
    atomic_fetch_add(&checks, 1);
    remember();
    int64_t got = now->call(arguments);
    if (got != status)
        fail("another status", i, how, got);
    if (now->returns == PLAIN || got >= 0) {
        if (got >= 0 && status < 0)
            close_made();
    } else if (strcmp(now->name, "kmd_last_error") != 0) {
        kmd_error e = {.size = sizeof e};
        kmd_last_error(&e);
        if (e.kind != got || strlen(e.message) < 12)
            fail("a poor message", i, how, e.kind);
    }
    if (got == KMD_OK) {
        leave(0);
        return;
    }
    for (int k = 0; k < now->place_count; k++)
        if (memory[k] != NULL && !(status == KMD_ERR_BUFFER && now->places[k].flags & SET_IF_SHORT) && memcmp(before[k], memory[k] - CANARY, extent(k)) != 0)
            fail(now->places[k].name, i, "changes memory", got);
    if (!is_same(boards[0], main_board) || !is_same(boards[1], other_board) || !is_same(boards[2], start_board) || !is_same(boards[3], problem_board))
        fail("a board is changed", i, how, got);
    leave(1);
}

/* Calls with what may be null or of any value. */
static void accepted(int i, const char *how)
{
    cases++;
    atomic_fetch_add(&checks, 1);
    int64_t got = now->call(arguments);
    if (now->status == KMD_OK && got < 0 && got != KMD_ERR_BUFFER && now->returns != PLAIN)
        fail("refused", i, how, got);
    if (got >= 0 && get(i) != 0)
        close_made();
    leave(0);
}

static void good(const function *f)
{
    build(f);
    remember();
    int64_t got = f->call(arguments);
    cases++;
    atomic_fetch_add(&checks, 1);
    if (f->returns == STATUS ? got != f->status : f->returns == NUMBER && got < 0)
        fail("the good call is refused", -1, "", got);
    for (int k = 0; k < f->place_count; k++)
        if (memory[k] != NULL && memcmp(before[k], memory[k] - CANARY, CANARY + (f->places[k].flags & WRITTEN ? 0 : sizes[k])) != 0)
            fail(f->places[k].name, k, "changes memory", got);
    if (got == KMD_OK)
        close_made();
}

/* Finds out how much room the lists of a function need: a first call has much. */
static void learn(const function *f)
{
    int found = 0;
    for (int i = 0; i < f->place_count; i++) {
        capacities[i] = (size_t)f->places[i].value;
        if (f->places[i].kind == CAPACITY) {
            capacities[i] = ROOM_SIZE / 2 / f->places[f->places[i].pair].size;
            found = 1;
        }
    }
    good(f);
    for (int i = 0; found && i < f->place_count; i++)
        if (f->places[i].kind == CAPACITY)
            for (int k = 0; k < f->place_count; k++)
                if (strcmp(f->places[k].name, f->places[i].source) == 0 || (strcmp(f->places[i].source, "count") == 0 && f->places[k].kind == COUNT)) {
                    uint64_t n = 0;
                    memcpy(&n, memory[k] + 8 * f->places[i].value, 8);
                    capacities[i] = n;
                    if (n == 0)
                        fail("the good call finds nothing", i, "", 0);
                }
    leave(0);
    if (found) {
        good(f);
        leave(0);
    }
}

static void handles(const function *f, int i)
{
    const place *p = &f->places[i];
    int closes = strstr(f->name, "_close") != NULL;
    for (int n = 0; n < 7; n++) {
        build(f);
        uint64_t handle = get(i), foreign = p->kind >= HANDLE_PERFT && p->kind <= HANDLE_MATES ? boards[0] : make_job(HANDLE_PERFT);
        kmd_status status = KMD_ERR_HANDLE;
        const char *how = "";
        kmd_board gone = 0;
        switch (n) {
        case 0: how = "is 0", handle = 0, status = closes ? KMD_OK : KMD_ERR_HANDLE; break;
        case 1: how = "is of another kind", handle = foreign; break;
        case 2: how = "has another generation", handle += (uint64_t)2 << 24; break;
        case 3: how = "has another slot", handle ^= 0x7FFFFF; break;
        case 4: how = "has another tag", handle ^= (uint64_t)1 << 55; break;
        case 5: how = "is -1", handle = UINT64_MAX; break;
        case 6: /* closed already */
            how = "is closed";
            switch (p->kind) {
            case HANDLE_MAIN:
            case HANDLE_OTHER:
            case HANDLE_START:
            case HANDLE_PROBLEM:
                OK(kmd_board_new(&gone));
                OK(kmd_board_close(gone));
                handle = gone;
                break;
            case HANDLE_SEARCHER: {
                kmd_searcher s = 0;
                OK(kmd_searcher_new(NULL, &s));
                OK(kmd_searcher_close(s));
                handle = s;
                break;
            }
            case HANDLE_FILE:
            case HANDLE_HCPE3:
                handle = open_file(p->kind);
                OK(kmd_file_close(handle));
                break;
            case HANDLE_BOOK: {
                kmd_book b = 0;
                OK(kmd_book_open(book_path, strlen(book_path), 0, 0, &b));
                OK(kmd_book_close(b));
                handle = b;
                break;
            }
            default: handle = make_job(p->kind); OK(kmd_job_finish(handle, NULL));
            }
        }
        put(i, handle);
        refused(i, how, status);
        if (foreign != boards[0])
            OK(kmd_job_finish(foreign, NULL));
    }
    if (p->kind > HANDLE_PERFT && p->kind <= HANDLE_MATES) {
        build(f);
        kmd_job perft = make_job(HANDLE_PERFT);
        put(i, perft);
        refused(i, "is a job of another kind", KMD_ERR_ARGUMENT);
        OK(kmd_job_finish(perft, NULL));
    }
    if (p->kind == HANDLE_OTHER && f->places[0].kind == HANDLE_MAIN) {
        build(f);
        put(i, boards[0]);
        refused(i, "is the board itself", KMD_ERR_BUSY);
    }
}

static void pointers(const function *f, int i)
{
    const place *p = &f->places[i];
    int is_empty = sizes[i] == 0;
    build(f);
    put(i, 0);
    if (p->flags & NULLABLE || is_empty)
        accepted(i, "is null");
    else
        refused(i, "is null", KMD_ERR_ARGUMENT);
    if (p->alignment > 1) {
        build(f);
        put(i, (uintptr_t)memory[i] - 1);
        refused(i, "is misaligned", KMD_ERR_ARGUMENT);
    }
    if (!(p->flags & WRITTEN) || p->kind == STRUCT)
        return;
    for (int k = 0; k < f->place_count; k++) {
        const place *q = &f->places[k];
        if (k == i || !is_memory(q) || sizes[i] == 0 || sizes[k] == 0 || q->kind == STRUCT || (q->flags & WRITTEN && k > i))
            continue;
        uint8_t *at = memory[k];
        at -= (uintptr_t)at % p->alignment;
        if (f->apart) {
            build(f);
            put(i, (uintptr_t)at);
            refused(i, q->name, KMD_ERR_ARGUMENT);
            build(f);
            at = memory[k] + sizes[k] - 1;
            put(i, (uintptr_t)(at - (uintptr_t)at % p->alignment));
            refused(i, q->name, KMD_ERR_ARGUMENT);
        } else if (sizes[i] <= sizes[k] && at == memory[k]) {
            /* Whatever comes of it, nothing beyond the memory is touched, and nothing breaks. */
            build(f);
            put(i, (uintptr_t)at);
            cases++;
            int64_t got = f->call(arguments);
            if (got != KMD_OK && got != KMD_ERR_ARGUMENT)
                fail("an odd status", i, q->name, got);
            leave(0);
        }
    }
}

static void numbers(const function *f, int i)
{
    const place *p = &f->places[i];
    char how[64];
    for (int n = 0; n < p->wrong_count; n++) {
        const wrong *w = &p->wrongs[n];
        uint64_t bits = (uint64_t)w->value;
        if (p->kind == REAL)
            memcpy(&bits, &w->real, 8);
        build(f);
        put(i, bits);
        snprintf(how, sizeof how, p->kind == REAL ? "is %g" : "is %.0f", p->kind == REAL ? w->real : (double)w->value);
        refused(i, how, w->status);
    }
    if (p->kind == CAPACITY) {
        size_t enough = capacities[i];
        capacities[i] = enough - 1; /* and as much memory */
        build(f);
        refused(i, "is one too small", KMD_ERR_BUFFER);
        capacities[i] = 0;
        build(f);
        refused(i, "is 0", KMD_ERR_BUFFER);
        build(f);
        put(p->pair, 0);
        refused(i, "is 0, of null", KMD_ERR_BUFFER);
        capacities[i] = enough;
    }
    if (p->kind == VALUE && p->wrong_count == 0 && p->parent < 0) {
        static const int64_t any[] = {0, -1, 255, 65535, INT32_MIN, INT64_MAX};
        for (size_t n = 0; n < sizeof any / sizeof *any; n++) {
            build(f);
            put(i, (uint64_t)any[n]);
            accepted(i, "is any number");
        }
    }
}

static void all_of(const function *f)
{
    int first = cases;
    learn(f);
    for (int i = 0; i < f->place_count; i++) {
        const place *p = &f->places[i];
        if (p->kind >= HANDLE_MAIN)
            handles(f, i);
        else if (is_memory(p))
            pointers(f, i);
        if (p->kind == SIZE || p->kind == RESERVED) {
            static const int odd[] = {-8, -1, 1, 8};
            for (size_t n = 0; n < sizeof odd / sizeof *odd; n++) {
                build(f);
                put(i, get(i) + (uint64_t)odd[n]);
                refused(i, p->kind == SIZE ? "is another" : "is not 0", KMD_ERR_ARGUMENT);
            }
            build(f);
            put(i, p->kind == SIZE ? 0 : 1u << 31);
            refused(i, p->kind == SIZE ? "is 0" : "is not 0", KMD_ERR_ARGUMENT);
        } else if (!is_memory(p)) {
            numbers(f, i);
        }
    }
    if (getenv("KOMADORI_WRONG_LIST") != NULL)
        printf("  %-32s %d\n", f->name, cases - first);
    OK(kmd_set_threads(2));
}

/* In a forked child every function refuses, and does nothing. */
static void forked(const function *f)
{
    static const char *const in_c[] = {"kmd_last_error", "kmd_version", "kmd_abi_version", "kmd_quick_words"}; /* these work there, too */
    for (size_t i = 0; i < sizeof in_c / sizeof *in_c; i++)
        if (strcmp(f->name, in_c[i]) == 0)
            return;
    cases++;
    build(f);
    remember();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int64_t got = f->call(arguments);
        int bad = got != (f->returns == PLAIN && strcmp(f->name, "kmd_hand_is_superior_or_equal") && strcmp(f->name, "kmd_move_is_normal") &&
                                  strcmp(f->name, "kmd_ki2_is_valid")
                              ? 0
                              : KMD_ERR_FORKED);
        for (int k = 0; k < f->place_count; k++)
            bad |= memory[k] != NULL && memcmp(before[k], memory[k] - CANARY, extent(k)) != 0;
        if (bad)
            fprintf(stderr, "%s in a forked child: %lld\n", f->name, (long long)got);
        _exit(bad);
    }
    int status = 1;
    THAT(waitpid(pid, &status, 0) == pid && status == 0);
    leave(0);
}

int main(int count, char **words)
{
    enum { N = sizeof functions / sizeof *functions };
    make_rooms();
    prepare();
    for (int i = 0; i < N; i++)
        if (count < 2 || strcmp(words[1], functions[i].name) == 0)
            all_of(&functions[i]);
    int wrongs = cases;
    for (int i = 0; i < N; i++)
        if (count < 2)
            forked(&functions[i]);
    OK(kmd_board_close(main_board));
    OK(kmd_board_close(other_board));
    OK(kmd_board_close(start_board));
    OK(kmd_board_close(problem_board));
    unlink(book_path), unlink(psv_path), unlink(hcpe3_path), unlink(written_path);
    printf("wrong    %d functions, %d calls with arguments, %d in forked children\n", N, wrongs, cases - wrongs);
    return report_tests("wrong");
}
