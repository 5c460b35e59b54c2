/* Files of training data: opened, read as rows, cut while they are open, written whole or not at all. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/komadori-files-XXXXXX";

static const char *in(const char *name)
{
    static char path[4][128];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static kmd_status open_at(const char *path, int format, kmd_file *file) { return kmd_file_open(path, strlen(path), format, file); }

static kmd_status write_at(const char *path, const void *data, size_t size) { return kmd_file_write(path, strlen(path), data, size); }

static int last_errno(void)
{
    kmd_error e = {.size = sizeof e};
    return kmd_last_error(&e) == KMD_OK ? e.errno_value : -1;
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (d != NULL && readdir(d) != NULL)
        n++;
    if (d != NULL)
        closedir(d);
    return n - 2;
}

enum { ROWS = 20000 };
static uint8_t psv[ROWS * 40];

static void reading(void)
{
    kmd_file file = 0, other = 0;
    uint64_t bytes = 0, rows = 0;
    int32_t format = 0;
    OK(write_at(in("games.PSV"), psv, sizeof psv));
    OK(open_at(in("games.PSV"), 0, &file)); /* by its ending, in any case */
    OK(kmd_file_size(file, &format, &bytes, &rows));
    THAT(format == KMD_FORMAT_PSV && bytes == sizeof psv && rows == ROWS);
    kmd_rows r = {.size = sizeof r, .threads = 2};
    static uint16_t labels[ROWS];
    OK(kmd_file_rows(file, 0, rows, &r));
    THAT(r.n == ROWS && r.threads == 2 && memcmp(r.data, psv, sizeof psv) == 0);
    OK(kmd_record_labels_batch(&r, labels, NULL, NULL));
    SAME(labels[ROWS - 1], 59);
    OK(kmd_file_rows(file, ROWS - 1, 1, &r));
    THAT(r.n == 1 && memcmp(r.data, psv + 40 * (ROWS - 1), 40) == 0);
    OK(kmd_file_rows(file, ROWS, 0, &r));
    SAME(kmd_file_rows(file, ROWS, 1, &r), KMD_ERR_ARGUMENT);
    OK(open_at(in("games.PSV"), KMD_FORMAT_HCP, &other)); /* as what one says it is */
    OK(kmd_file_size(other, NULL, NULL, &rows));
    SAME(rows, ROWS * 40 / 32);
    OK(kmd_file_close(other));

    /* What is no file of rows. */
    SAME(open_at(in("none.psv"), 0, &other), KMD_ERR_IO);
    SAME(last_errno(), ENOENT);
    SAME(open_at(folder, KMD_FORMAT_PSV, &other), KMD_ERR_IO);
    SAME(open_at(in("games.PSV"), KMD_FORMAT_HCPE, &other), KMD_ERR_PARSE);
    kmd_error e = {.size = sizeof e};
    OK(kmd_last_error(&e));
    SAME(e.offset, ROWS * 40 / 38 * 38);
    OK(write_at(in("what.bin"), psv, 40));
    SAME(open_at(in("what.bin"), 0, &other), KMD_ERR_ARGUMENT);
    OK(write_at(in("empty.hcpe"), NULL, 0));
    OK(open_at(in("empty.hcpe"), 0, &other));
    OK(kmd_file_size(other, NULL, &bytes, &rows));
    THAT(bytes == 0 && rows == 0);
    OK(kmd_file_rows(other, 0, 0, &r));
    kmd_hcpe3_file whole = {.size = sizeof whole};
    SAME(kmd_file_hcpe3(other, &whole), KMD_ERR_ARGUMENT);
    OK(kmd_file_close(other));
    SAME(kmd_file_close(other), KMD_ERR_HANDLE);

    /* Cut while it is open: functions fail, the program lives. */
    OK(kmd_file_rows(file, 0, ROWS, &r));
    SAME(truncate(in("games.PSV"), 40), 0);
    SAME(kmd_record_labels_batch(&r, labels, NULL, NULL), KMD_ERR_IO);
    int64_t numbers[] = {ROWS - 1};
    uint8_t row[40];
    SAME(kmd_gather_batch(&r, numbers, 1, row), KMD_ERR_IO);
    SAME(last_errno(), EIO);
    OK(kmd_file_rows(file, 0, 1, &r));
    OK(kmd_record_labels_batch(&r, labels, NULL, NULL));
    OK(kmd_file_close(file));
}

