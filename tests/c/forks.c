/*
 * Forks. The child's copy of the library answers everything with KMD_ERR_FORKED; a private copy of the file, loaded in the child,
 * adopts the boards of the parent and goes on with them, also when threads of the parent were changing them, and in the child's own children.
 */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The functions of a private copy. */
typedef struct {
    int32_t (*alive)(void);
    kmd_status (*adopt)(uint64_t);
    kmd_status (*arena)(uint64_t *);
    kmd_status (*collect)(void);
    kmd_status (*last_error)(kmd_error *);
    kmd_status (*push)(kmd_board, kmd_move);
    kmd_status (*pop)(kmd_board, kmd_move *);
    kmd_status (*close)(kmd_board);
    kmd_status (*make)(kmd_board *);
    kmd_status (*get_view)(kmd_board, const kmd_board_view **);
    kmd_status (*to_position)(kmd_board, char *, size_t, size_t *);
    kmd_status (*from_position)(const char *, size_t, kmd_board *);
    int32_t (*list)(kmd_board, kmd_move *);
    kmd_status (*perft)(kmd_board, int32_t, kmd_job *);
    kmd_status (*wait)(kmd_job, int32_t);
    kmd_status (*finish)(kmd_job, kmd_result *);
} copy;

static int depth; /* how many forks above */

