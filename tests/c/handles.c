/* Handles: stale, foreign, doubly closed, made up, shared by threads. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

static void stale(void)
{
    kmd_board b = 0, c = 0;
    kmd_move moves[KMD_MAX_LEGAL_MOVES];
    OK(kmd_board_close(0));
    OK(kmd_searcher_close(0));
    OK(kmd_board_new(&b));
    THAT((int64_t)b > 0);
    const kmd_board_view *v = NULL;
    OK(kmd_board_get_view(b, &v));
    uint32_t generation = v->generation;
    OK(kmd_board_close(b));
    THAT(v->generation != generation); /* readable after the close, and tells */
    SAME(kmd_board_close(b), KMD_ERR_HANDLE);
    SAME(last_kind(), KMD_ERR_HANDLE);
    SAME(kmd_board_push(b, move_of("7g7f")), KMD_ERR_HANDLE);
    SAME(kmd_board_list(b, moves), KMD_ERR_HANDLE);
    SAME(kmd_board_get_view(b, &v), KMD_ERR_HANDLE);
    OK(kmd_board_new(&c)); /* takes the same slot */
    THAT(b != c);
    SAME(kmd_board_push(b, move_of("7g7f")), KMD_ERR_HANDLE);
    SAME(kmd_board_close(b), KMD_ERR_HANDLE);
    THAT(is_sfen(c, START));

    /* Handles of another kind, and made-up ones. */
    kmd_searcher s = 0;
    OK(kmd_searcher_new(NULL, &s));
    SAME(kmd_board_push(s, 0), KMD_ERR_HANDLE);
    SAME(kmd_searcher_close(c), KMD_ERR_HANDLE);
    SAME(kmd_job_wait(c, 0), KMD_ERR_HANDLE);
    SAME(kmd_job_cancel(s), KMD_ERR_HANDLE);
    SAME(kmd_job_finish(c, NULL), KMD_ERR_HANDLE);
    SAME(kmd_job_finish(0, NULL), KMD_ERR_HANDLE);
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        kmd_board fake = i % 2 ? x : (c & ~(uint64_t)0xFFFFFF) | (x & 0xFFFFFF); /* right tag and generation, any slot */
        if (fake != c && kmd_board_pop(fake, NULL) != KMD_ERR_HANDLE)
            SAME(i, -1);
        if (kmd_job_wait(x, 0) != KMD_ERR_HANDLE || kmd_searcher_clear(x) != KMD_ERR_HANDLE)
            SAME(i, -2);
    }
    OK(kmd_board_close(c));
    OK(kmd_searcher_close(s));
    SAME(kmd_searcher_close(s), KMD_ERR_HANDLE);
    SAME(kmd_searcher_clear(s), KMD_ERR_HANDLE);
}

/* Many boards at once: all of them answer, and closing them in another order leaves none. */
static void many(void)
{
    enum { N = 5000 };
    static kmd_board b[N];
    for (int i = 0; i < N; i++) {
        if (kmd_board_new(&b[i]) != KMD_OK)
            SAME(i, -1);
        for (int k = 0; k < i % 4; k++) /* histories of different lengths */
            if (kmd_board_push(b[i], move_of(k % 2 ? "8c8d" : k ? "2g2f" : "7g7f")) != KMD_OK)
                SAME(i, -2);
    }
    for (int i = 0; i < N; i++) {
        const kmd_board_view *v = NULL;
        if (kmd_board_get_view(b[i], &v) != KMD_OK || v->moves != i % 4)
            SAME(i, -3);
    }
    for (int i = 0; i < N; i++)
        if (kmd_board_close(b[i * 7 % N]) != KMD_OK)
            SAME(i, -4);
}

static kmd_board shared;
static atomic_llong done, refused;

static void *pusher(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4000; i++) {
        kmd_move moves[KMD_MAX_LEGAL_MOVES];
        int32_t n = kmd_board_list(shared, moves);
        kmd_status s = n > 0 ? kmd_board_push(shared, moves[(uint32_t)i * 2654435761u % (uint32_t)n]) : n;
        if (n == 0 || s == KMD_ERR_ILLEGAL_MOVE) /* another thread moved in between */
            s = kmd_board_pop(shared, NULL);
        if (s == KMD_ERR_BUSY)
            atomic_fetch_add(&refused, 1);
        else if (s == KMD_OK || s == KMD_ERR_ILLEGAL_MOVE)
            atomic_fetch_add(&done, 1);
        else
            SAME(s, 0);
    }
    return NULL;
}

