/* Long jobs: counting, searching, mates; waiting in slices, stopping, misuse. */
#include "check.h"

#include <signal.h>
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

    o.hash_mb = 0;
    kmd_status status = kmd_searcher_new(&o, &s);
    THAT(status == KMD_ERR_ARGUMENT || (status == KMD_OK && kmd_searcher_close(s) == KMD_OK));
    o.hash_mb = 65537;
    SAME(kmd_searcher_new(&o, &s), KMD_ERR_ARGUMENT);
    o.size = 1;
    SAME(kmd_searcher_new(&o, &s), KMD_ERR_ARGUMENT);
}

static void mating(void)
{
    /* Three plies: gold drop, king away, gold drop. */
    static const char three[] = "7nl/7k1/5P1pp/6P2/9/9/9/9/4K4 b 2G2r2b2g4s3n3l14p 1";
    kmd_board b = board_of(three);
    kmd_job job = 0;
    kmd_result r = fresh();
    OK(kmd_mate_start(b, 0, 1000000, &job));
    OK(wait_for(job, &r));
    SAME(r.kind == KMD_MATE_FOUND || r.kind == KMD_MATE_NONE, 1);
    if (r.kind == KMD_MATE_FOUND)
        THAT(r.pv_length % 2 == 1 && is_line(three, &r));
    OK(kmd_board_close(b));

    b = board_of("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1");
    r = fresh();
    OK(kmd_mate_start(b, 0, 100000, &job));
    OK(wait_for(job, &r));
    SAME(r.kind, KMD_MATE_FOUND);
    SAME(r.depth, 1);
    SAME(r.best_move, move_of("G*5b"));
    OK(kmd_board_close(b));

    OK(kmd_board_new(&b));
    r = fresh();
    OK(kmd_mate_start(b, 0, 100000, &job));
    OK(wait_for(job, &r));
    SAME(r.kind, KMD_MATE_NONE);
    SAME(kmd_mate_start(b, -1, 1000, &job), KMD_ERR_ARGUMENT);
    SAME(kmd_mate_start(b, 0, 0, &job), KMD_ERR_ARGUMENT);
    OK(kmd_board_close(b));
    b = board_of("9/9/9/9/9/9/9/9/4K4 b G 1"); /* nobody to mate */
    kmd_status s = kmd_mate_start(b, 0, 1000, &job);
    if (s == KMD_OK)
        s = wait_for(job, &r);
    SAME(s, KMD_ERR_INVALID_POSITION);
    OK(kmd_board_close(b));
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

int main(void)
{
    counting();
    interrupted();
    searching();
    mating();
    too_many();
    return report_tests("jobs");
}
