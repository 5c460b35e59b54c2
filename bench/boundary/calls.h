/* Calls in rounds, the kinds in turn, so that a busy machine slows all of them alike; the best round of each counts. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 60, KINDS = 16 };

static double best[KINDS];
static const char *kind_names[KINDS];

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define MEASURE(kind, name, calls, body)                                                                                                                       \
    do {                                                                                                                                                       \
        double begin = seconds();                                                                                                                              \
        for (int i = 0; i < (calls); i++) {                                                                                                                    \
            body;                                                                                                                                              \
        }                                                                                                                                                      \
        double each = 1e9 * (seconds() - begin) / (calls);                                                                                                     \
        if (kind_names[kind] == NULL || each < best[kind])                                                                                                     \
            best[kind] = each;                                                                                                                                 \
        kind_names[kind] = name;                                                                                                                               \
    } while (0)

static void print_kinds(const char *language)
{
    for (int k = 0; k < KINDS; k++)
        if (kind_names[k] != NULL)
            printf("%s\t%s\t%.1f\n", language, kind_names[k], best[k]);
}