/* Reads the view without a call while others push: whatever it accepts is whole. */
static void *reader(void *unused)
{
    (void)unused;
    const kmd_board_view *v = NULL;
    for (int i = 0; i < 100 && kmd_board_get_view(shared, &v) != KMD_OK; i++) {
    }
    for (int i = 0; v != NULL && i < 200000; i++) {
        kmd_board_view copy;
        uint32_t before = __atomic_load_n(&v->sequence, __ATOMIC_ACQUIRE);
        memcpy(&copy, v, sizeof copy);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (before % 2 == 1 || __atomic_load_n(&v->sequence, __ATOMIC_RELAXED) != before)
            continue;
        if (copy.ply != copy.moves + 1 || copy.turn != copy.moves % 2 || copy.pieces[copy.kings[0]] != 8 || copy.pieces[copy.kings[1]] != 24)
            SAME(i, -1);
    }
    return NULL;
}

static void one_board_many_threads(void)
{
    enum { N = 6 };
    pthread_t t[N];
    OK(kmd_board_new(&shared));
    for (int i = 0; i < N; i++)
        SAME(pthread_create(&t[i], NULL, i == 0 ? reader : pusher, NULL), 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    THAT(done > 0);
    /* The board is whole: its position line gives the same position again. */
    static char text[1 << 20];
    size_t n = 0;
    kmd_board again = 0;
    const kmd_board_view *v = NULL, *w = NULL;
    OK(kmd_board_to_position(shared, text, sizeof text, &n));
    OK(kmd_board_from_position(text, n, &again));
    OK(kmd_board_get_view(shared, &v));
    OK(kmd_board_get_view(again, &w));
    SAME(v->key, w->key);
    SAME(v->moves, w->moves);
    OK(kmd_board_close(shared));
    OK(kmd_board_close(again));
}

static _Atomic(uint64_t) passed_on[64];
static atomic_int stop;

/* Opens, uses and closes boards, and publishes the handles for others to misuse. */
static void *owner(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;
    for (int i = 0; i < 20000; i++) {
        kmd_board b = 0;
        if (kmd_board_new(&b) != KMD_OK) {
            SAME(i, -1);
            break;
        }
        atomic_store(&passed_on[rand_r(&seed) % 64], b);
        kmd_status s;
        while ((s = kmd_board_push(b, 60 << 7 | 59)) == KMD_ERR_BUSY || s == KMD_ERR_ILLEGAL_MOVE)
            if (s == KMD_ERR_ILLEGAL_MOVE) { /* a misuser pushed first, or closed the board and so made this handle stale */
                s = KMD_OK;
                break;
            }
        if (s != KMD_OK && s != KMD_ERR_HANDLE)
            SAME(s, 0);
        while ((s = kmd_board_close(b)) == KMD_ERR_BUSY) {
        }
        if (s != KMD_OK && s != KMD_ERR_HANDLE)
            SAME(s, 0);
    }
    return NULL;
}

static void *misuser(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;
    while (!atomic_load(&stop)) {
        kmd_board b = atomic_load(&passed_on[rand_r(&seed) % 64]);
        kmd_status s = rand_r(&seed) % 16 ? kmd_board_push(b, 60 << 7 | 59) : kmd_board_close(b);
        if (s != KMD_OK && s != KMD_ERR_HANDLE && s != KMD_ERR_BUSY && s != KMD_ERR_ILLEGAL_MOVE)
            SAME(s, 0);
    }
    return NULL;
}

/* Boards closed under the hands of their users: errors, and afterwards everything works. */
static void closing_under_use(void)
{
    pthread_t t[6];
    for (uintptr_t i = 0; i < 6; i++)
        SAME(pthread_create(&t[i], NULL, i < 3 ? owner : misuser, (void *)(i + 1)), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    atomic_store(&stop, 1);
    for (int i = 3; i < 6; i++)
        pthread_join(t[i], NULL);
    many();
}

int main(void)
{
    stale();
    many();
    one_board_many_threads();
    closing_under_use();
    return report_tests("handles");
}
