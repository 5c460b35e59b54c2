/* Long jobs: counting, searching, mates; waiting in slices, stopping, misuse. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static kmd_result fresh(void)
{
    kmd_result r;
    memset(&r, 0, sizeof r);
    r.size = sizeof r;
    return r;
}

static kmd_status wait_for(kmd_job job, kmd_result *r)
{
    kmd_status s;
    while ((s = kmd_job_wait(job, 20)) == KMD_ERR_BUSY) {
    }
    SAME(s, KMD_OK);
    return kmd_job_finish(job, r);
}

static void counting(void)
{
    static const uint64_t want[] = {1, 30, 900, 25470, 719731};
    kmd_board b = 0;
    OK(kmd_board_new(&b));
    for (int depth = 0; depth < 5; depth++) {
        kmd_job job = 0;
        kmd_result r = fresh();
        OK(kmd_perft_start(b, depth, &job));
        OK(wait_for(job, &r));
        SAME(r.nodes, want[depth]);
        SAME(kmd_job_finish(job, &r), KMD_ERR_HANDLE);
        SAME(kmd_job_wait(job, 0), KMD_ERR_HANDLE);
    }
    kmd_job job = 77;
    SAME(kmd_perft_start(b, -1, &job), KMD_ERR_ARGUMENT);
    SAME(kmd_perft_start(b, 65, &job), KMD_ERR_ARGUMENT);
    SAME(kmd_perft_start(b, 1, NULL), KMD_ERR_ARGUMENT);
    SAME(job, 77);

    /* The board is free while the job runs; a job that never would end is stopped. */
    OK(kmd_perft_start(b, 30, &job));
    OK(kmd_board_push(b, move_of("7g7f")));
    SAME(kmd_job_wait(job, 1), KMD_ERR_BUSY);
    SAME(kmd_job_wait(job, -1), KMD_ERR_ARGUMENT);
    SAME(kmd_job_wait(job, 1001), KMD_ERR_ARGUMENT);
    kmd_result r = fresh();
    OK(kmd_job_poll(job, &r));
    r.size = 4;
    SAME(kmd_job_poll(job, &r), KMD_ERR_ARGUMENT);
    SAME(kmd_job_finish(job, &r), KMD_ERR_ARGUMENT); /* refused at once: the job goes on */
    OK(kmd_job_cancel(job));
    r = fresh();
    SAME(kmd_job_finish(job, &r), KMD_ERR_CANCELLED);

    /* Many at once. */
    kmd_job jobs[40];
    for (int i = 0; i < 40; i++)
        OK(kmd_perft_start(b, 3, &jobs[i]));
    for (int i = 39; i >= 0; i--) {
        r = fresh();
        OK(wait_for(jobs[i], &r));
        THAT(r.nodes > 20000);
    }
    OK(kmd_board_close(b));
    SAME(kmd_perft_start(b, 1, &job), KMD_ERR_HANDLE);
}

static volatile sig_atomic_t rang;

static void ring(int signal)
{
    (void)signal;
    rang = 1;
}

/* A signal ends the wait early, so that the host language can look at it. */
static void interrupted(void)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = ring; /* without SA_RESTART, as Python installs it */
    SAME(sigaction(SIGALRM, &a, NULL), 0);
    kmd_board b = 0;
    kmd_job job = 0;
    kmd_result r = fresh();
    OK(kmd_board_new(&b));
    OK(kmd_perft_start(b, 30, &job));
    alarm(1);
    int waits = 0;
    while (!rang && waits < 1000 && kmd_job_wait(job, 20) == KMD_ERR_BUSY)
        waits++;
    THAT(rang); /* before a thousand slices were over */
    OK(kmd_job_cancel(job));
    SAME(kmd_job_finish(job, &r), KMD_ERR_CANCELLED);
    OK(kmd_board_close(b));
}

static int is_line(const char *sfen, const kmd_result *r)
{
    kmd_board b = board_of(sfen);
    int ok = 1;
    for (int i = 0; i < r->pv_length && i < KMD_MAX_PV; i++)
        ok = ok && kmd_board_push(b, r->pv[i]) == KMD_OK;
    kmd_board_close(b);
    return ok;
}