static void whole_games(void)
{
    kmd_rows rows = {.size = sizeof rows, .format = KMD_FORMAT_PSV, .data = psv, .n = 1};
    static uint8_t three[48], game[256];
    kmd_candidate candidates[1];
    kmd_conversion c = {.size = sizeof c, .format = KMD_FORMAT_HCPE3, .out = three, .candidates = candidates};
    OK(kmd_convert_batch(&rows, &c, NULL));
    rows = (kmd_rows){.size = sizeof rows, .format = KMD_FORMAT_HCPE3, .data = three, .n = 1, .candidates = candidates, .candidate_count = 1};
    size_t needed = 0, used = 0, count = 0;
    uint64_t lost = 0, n = 1;
    OK(kmd_hcpe3_pack(&rows, 1, game, sizeof game, &needed, &used, &lost, NULL));
    OK(write_at(in("x.hcpe3"), game, needed));
    kmd_file file = 0;
    OK(open_at(in("x.hcpe3"), 0, &file));
    kmd_hcpe3_file whole = {.size = sizeof whole, .which = KMD_HCPE3_TARGETS};
    kmd_hcpe3_game found[2];
    OK(kmd_file_hcpe3(file, &whole));
    THAT(whole.length == needed && whole.which == KMD_HCPE3_TARGETS);
    OK(kmd_hcpe3_index(whole.data, whole.length, 0, 1, found, 2, &count, &used));
    SAME(count, 1);
    OK(kmd_file_size(file, NULL, NULL, &n));
    SAME(n, 0);
    SAME(kmd_file_rows(file, 0, 0, &rows), KMD_ERR_ARGUMENT);
    SAME(truncate(in("x.hcpe3"), 0), 0);
    SAME(kmd_hcpe3_index(whole.data, whole.length, 0, 1, found, 2, &count, &used), KMD_ERR_IO);
    OK(kmd_file_close(file));
}

static void writing(void)
{
    struct stat st;
    struct rlimit limit, before;
    mode_t mask = umask(027);
    OK(write_at(in("new"), "12345", 5));
    THAT(stat(in("new"), &st) == 0 && st.st_size == 5 && (st.st_mode & 0777) == 0640);
    umask(mask);
    SAME(symlink(in("new"), in("link")), 0);
    OK(write_at(in("link"), "123", 3)); /* the link stays */
    THAT(lstat(in("link"), &st) == 0 && S_ISLNK(st.st_mode) && stat(in("new"), &st) == 0 && st.st_size == 3);
    SAME(write_at(in("no/where"), "1", 1), KMD_ERR_IO);
    SAME(last_errno(), ENOENT);
    SAME(write_at(folder, "1", 1), KMD_ERR_IO);
    SAME(write_at("/dev/null", "1", 1), KMD_ERR_IO);
    /* A full disk, or a limit: the old file stays, and nothing lies about. */
    int n = entries();
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit);
    SAME(write_at(in("new"), psv, sizeof psv), KMD_ERR_IO);
    SAME(last_errno(), EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    THAT(stat(in("new"), &st) == 0 && st.st_size == 3);
    SAME(entries(), n);
}

int main(void)
{
    int16_t eval = 10;
    size_t n = 0;
    kmd_board b = board_of(START);
    THAT(mkdtemp(folder) != NULL);
    OK(kmd_board_push(b, move_of("7g7f")));
    OK(kmd_board_records(b, KMD_FORMAT_PSV, 0, &eval, KMD_DRAW, psv, 1, &n));
    OK(kmd_board_close(b));
    for (int i = 1; i < ROWS; i++)
        memcpy(psv + 40 * i, psv, 40);
    reading();
    whole_games();
    writing();
    for (size_t i = 0; i < 7; i++) {
        static const char *const names[] = {"games.PSV", "what.bin", "empty.hcpe", "x.hcpe3", "new", "link", ""};
        i < 6 ? unlink(in(names[i])) : rmdir(folder);
    }
    return report_tests("files");
}