static int load(copy *c)
{
    Dl_info info;
    char path[128] = "/proc/self/fd/";
    struct stat st;
    sigset_t all, before;
    memset(c, 0, sizeof *c);
    if (!THAT(dladdr((void *)(uintptr_t)kmd_version, &info) != 0))
        return 0;
    int in = open(info.dli_fname, O_RDONLY | O_CLOEXEC), out = (int)syscall(SYS_memfd_create, "komadori", 1u);
    if (!THAT(in >= 0 && out >= 0 && fstat(in, &st) == 0))
        return 0;
    for (off_t at = 0; at < st.st_size;)
        if (sendfile(out, in, &at, (size_t)(st.st_size - at)) <= 0)
            return THAT(0);
    close(in);
    for (int i = 0; i < depth; i++) /* the dynamic linker takes an equal path for the copy it has */
        strcat(path, "./");
    sprintf(path + strlen(path), "%d", out);
    sigfillset(&all); /* Go's threads take this mask over and leave signals to the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!THAT(lib != NULL)) {
        fprintf(stderr, "    %s\n", dlerror());
        return 0;
    }
    static const char *const names[] = {
        "kmd_alive",      "kmd_adopt",       "kmd_arena",     "kmd_collect",        "kmd_last_error",        "kmd_board_push",
        "kmd_board_pop",  "kmd_board_close", "kmd_board_new", "kmd_board_get_view", "kmd_board_to_position", "kmd_board_from_position",
        "kmd_board_list", "kmd_perft_start", "kmd_job_wait",  "kmd_job_finish"};
    void *f[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!THAT((f[i] = dlsym(lib, names[i])) != NULL))
            return 0;
    memcpy(c, f, sizeof f);
    return SAME(c->alive(), 1);
}

/* Ends a child with what it found, without the parent's buffers and handlers. */
static void leave(void)
{
    fflush(stderr);
    _exit(atomic_load(&failures) == 0 ? 0 : 1);
}

static int child_is_good(pid_t pid)
{
    int status = 0;
    for (int i = 0; i < 6000; i++) { /* a minute: a child that hangs is a failure, not a hang */
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            return 0;
        usleep(10000);
    }
    fprintf(stderr, "    a child hangs\n");
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return 0;
}

static void *end_at_once(void *unused)
{
    kmd_board b = 0;
    SAME(kmd_board_new(&b), KMD_ERR_FORKED);
    return unused;
}

/* In the child, the parent's copy: every function refuses, from any thread, and threads end. */
static void dead_copy(kmd_board b)
{
    kmd_board n = 5;
    kmd_move m = 5, list[KMD_MAX_LEGAL_MOVES];
    int32_t threads = 5;
    kmd_error e = {.size = sizeof e};
    pthread_t t;
    SAME(kmd_alive(), 0);
    SAME(kmd_board_new(&n), KMD_ERR_FORKED);
    SAME(kmd_board_push(b, 0), KMD_ERR_FORKED);
    SAME(kmd_board_pop(b, &m), KMD_ERR_FORKED);
    SAME(kmd_board_list(b, list), KMD_ERR_FORKED);
    SAME(kmd_quick_pop(b), KMD_ERR_FORKED);
    SAME(kmd_quick_is_legal(b, 0), KMD_ERR_FORKED);
    SAME(kmd_board_close(b), KMD_ERR_FORKED);
    SAME(kmd_threads(&threads), KMD_ERR_FORKED);
    SAME(kmd_collect(), KMD_ERR_FORKED);
    SAME(kmd_adopt(4096), KMD_ERR_FORKED);
    SAME(kmd_job_wait(1, 0), KMD_ERR_FORKED);
    SAME(kmd_job_cancel(1), KMD_ERR_FORKED);
    SAME(kmd_job_finish(1, NULL), KMD_ERR_FORKED);
    OK(kmd_last_error(&e));
    SAME(e.kind, KMD_ERR_FORKED);
    THAT(n == 5 && m == 5 && threads == 5);
    SAME(pthread_create(&t, NULL, end_at_once, NULL), 0);
    SAME(pthread_join(t, NULL), 0);
}

enum { BOARDS = 40 };
static kmd_board boards[BOARDS];
static const kmd_board_view *views[BOARDS];
static atomic_int stop;

/* The position line of a board, made anew, gives the board's key: board, history and start agree. */
static int is_whole(const copy *c, kmd_board b)
{
    static char text[1 << 18];
    size_t n = 0;
    kmd_board again = 0;
    const kmd_board_view *v = NULL, *w = NULL;
    int ok = SAME(c->to_position(b, text, sizeof text, &n), KMD_OK) && SAME(c->from_position(text, n, &again), KMD_OK) && SAME(c->get_view(b, &v), KMD_OK) &&
             SAME(c->get_view(again, &w), KMD_OK) && SAME(v->key, w->key) && SAME(v->moves, w->moves) && SAME(v->sequence % 2, 0) &&
             THAT(memcmp(v->pieces, w->pieces, sizeof v->pieces) == 0);
    return ok && SAME(c->close(again), KMD_OK);
}

static void family(const copy *c, uint64_t arena, int generations);

/* What a child does: loads a copy, adopts, uses the boards, counts in the background, and has children of its own. */
static void child(uint64_t arena, int generations)
{
    copy c;
    int caught = 0;
    atomic_store(&failures, 0);
    depth++;
    if (load(&c) && SAME(c.adopt(arena), KMD_OK)) {
        uint64_t same_place = 0;
        SAME(c.arena(&same_place), KMD_OK);
        SAME(same_place, (int64_t)arena);
        SAME(c.adopt(arena), KMD_ERR_ARGUMENT); /* once */
        for (int i = 0; i < BOARDS; i++) {
            const kmd_board_view *v = views[i];
            caught += v->sequence % 2;
            is_whole(&c, boards[i]);
        }
        if (getenv("KOMADORI_FORKS") != NULL && caught > 0)
            printf("    %d boards caught in a change\n", caught), fflush(stdout);
        for (int i = 0; i < BOARDS; i++) {
            kmd_move moves[KMD_MAX_LEGAL_MOVES];
            int32_t n = c.list(boards[i], moves);
            if (n > 0) {
                SAME(c.push(boards[i], moves[0]), KMD_OK);
                SAME(c.pop(boards[i], NULL), KMD_OK);
            }
        }
        kmd_board b = 0;
        kmd_job job = 0;
        kmd_result r;
        kmd_status s;
        memset(&r, 0, sizeof r);
        r.size = sizeof r;
        SAME(c.make(&b), KMD_OK);
        SAME(c.collect(), KMD_OK);
        SAME(c.perft(b, 3, &job), KMD_OK);
        while ((s = c.wait(job, 20)) == KMD_ERR_BUSY) {
        }
        SAME(s, KMD_OK);
        SAME(c.finish(job, &r), KMD_OK);
        SAME(r.nodes, 25470);
        if (generations > 1)
            family(&c, arena, generations - 1);
        SAME(c.close(b), KMD_OK);
        SAME(c.close(boards[0]), KMD_OK); /* the child's own; the parent's lives on */
        SAME(c.close(boards[0]), KMD_ERR_HANDLE);
    }
    leave();
}

static void family(const copy *c, uint64_t arena, int generations)
{
    (void)c;
    fflush(stderr);
    pid_t pid = fork();
    if (pid == 0)
        child(arena, generations);
    THAT(child_is_good(pid));
}

/* Changes its boards without rest, so that forks come upon every place of a change. */
static void *changer(void *number)
{
    unsigned seed = 7u + (unsigned)(uintptr_t)number;
    while (!atomic_load(&stop)) {
        kmd_board b = boards[(size_t)rand_r(&seed) % (BOARDS / 4) * 4 + (uintptr_t)number]; /* each thread has its own */
        kmd_move moves[KMD_MAX_LEGAL_MOVES];
        int32_t n = kmd_board_list(b, moves);
        const kmd_board_view *v = NULL;
        kmd_board_get_view(b, &v);
        kmd_status s;
        if (n > 0 && v->moves < 300 && rand_r(&seed) % 8 != 0)
            s = kmd_board_push(b, moves[rand_r(&seed) % (unsigned)n]);
        else
            s = kmd_board_pop(b, NULL);
        if (s != KMD_OK && s != KMD_ERR_ILLEGAL_MOVE)
            SAME(s, 0);
    }
    return NULL;
}

int main(void)
{
    copy none;
    uint64_t arena = 0;
    memset(&none, 0, sizeof none);
    OK(kmd_arena(&arena));
    for (int i = 0; i < BOARDS; i++) {
        OK(kmd_board_new(&boards[i]));
        OK(kmd_board_get_view(boards[i], &views[i]));
        for (int k = 0; k < i; k++) {
            kmd_move moves[KMD_MAX_LEGAL_MOVES];
            int32_t n = kmd_board_list(boards[i], moves);
            if (n > 0)
                OK(kmd_board_push(boards[i], moves[(i * 31 + k * 17) % n]));
        }
    }

    /* The dead copy, after fork() and after a raw fork that no handler sees. */
    pid_t pid = fork();
    if (pid == 0) {
        atomic_store(&failures, 0);
        dead_copy(boards[1]);
        leave();
    }
    THAT(child_is_good(pid));
#if defined(SYS_fork)
    fflush(stderr);
    pid = (pid_t)syscall(SYS_fork);
    if (pid == 0) {
        kmd_board b = 0;
        _exit(kmd_alive() == 0 && kmd_board_new(&b) == KMD_ERR_FORKED && kmd_board_close(boards[1]) == KMD_ERR_FORKED ? 0 : 1);
    }
    THAT(child_is_good(pid));
#endif

    family(&none, arena, 12);

    pthread_t t[4];
    for (uintptr_t i = 0; i < 4; i++)
        SAME(pthread_create(&t[i], NULL, changer, (void *)i), 0);
    const char *wanted = getenv("KOMADORI_FORKS"); /* more of them, for a long run */
    int forks = wanted != NULL ? atoi(wanted) : 40;
    for (int i = 0; i < forks; i++) {
        usleep(2000);
        family(&none, arena, i % 8 == 0 ? 2 : 1);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);

    /* The parent noticed nothing. */
    SAME(kmd_alive(), 1);
    copy own = {kmd_alive,      kmd_adopt,       kmd_arena,     kmd_collect,        kmd_last_error,        kmd_board_push,
                kmd_board_pop,  kmd_board_close, kmd_board_new, kmd_board_get_view, kmd_board_to_position, kmd_board_from_position,
                kmd_board_list, kmd_perft_start, kmd_job_wait,  kmd_job_finish};
    for (int i = 0; i < BOARDS; i++) {
        THAT(is_whole(&own, boards[i]));
        OK(kmd_board_close(boards[i]));
    }
    return report_tests("forks");
}