static void searching(void)
{
    kmd_searcher s = 0;
    kmd_search_options o = {.size = sizeof o, .hash_mb = 4};
    kmd_search_limits none = {.size = sizeof none}, four = {.size = sizeof four, .depth = 4}, ever = {.size = sizeof ever, .infinite = 1};
    kmd_board b = 0;
    kmd_job job = 0;
    kmd_result r = fresh(), again = fresh();
    OK(kmd_searcher_new(&o, &s));
    OK(kmd_board_new(&b));
    SAME(kmd_search_start(s, b, &none, &job), KMD_ERR_ARGUMENT);
    SAME(kmd_search_start(s, b, NULL, &job), KMD_ERR_ARGUMENT);
    OK(kmd_search_start(s, b, &four, &job));
    OK(wait_for(job, &r));
    SAME(r.kind, KMD_SCORE_CP);
    SAME(r.depth, 4);
    THAT(r.nodes > 0 && r.pv_length > 0);
    SAME(r.best_move, r.pv[0]);
    THAT(is_line(START, &r));

    /* One thread, one depth, a cleared table: the same search again. */
    OK(kmd_searcher_clear(s));
    OK(kmd_search_start(s, b, &four, &job));
    OK(wait_for(job, &again));
    SAME(again.nodes, r.nodes);
    SAME(again.best_move, r.best_move);
    SAME(again.score, r.score);

    OK(kmd_search_start(s, b, &ever, &job));
    SAME(kmd_search_start(s, b, &four, &job), KMD_ERR_BUSY);
    SAME(kmd_job_wait(job, 30), KMD_ERR_BUSY);
    OK(kmd_job_poll(job, &r));
    OK(kmd_job_cancel(job));
    r = fresh();
    SAME(kmd_job_finish(job, &r), KMD_ERR_CANCELLED);
    THAT(r.best_move != KMD_MOVE_NONE && is_line(START, &r)); /* what it had */

    /* A searcher closed while it searches: the job ends, its result is still there to take. */
    OK(kmd_search_start(s, b, &ever, &job));
    kmd_status closed = kmd_searcher_close(s);
    THAT(closed == KMD_OK || closed == KMD_ERR_BUSY);
    OK(kmd_job_cancel(job));
    SAME(kmd_job_finish(job, NULL), KMD_ERR_CANCELLED);
    if (closed == KMD_ERR_BUSY)
        OK(kmd_searcher_close(s));
    OK(kmd_board_close(b));

    /* What options and limits may not be. */
    OK(kmd_searcher_new(NULL, &s));
    OK(kmd_searcher_close(s));
    o.hash_mb = o.threads = 0; /* the usual ones */
    OK(kmd_searcher_new(&o, &s));
    OK(kmd_searcher_close(s));
    const kmd_search_options good = o;
    kmd_rules rules = {.size = sizeof rules, .repetition = 1};
#define REFUSED(field, value, status) (o = good, o.field = (value), SAME(kmd_searcher_new(&o, &s), status))
    REFUSED(hash_mb, -1, KMD_ERR_ARGUMENT);
    REFUSED(hash_mb, KMD_MAX_HASH_MB + 1, KMD_ERR_ARGUMENT);
    REFUSED(threads, -1, KMD_ERR_ARGUMENT);
    REFUSED(threads, KMD_MAX_SEARCH_THREADS + 1, KMD_ERR_ARGUMENT);
    REFUSED(switches, 64, KMD_ERR_ARGUMENT);
    REFUSED(delay_ms, -1, KMD_ERR_ARGUMENT);
    REFUSED(slow_mover, 1001, KMD_ERR_ARGUMENT);
    REFUSED(rules, &rules, KMD_ERR_INVALID_VALUE);
    REFUSED(size, 1, KMD_ERR_ARGUMENT);
#undef REFUSED
    OK(kmd_rules_profile("CSA", 3, &rules));
    o = good;
    o.rules = &rules;
    o.threads = 2;
    o.hash_mb = 1;
    OK(kmd_searcher_new(&o, &s));
    OK(kmd_board_new(&b));
    kmd_search_limits l;
    kmd_move moves[2] = {move_of("1g1f"), move_of("9g9f")};
#define REFUSED(field, value) (l = four, l.field = (value), SAME(kmd_search_start(s, b, &l, &job), KMD_ERR_ARGUMENT))
    REFUSED(depth, -1);
    REFUSED(movetime_ms, -1);
    REFUSED(infinite, 2);
    REFUSED(multipv, -1);
    REFUSED(multipv, KMD_MAX_MULTIPV + 1);
    REFUSED(byoyomi_ms, -1);
    REFUSED(remaining_ms[1], INT64_MAX);
    REFUSED(search_move_count, 1);
#undef REFUSED
    l = four;
    l.search_moves = moves;
    l.search_move_count = 2;
    OK(kmd_search_start(s, b, &l, &job));
    r = fresh();
    OK(wait_for(job, &r));
    THAT(r.best_move == moves[0] || r.best_move == moves[1]);
    OK(kmd_searcher_close(s));
    OK(kmd_board_close(b));
}

