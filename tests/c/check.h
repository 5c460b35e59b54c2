/* Checks for the test programs: a failed one prints where and what, and the program goes on and ends with 1. */
#ifndef KOMADORI_TESTS_CHECK_H
#define KOMADORI_TESTS_CHECK_H

#include <komadori.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int failures, checks;

static inline int that(int ok, const char *file, int line, const char *what)
{
    atomic_fetch_add(&checks, 1);
    if (!ok && atomic_fetch_add(&failures, 1) < 50) {
        kmd_error e = {.size = sizeof e};
        kmd_last_error(&e);
        fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", file, line, what, e.message);
    }
    return ok;
}

static inline int same(int64_t got, int64_t want, const char *file, int line, const char *what)
{
    int ok = that(got == want, file, line, what);
    if (!ok && atomic_load(&failures) < 50)
        fprintf(stderr, "    got %" PRId64 ", want %" PRId64 "\n", got, want);
    return ok;
}

#define THAT(x) that((x) != 0, __FILE__, __LINE__, #x)
#define SAME(got, want) same((int64_t)(got), (int64_t)(want), __FILE__, __LINE__, #got " == " #want)
#define OK(call) SAME(call, KMD_OK)

static inline int report_tests(const char *name)
{
    printf("%-8s %d checks, %d failed\n", name, atomic_load(&checks), atomic_load(&failures));
    return atomic_load(&failures) != 0;
}

/* The kind of the last error, and whether its message names something. */
static inline int32_t last_kind(void)
{
    kmd_error e = {.size = sizeof e};
    return kmd_last_error(&e) == KMD_OK ? e.kind : 1;
}

#define START "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
#define MAX_MOVES "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"

static inline kmd_board board_of(const char *sfen)
{
    kmd_board b = 0;
    OK(kmd_board_from_sfen(sfen, strlen(sfen), &b));
    return b;
}

static inline kmd_move move_of(const char *usi)
{
    kmd_move m = 0;
    OK(kmd_move_from_usi(usi, strlen(usi), &m));
    return m;
}

/* Whether a board's SFEN is the given one. */
static inline int is_sfen(kmd_board b, const char *want)
{
    char text[256];
    size_t n = 0;
    kmd_status s = kmd_board_to_sfen(b, text, sizeof text - 1, &n);
    text[s == KMD_OK ? n : 0] = 0;
    if (strcmp(text, want) != 0)
        fprintf(stderr, "    got %s (status %d)\n    want %s\n", text, s, want);
    return strcmp(text, want) == 0;
}

#endif
