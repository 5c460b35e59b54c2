/*
 * Ten million cycles of open and close, push and pop, with jobs, searches and batches among them: memory does not grow. cycles [N]
 * Run by `make soak-cycles`; `make test` does a few.
 */
#define _GNU_SOURCE
#include "check.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long resident(void)
{
    long pages = 0, all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static uint8_t psv[8 * 40];
static kmd_move first, second;

static void boards(long i)
{
    kmd_board b = 0, copy = 0;
    OK(kmd_board_new(&b));
    OK(kmd_board_push(b, first));
    OK(kmd_board_push(b, second));
    OK(kmd_board_pop(b, NULL));
    if (i % 16 == 0) {
        OK(kmd_board_copy(b, &copy));
        for (int k = 0; k < 40; k++) /* a history that grows */
            OK(kmd_board_push_null(copy));
        OK(kmd_board_close(copy));
        SAME(kmd_board_close(copy), KMD_ERR_HANDLE);
        SAME(kmd_board_set_sfen(b, "what", 4), KMD_ERR_PARSE);
    }
    OK(kmd_board_close(b));
}

static void decode(void)
{
    static float planes[8 * 62 * 81], value[8];
    static int64_t label[8];
    kmd_rows rows = {.size = sizeof rows, .format = KMD_FORMAT_PSV, .data = psv, .n = 8, .threads = 2};
    kmd_decode d = {.size = sizeof d, .label_bytes = 8, .features1 = planes, .value = value, .label = label};
    OK(kmd_decode_batch(&rows, &d, NULL));
}

static void jobs(void)
{
    kmd_board b = 0;
    kmd_searcher s = 0;
    kmd_job job = 0;
    kmd_search_options options = {.size = sizeof options, .hash_mb = 1};
    kmd_search_limits limits = {.size = sizeof limits, .nodes = 300};
    kmd_result r = {.size = sizeof r};
    OK(kmd_board_new(&b));
    OK(kmd_perft_start(b, 2, &job));
    OK(kmd_job_finish(job, &r));
    SAME(r.nodes, 900);
    OK(kmd_searcher_new(&options, &s));
    OK(kmd_search_start(s, b, &limits, &job));
    OK(kmd_job_finish(job, &r));
    limits.nodes = 0, limits.infinite = 1;
    OK(kmd_search_start(s, b, &limits, &job));
    OK(kmd_job_cancel(job));
    SAME(kmd_job_finish(job, &r), KMD_ERR_CANCELLED);
    OK(kmd_searcher_close(s));
    OK(kmd_board_close(b));
}

int main(int count, char **words)
{
    long n = count > 1 ? atol(words[1]) : 20000, settled = 0, worst = 0;
    int16_t evals[8] = {0};
    size_t written = 0;
    kmd_board b = 0;
    first = move_of("7g7f"), second = move_of("3c3d");
    OK(kmd_board_new(&b));
    for (int i = 0; i < 8; i++) {
        kmd_move moves[KMD_MAX_LEGAL_MOVES];
        THAT(kmd_board_list(b, moves) > 0);
        OK(kmd_board_push(b, moves[i]));
    }
    OK(kmd_board_records(b, KMD_FORMAT_PSV, 0, evals, KMD_DRAW, psv, 8, &written));
    OK(kmd_board_close(b));
    time_t begin = time(NULL);
    for (long i = 0; i < n; i++) {
        boards(i);
        if (i % 64 == 0)
            decode();
        if (i % 4096 == 0)
            jobs();
        if (n >= 10 && i % (n / 10) == n / 10 - 1) {
            OK(kmd_collect());
            long now = resident();
            if (i >= n / 5 && settled == 0)
                settled = now;
            worst = now > worst && settled != 0 ? now : worst;
            if (n > 1000000)
                printf("%10ld cycles, %6ld s, %8ld KiB\n", i + 1, (long)(time(NULL) - begin), now), fflush(stdout);
        }
    }
    /* Resident memory of a busy machine goes up and down by megabytes; a leak of 10 bytes a cycle would be 100 MB. */
    if (n > 1000000 && !THAT(worst < settled + 32768))
        fprintf(stderr, "memory grows from %ld to %ld KiB\n", settled, worst);
    return report_tests("cycles");
}