/* Lines and infos, before and after the end, and jobs that are no searches. */
static void lines(void)
{
    kmd_searcher s = 0;
    kmd_search_options o = {.size = sizeof o, .hash_mb = 1};
    kmd_search_limits five = {.size = sizeof five, .depth = 5, .multipv = 5}, ponder = {.size = sizeof ponder, .movetime_ms = 20, .ponder = 1};
    static kmd_info infos[100];
    kmd_board b = board_of("l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1");
    kmd_job job = 0;
    kmd_result r = fresh();
    size_t n = 77, taken = 0;
    OK(kmd_searcher_new(&o, &s));
    OK(kmd_search_start(s, b, &five, &job));
    while (kmd_job_wait(job, 1) == KMD_ERR_BUSY) {
        OK(kmd_search_infos(job, infos + taken, 1, &n)); /* one at a time */
        taken += n;
        OK(kmd_search_lines(job, infos + 50, 50, &n));
        THAT(n <= 5);
    }
    OK(kmd_search_infos(job, infos + taken, 100 - taken, &n));
    taken += n;
    SAME(taken, 25);
    for (size_t i = 0; i < taken; i++) {
        SAME(infos[i].depth, (int)i / 5 + 1);
        SAME(infos[i].multipv, (int)i % 5 + 1);
        THAT(infos[i].pv_length >= 1 && (infos[i].kind == KMD_SCORE_CP || infos[i].kind == KMD_SCORE_MATE));
    }
    OK(kmd_search_infos(job, NULL, 0, &n));
    SAME(n, 0);
    SAME(kmd_search_lines(job, infos, 4, &n), KMD_ERR_BUFFER);
    SAME(n, 5);
    OK(kmd_search_lines(job, infos, 5, &n));
    SAME(kmd_search_infos(job, NULL, 1, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_search_lines(job, infos, 5, NULL), KMD_ERR_ARGUMENT);
    OK(kmd_job_finish(job, &r));
    SAME(r.line_count, 5);
    SAME(infos[0].pv[0], r.best_move);
    SAME(infos[0].score, r.score);
    SAME(kmd_search_lines(job, infos, 5, &n), KMD_ERR_HANDLE);

    /* A score that was to be looked at again when the nodes ran out is a bound, in the result as in the lines. */
    int bounds = 0;
    for (uint64_t nodes = 1000; nodes < 40000 && bounds < 2; nodes += 300) {
        kmd_search_limits few = {.size = sizeof few, .nodes = nodes};
        OK(kmd_searcher_clear(s));
        OK(kmd_search_start(s, b, &few, &job));
        while (kmd_job_wait(job, 20) == KMD_ERR_BUSY) {
        }
        OK(kmd_search_lines(job, infos, 5, &n));
        OK(kmd_job_finish(job, &r));
        SAME(n, 1);
        SAME(r.bound, infos[0].bound);
        bounds += r.bound == KMD_BOUND_LOWER;
    }
    SAME(bounds, 2);

    /* Pondering: nothing counts before the hit. */
    OK(kmd_search_start(s, b, &ponder, &job));
    SAME(kmd_job_wait(job, 60), KMD_ERR_BUSY);
    OK(kmd_search_ponderhit(job));
    OK(wait_for(job, &r));
    OK(kmd_search_start(s, b, &ponder, &job));
    OK(kmd_search_ponderhit(job)); /* at once */
    OK(wait_for(job, &r));

    OK(kmd_perft_start(b, 1, &job));
    SAME(kmd_search_ponderhit(job), KMD_ERR_ARGUMENT);
    SAME(kmd_search_infos(job, infos, 5, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_search_lines(job, infos, 5, &n), KMD_ERR_ARGUMENT);
    OK(wait_for(job, &r));
    OK(kmd_searcher_close(s));
    OK(kmd_board_close(b));
}

/* Searches of many positions: the same on any number of threads, bad rows apart. */
static void many(void)
{
    enum { N = 9, LINES = 2 };
    static uint8_t packed[N][32];
    static kmd_found found[2][N * LINES];
    kmd_rows rows = {.size = sizeof rows, .format = KMD_FORMAT_PACKED_SFEN, .data = packed[0], .n = N};
    kmd_search_options o = {.size = sizeof o, .hash_mb = 1};
    kmd_search_limits l = {.size = sizeof l, .nodes = 2000, .multipv = LINES};
    kmd_board b = 0;
    kmd_job job = 0;
    OK(kmd_board_new(&b));
    for (int i = 0; i < N; i++) {
        static kmd_move list[KMD_MAX_LEGAL_MOVES];
        size_t count = 0;
        OK(kmd_board_to_packed_sfen(b, packed[i]));
        OK(kmd_board_legal_moves(b, list, KMD_MAX_LEGAL_MOVES, &count));
        OK(kmd_board_push(b, list[7 * i % count]));
    }
    memset(packed[4], 0xFF, 32);
    for (int k = 0; k < 2; k++) {
        rows.threads = k + 1;
        OK(kmd_search_batch_start(&rows, &o, &l, &job));
        kmd_result r = fresh();
        while (kmd_job_wait(job, 5) == KMD_ERR_BUSY) {
            OK(kmd_job_poll(job, &r));
            THAT(r.rows <= N);
        }
        OK(kmd_search_batch_found(job, 0, 5, found[k]));
        OK(kmd_search_batch_found(job, 5, N * LINES - 5, found[k] + 5));
        SAME(kmd_search_batch_found(job, N * LINES, 1, found[k]), KMD_ERR_ARGUMENT);
        SAME(kmd_search_batch_found(job, 1, SIZE_MAX, found[k]), KMD_ERR_ARGUMENT);
        OK(kmd_search_batch_found(job, N * LINES, 0, NULL));
        OK(kmd_job_finish(job, &r));
        SAME(r.rows, N);
        THAT(r.nodes >= 8 * 1000);
    }
    SAME(memcmp(found[0], found[1], sizeof found[0]), 0);
    for (int i = 0; i < N * LINES; i++) {
        int bad = i / LINES == 4;
        THAT(bad == (found[0][i].status != KMD_OK) && bad == (found[0][i].kind == 0));
        THAT(bad || (found[0][i].pv_length > 0 && found[0][i].pv[0] == found[0][i].best_move));
    }

    /* Stopped in the middle: rows have an answer, or say that they have none. */
    l = (kmd_search_limits){.size = sizeof l, .movetime_ms = 100};
    OK(kmd_search_batch_start(&rows, NULL, &l, &job));
    SAME(kmd_search_batch_found(job, 0, 1, found[0]), KMD_ERR_BUSY);
    SAME(kmd_search_infos(job, NULL, 0, &(size_t){0}), KMD_ERR_ARGUMENT);
    OK(kmd_job_cancel(job));
    while (kmd_job_wait(job, 5) == KMD_ERR_BUSY) {
    }
    OK(kmd_search_batch_found(job, 0, N, found[0]));
    SAME(kmd_job_finish(job, NULL), KMD_ERR_CANCELLED);
    SAME(found[0][N - 1].status, KMD_ERR_CANCELLED);

    l.infinite = 1;
    SAME(kmd_search_batch_start(&rows, NULL, &l, &job), KMD_ERR_ARGUMENT);
    rows.format = 99;
    l.infinite = 0;
    SAME(kmd_search_batch_start(&rows, NULL, &l, &job), KMD_ERR_ARGUMENT);
    rows.format = KMD_FORMAT_PACKED_SFEN;
    rows.n = 0;
    OK(kmd_search_batch_start(&rows, NULL, &l, &job));
    OK(kmd_job_finish(job, NULL));
    OK(kmd_board_close(b));
}

/* The USI engine over pipes. */
static void usi(void)
{
    int in[2], out[2];
    SAME(pipe(in), 0);
    SAME(pipe(out), 0);
    kmd_job job = 0;
    static char said[1 << 16];
    static const char commands[] = "usi\nposition startpos\ngo depth 3";
    OK(kmd_usi_start(in[0], out[1], commands, sizeof commands - 1, &job));
    SAME(write(in[1], "go depth 1\nquit\nleft over", 26), 26);
    OK(wait_for(job, NULL));
    ssize_t n = read(out[0], said, sizeof said - 1);
    THAT(n > 0);
    said[n > 0 ? n : 0] = 0;
    THAT(strstr(said, "id name Komadori") && strstr(said, "usiok\n") && strstr(said, "bestmove "));

    /* Stopped while it waits for input; what comes then is left to others. */
    OK(kmd_usi_start(in[0], out[1], NULL, 0, &job));
    SAME(kmd_job_wait(job, 20), KMD_ERR_BUSY);
    OK(kmd_job_cancel(job));
    SAME(kmd_job_finish(job, NULL), KMD_ERR_CANCELLED);
    usleep(100000);
    SAME(write(in[1], "mine", 4), 4);
    SAME(read(in[0], said, 4), 4);
    SAME(memcmp(said, "mine", 4), 0);

    OK(kmd_usi_start(-1, out[1], "go depth 1", 10, &job));
    OK(wait_for(job, NULL));
    close(in[1]); /* the end of the input */
    OK(kmd_usi_start(in[0], out[1], NULL, 0, &job));
    OK(wait_for(job, NULL));
    SAME(kmd_usi_start(-2, 1, NULL, 0, &job), KMD_ERR_ARGUMENT);
    SAME(kmd_usi_start(0, -1, NULL, 0, &job), KMD_ERR_ARGUMENT);
    SAME(kmd_usi_start(0, 1, NULL, 5, &job), KMD_ERR_ARGUMENT);
    OK(kmd_usi_start(12345, out[1], NULL, 0, &job));
    SAME(wait_for(job, NULL), KMD_ERR_IO);
    close(in[0]);
    close(out[0]);
    close(out[1]);
}

/* A book of two lines, and what can be wrong with calls. */
static void books(void)
{
    static const char text[] = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 63 27 90\n2g2f\n";
    char path[] = "/tmp/komadori-book-XXXXXX";
    int file = mkstemp(path);
    THAT(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1 && close(file) == 0);
    kmd_book book = 0;
    kmd_board b = 0;
    kmd_book_move moves[4];
    size_t n = 0;
    int64_t positions = 0;
    OK(kmd_board_new(&b));
    OK(kmd_book_open(path, sizeof path - 1, 1, 0, &book));
    OK(kmd_book_size(book, &positions));
    SAME(positions, 1);
    OK(kmd_book_lookup(book, b, moves, 4, &n));
    SAME(n, 2);
    THAT(moves[0].move == move_of("7g7f") && moves[0].reply == move_of("3c3d") && moves[0].score == 63 && moves[0].depth == 27 && moves[0].count == 90);
    THAT(moves[1].move == move_of("2g2f") && moves[1].reply == KMD_MOVE_NONE && moves[1].score == KMD_NO_SCORE && moves[1].count == 0);
    n = 0;
    SAME(kmd_book_lookup(book, b, moves, 1, &n), KMD_ERR_BUFFER);
    SAME(n, 2);
    OK(kmd_board_push(b, move_of("7g7f")));
    OK(kmd_book_lookup(book, b, NULL, 0, &n));
    SAME(n, 0);
    SAME(kmd_book_lookup(book, b, NULL, 1, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_book_lookup(book, b, moves, 4, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_book_lookup(book, 0, moves, 4, &n), KMD_ERR_HANDLE);
    OK(kmd_book_close(book));
    SAME(kmd_book_close(book), KMD_ERR_HANDLE);
    SAME(kmd_book_lookup(book, b, moves, 4, &n), KMD_ERR_HANDLE);
    OK(kmd_book_close(0));
    SAME(kmd_book_open(path, sizeof path - 1, 2, 0, &book), KMD_ERR_ARGUMENT);
    SAME(kmd_book_open(path, sizeof path - 1, 0, 0, NULL), KMD_ERR_ARGUMENT);
    SAME(unlink(path), 0);
    SAME(kmd_book_open(path, sizeof path - 1, 0, 0, &book), KMD_ERR_IO);
    OK(kmd_board_close(b));
}

static void mating(void)
{
    /* Three plies: gold drop, king away, gold drop. */
    static const char three[] = "7nl/7k1/5P1pp/6P2/9/9/9/9/4K4 b 2G2r2b2g4s3n3l14p 1";
    static const char edge[] = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
    kmd_board b = board_of(three);
    kmd_job job = 0;
    kmd_result r = fresh();
    kmd_mate_limits l = {.size = sizeof l, .nodes = 1000000, .flags = KMD_MATE_SHORTEST | KMD_MATE_FIRST_MOVES}, good = l;
    kmd_move moves[KMD_MAX_MATE_PLIES];
    size_t n = 0;
    OK(kmd_mate_start(b, NULL, &job));
    OK(wait_for(job, &r));
    THAT(r.kind == KMD_MATE_FOUND || r.kind == KMD_MATE_NONE);
    if (r.kind == KMD_MATE_FOUND)
        THAT(r.pv_length % 2 == 1 && is_line(three, &r));
    OK(kmd_board_close(b));

    b = board_of("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1");
    r = fresh();
    OK(kmd_mate_start(b, &l, &job));
    while (kmd_job_wait(job, 20) == KMD_ERR_BUSY)
        ;
    OK(kmd_mate_moves(job, moves, 1, &n));
    SAME(n, 1);
    SAME(moves[0], move_of("G*5b"));
    SAME(kmd_mate_moves(job, moves, 0, &n), KMD_ERR_BUFFER);
    SAME(n, 1);
    OK(kmd_mate_first_moves(job, moves, KMD_MAX_MATE_PLIES, &n));
    SAME(n, 1);
    SAME(kmd_mate_moves(job, moves, 1, NULL), KMD_ERR_ARGUMENT);
    SAME(kmd_mate_moves(job, NULL, 1, &n), KMD_ERR_ARGUMENT);
    SAME(kmd_mate_batch_found(job, 0, 0, NULL), KMD_ERR_ARGUMENT);
    OK(kmd_job_finish(job, &r));
    SAME(kmd_mate_moves(job, moves, 1, &n), KMD_ERR_HANDLE);
    SAME(r.kind, KMD_MATE_FOUND);
    SAME(r.depth, 1);
    SAME(r.proven, 1);
    SAME(r.best_move, move_of("G*5b"));
    OK(kmd_board_close(b));

    /* At once, and all mates in one. */
    b = board_of(edge);
    r = fresh();
    SAME(kmd_quick_mate(b, 100, 1, &r), KMD_MATE_FOUND);
    SAME(r.kind, KMD_MATE_FOUND);
    SAME(r.pv[0], move_of("G*5b"));
    SAME(kmd_quick_mate(b, 0, 0, &r), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_mate(b, KMD_MATE_QUICK_NODES + 1, 0, &r), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_mate(b, 1, 2, &r), KMD_ERR_ARGUMENT);
    SAME(kmd_quick_mate(b, 1, 0, NULL), KMD_ERR_ARGUMENT);
    OK(kmd_board_mates_in_one(b, moves, KMD_MAX_MATE_PLIES, &n));
    SAME(n, 1);
    SAME(kmd_board_mates_in_one(b, moves, 0, &n), KMD_ERR_BUFFER);
    OK(kmd_board_close(b));

    OK(kmd_board_new(&b));
    r = fresh();
    OK(kmd_mate_start(b, &l, &job));
    OK(wait_for(job, &r));
    SAME(r.kind, KMD_MATE_NONE);
    SAME(kmd_mate_moves(job, moves, 0, &n), KMD_ERR_HANDLE);
#define REFUSED(field, value) (l = good, l.field = (value), SAME(kmd_mate_start(b, &l, &job), KMD_ERR_ARGUMENT))
    REFUSED(size, 1);
    REFUSED(depth, -1);
    REFUSED(movetime_ms, -1);
    REFUSED(movetime_ms, INT64_MAX);
    REFUSED(memory_mb, -1);
    REFUSED(memory_mb, KMD_MAX_MATE_MB + 1);
    REFUSED(flags, 256);
    REFUSED(reserved, 1);
#undef REFUSED
    OK(kmd_perft_start(b, 0, &job));
    SAME(kmd_mate_moves(job, moves, 0, &n), KMD_ERR_ARGUMENT);
    OK(kmd_job_finish(job, NULL));
    OK(kmd_board_close(b));
    b = board_of("9/9/9/9/9/9/9/9/4K4 b G 1"); /* nobody to mate */
    SAME(kmd_mate_start(b, NULL, &job), KMD_ERR_INVALID_POSITION);
    SAME(kmd_quick_mate(b, 1, 0, &r), KMD_ERR_INVALID_POSITION);
    OK(kmd_board_close(b));
}

/* Many problems at once: a mate, none, a row that is no position, one without a king to mate. */
static void many_mates(void)
{
    static const char *const problems[3] = {"4k4/9/4P4/9/9/9/9/9/9 b G 1", "4k4/9/9/9/9/9/9/9/9 b P 1", "9/9/9/9/9/9/9/9/4K4 b G 1"};
    char text[128];
    int64_t offsets[4] = {0}, at[5];
    uint8_t boards[4][96];
    kmd_rows rows = {.size = sizeof rows, .format = KMD_FORMAT_BOARD, .data = boards[0], .n = 4, .threads = 2};
    kmd_mate_limits l = {.size = sizeof l, .nodes = 1000, .memory_mb = 1};
    kmd_mate_found found[4];
    kmd_move moves[1];
    kmd_job job = 0;
    kmd_result r = fresh();
    for (int i = 0; i < 3; i++) {
        memcpy(text + offsets[i], problems[i], strlen(problems[i]));
        offsets[i + 1] = offsets[i] + (int64_t)strlen(problems[i]);
    }
    OK(kmd_encode_batch(text, offsets, 3, KMD_FORMAT_BOARD, 1, boards[0], NULL));
    memset(boards[3], 255, sizeof boards[3]);
    OK(kmd_mate_batch_start(&rows, &l, &job));
    memset(boards, 0, sizeof boards); /* they are copied */
    while (kmd_job_wait(job, 20) == KMD_ERR_BUSY)
        ;
    OK(kmd_mate_batch_found(job, 0, 4, found));
    SAME(found[0].status, KMD_OK);
    SAME(found[0].kind, KMD_MATE_FOUND);
    SAME(found[0].length, 1);
    SAME(found[0].proven, 1);
    SAME(found[0].best_move, move_of("G*5b"));
    SAME(found[1].kind, KMD_MATE_NONE);
    SAME(found[2].status, KMD_ERR_INVALID_POSITION);
    SAME(found[2].kind, 0);
    THAT(found[3].status < 0);
    OK(kmd_mate_batch_moves(job, at, moves, 1));
    SAME(at[1], 1);
    SAME(at[4], 1);
    SAME(moves[0], move_of("G*5b"));
    SAME(kmd_mate_batch_moves(job, at, moves, 0), KMD_ERR_BUFFER);
    SAME(kmd_mate_batch_found(job, 4, 1, found), KMD_ERR_ARGUMENT);
    SAME(kmd_mate_moves(job, moves, 1, &(size_t){0}), KMD_ERR_ARGUMENT);
    OK(kmd_job_finish(job, &r));
    SAME(r.rows, 4);
    l.flags = KMD_MATE_FIRST_MOVES;
    SAME(kmd_mate_batch_start(&rows, &l, &job), KMD_ERR_ARGUMENT);
}

/* More jobs than places: an error, and after finishing them all places are free again. */
static void too_many(void)
{
    enum { N = 3000 };
    static kmd_job jobs[N];
    kmd_board b = 0;
    OK(kmd_board_new(&b));
    for (int round = 0; round < 2; round++) {
        int n = 0;
        kmd_status s = KMD_OK;
        while (n < N && (s = kmd_perft_start(b, 0, &jobs[n])) == KMD_OK)
            n++;
        THAT(n == N || s == KMD_ERR_MEMORY);
        THAT(n >= 1000);
        for (int i = 0; i < n; i++)
            if (kmd_job_finish(jobs[i], NULL) != KMD_OK)
                SAME(i, -1);
    }
    OK(kmd_board_close(b));
}

/* A line is played on a copy of the board, move by move. */
static void replayed(kmd_board b, const kmd_move *pv, int n)
{
    kmd_board copy = 0;
    OK(kmd_board_copy(b, &copy));
    for (int i = 0; i < n; i++)
        if (kmd_board_push(copy, pv[i]) != KMD_OK)
            SAME(i, -1);
    OK(kmd_board_close(copy));
}

static void *cancel(void *job)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(rand() % 4000) * 1000}, NULL);
    kmd_job_cancel(*(kmd_job *)job);
    return NULL;
}

/* The search chooses its time by a clock; endless ones are cancelled by other threads, at any moment; lines replay, whatever ended the search. */
static void clocks(void)
{
    kmd_searcher s = 0;
    kmd_search_options o = {.size = sizeof o, .hash_mb = 1, .threads = 2, .minimum_ms = 15, .delay_ms = 2, .hard_delay_ms = 3, .slow_mover = 50};
    kmd_search_limits clocks[3] = {
        {.size = sizeof *clocks, .clock = 1, .remaining_ms = {300, 200}, .increment_ms = {10, 20}},
        {.size = sizeof *clocks, .clock = 1, .byoyomi_ms = 30, .multipv = 3},
        {.size = sizeof *clocks, .clock = 1, .remaining_ms = {100, 100}, .ponder = 1},
    };
    kmd_search_limits ever = {.size = sizeof ever, .infinite = 1, .multipv = 2};
    static kmd_info infos[300];
    kmd_board b = board_of("l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1");
    kmd_job job = 0;
    kmd_result r = fresh();
    size_t n = 0;
    OK(kmd_searcher_new(&o, &s));
    for (int i = 0; i < 3; i++) {
        OK(kmd_search_start(s, b, &clocks[i], &job));
        if (clocks[i].ponder) {
            SAME(kmd_job_wait(job, 30), KMD_ERR_BUSY);
            OK(kmd_search_ponderhit(job));
        }
        OK(wait_for(job, &r));
        THAT(r.pv_length > 0 && r.pv[0] == r.best_move);
        THAT(r.elapsed_us >= 15000); /* the minimum, which the clock allows */
        replayed(b, r.pv, r.pv_length);
    }
    for (int i = 0; i < 50; i++) {
        pthread_t t;
        OK(kmd_search_start(s, b, &ever, &job));
        SAME(pthread_create(&t, NULL, cancel, &job), 0);
        while (kmd_job_wait(job, 5) == KMD_ERR_BUSY) {
        }
        SAME(pthread_join(t, NULL), 0);
        OK(kmd_search_infos(job, infos, 300, &n));
        for (size_t k = 0; k < n; k++)
            replayed(b, infos[k].pv, infos[k].pv_length);
        OK(kmd_search_lines(job, infos, 2, &n));
        for (size_t k = 0; k < n; k++)
            replayed(b, infos[k].pv, infos[k].pv_length);
        SAME(kmd_job_finish(job, &r), KMD_ERR_CANCELLED);
        THAT(r.pv_length > 0 && r.pv[0] == r.best_move);
    }
    OK(kmd_searcher_close(s));
    OK(kmd_board_close(b));
}

int main(void)
{
    counting();
    interrupted();
    searching();
    lines();
    clocks();
    many();
    usi();
    books();
    mating();
    many_mates();
    too_many();
    return report_tests("jobs");
}
