/*
 * Ten million cycles of open and close, push and pop, with jobs, searches, batches, records and files among them, after which the library holds what it
 * held before: cycles [N]. Run by `make soak-cycles`; `make test` does a few.
 *
 * What is held is counted, not guessed from resident memory, which goes up and down by megabytes: handles, goroutines, bytes of boards, bytes in use
 * of Go's heap after it was collected, bytes in use of malloc. A leak of one byte in each cycle is seen.
 */
#define _GNU_SOURCE
#include "check.h"

#include <malloc.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* What malloc has given out and not got back, of all threads; 0 where it does not tell. */
static size_t allocated(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
#else
    return 0;
#endif
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

static void searches(void)
{
    kmd_board b = 0;
    kmd_searcher s = 0;
    kmd_job job = 0;
    kmd_rows rows = {.size = sizeof rows, .format = KMD_FORMAT_PSV, .data = psv, .n = 8, .threads = 2};
    kmd_search_options options = {.size = sizeof options, .hash_mb = 1};
    kmd_search_limits limits = {.size = sizeof limits, .nodes = 300};
    kmd_mate_limits mates = {.size = sizeof mates, .nodes = 300, .memory_mb = 1};
    kmd_result r = {.size = sizeof r};
    OK(kmd_board_new(&b));
    OK(kmd_perft_start(b, 2, &job));
    OK(kmd_job_finish(job, &r));
    SAME(r.nodes, 900);
    OK(kmd_searcher_new(&options, &s));
    OK(kmd_search_start(s, b, &limits, &job));
    OK(kmd_job_finish(job, &r));
    OK(kmd_search_batch_start(&rows, &options, &limits, &job));
    OK(kmd_job_finish(job, &r));
    OK(kmd_mate_batch_start(&rows, &mates, &job));
    OK(kmd_job_finish(job, &r));
    OK(kmd_mate_start(b, &mates, &job));
    OK(kmd_job_finish(job, &r));
    limits.nodes = 0, limits.infinite = 1;
    OK(kmd_search_start(s, b, &limits, &job));
    OK(kmd_job_cancel(job));
    SAME(kmd_job_finish(job, &r), KMD_ERR_CANCELLED);
    OK(kmd_searcher_close(s));
    OK(kmd_board_close(b));
}

enum { SLACK = 256 * 1024 };

static char psv_path[] = "/tmp/komadori-cycles-XXXXXX", book_path[] = "/tmp/komadori-cycles-XXXXXX";

/* Records of games, files and books; and those that cannot be opened. */
static void records(void)
{
    static const char game[] = "#KIF version=2.0 encoding=UTF-8\n手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n";
    static uint64_t blocks[512];
    static char text[4096];
    kmd_kifu_write_options csa = {.size = sizeof csa, .format = KMD_KIFU_CSA};
    kmd_rows rows = {.size = sizeof rows};
    kmd_file file = 0;
    kmd_book book = 0;
    kmd_board b = 0;
    size_t needed = 0, written = 0;
    OK(kmd_kifu_read(game, sizeof game - 1, NULL, (uint8_t *)blocks, sizeof blocks, &needed));
    OK(kmd_kifu_write((uint8_t *)blocks, needed, &csa, text, sizeof text, &written));
    SAME(kmd_kifu_read(game, 80, NULL, (uint8_t *)blocks, 8, &needed), KMD_ERR_BUFFER);
    OK(kmd_file_open(psv_path, sizeof psv_path - 1, KMD_FORMAT_PSV, &file));
    OK(kmd_file_rows(file, 0, 8, &rows));
    OK(kmd_file_close(file));
    SAME(kmd_file_open("/no/such/file.psv", 17, 0, &file), KMD_ERR_IO);
    OK(kmd_board_new(&b));
    OK(kmd_book_open(book_path, sizeof book_path - 1, 0, 0, &book));
    SAME(kmd_book_lookup(book, b, NULL, 0, &written), KMD_ERR_BUFFER);
    OK(kmd_book_close(book));
    SAME(kmd_book_open("/no/such/book.db", 16, 0, 0, &book), KMD_ERR_IO);
    OK(kmd_board_close(b));
}

static void written(char *path, const void *data, size_t size)
{
    int file = mkstemp(path);
    THAT(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
}

/* What is held once it has come to rest: the goroutines of what was finished are on their way out, and a pool is emptied by the second collection. */
static kmd_usage settled(uint32_t goroutines, size_t *c)
{
    kmd_usage u = {.size = sizeof u};
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 3; k++)
            OK(kmd_collect());
        OK(kmd_get_usage(&u));
        if (i >= 2 && (goroutines == 0 || u.goroutines <= goroutines))
            break;
        usleep(10000);
    }
    *c = allocated();
    return u;
}

int main(int count, char **words)
{
    long n = count > 1 ? atol(words[1]) : 20000;
    int16_t evals[8] = {0};
    size_t given = 0, c0 = 0, c = 0;
    kmd_board b = 0;
    kmd_usage u0 = {0}, u;
    first = move_of("7g7f"), second = move_of("3c3d");
    OK(kmd_board_new(&b));
    for (int i = 0; i < 8; i++) {
        kmd_move moves[KMD_MAX_LEGAL_MOVES];
        THAT(kmd_board_list(b, moves) > 0);
        OK(kmd_board_push(b, moves[i]));
    }
    OK(kmd_board_records(b, KMD_FORMAT_PSV, 0, evals, KMD_DRAW, psv, 8, &given));
    OK(kmd_board_close(b));
    written(psv_path, psv, sizeof psv);
    static const char book[] = "sfen " START "\n7g7f 3c3d 63 27 90\n";
    written(book_path, book, sizeof book - 1);

    time_t begin = time(NULL);
    for (long i = 0; i <= n; i++) {
        if (n >= 10 && i % (n / 10) == 0 && i > 0) {
            u = settled(u0.goroutines, &c);
            if (n > 1000000)
                printf("%10ld cycles, %6ld s: %3u handles, %2u goroutines, %9" PRIu64 " bytes of boards, %8" PRIu64 " of the heap, %8zu of malloc\n", i,
                       (long)(time(NULL) - begin), u.boards + u.jobs + u.searchers + u.books + u.files, u.goroutines, u.board_bytes, u.heap_bytes, c),
                    fflush(stdout);
            if (u0.size == 0)
                u0 = u, c0 = c; /* a tenth has come to rest by now */
            SAME(u.boards + u.jobs + u.searchers + u.books + u.files, 0);
            THAT(u.goroutines <= u0.goroutines);
            SAME(u.board_bytes, u0.board_bytes);
        }
        if (i == n)
            break;
        boards(i);
        if (i % 64 == 0)
            decode();
        if (i % 256 == 0)
            records();
        if (i % 4096 == 0)
            searches();
    }
    /* What stays are some tens of kilobytes: tables that find their size, threads that the machine made necessary. */
    THAT(u.heap_bytes < u0.heap_bytes + SLACK + (uint64_t)n / 4);
    THAT(c < c0 + SLACK + (size_t)n / 4);
    unlink(psv_path), unlink(book_path);
    return report_tests("cycles");
}
