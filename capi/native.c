#if !defined(_WIN32)
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "native.h"

/*
 * Alive or not. The Go runtime does not survive a fork, so a forked child must be told apart from the process that loaded the library.
 * The word lies on a page of its own that the kernel wipes in any child (MADV_WIPEONFORK), also after a raw fork or clone;
 * a pthread_atfork handler clears it too, for kernels and systems without that.
 */
static uint32_t plain_alive;
static volatile uint32_t *alive = &plain_alive;

int kmdc_is_alive(void) { return *alive != 0; }

KMD_API int32_t kmd_alive(void) { return kmdc_is_alive(); }

#if !defined(_WIN32)
/*
 * runtime/cgo calls through this pointer when a thread ends, to give back what Go keeps for it. In a forked child that would enter
 * the dead runtime and hang, so it is cleared there; the handler is only asked for while it is set.
 */
extern void (*x_crosscall2_ptr)(void (*)(void *), void *, int, size_t);

static void in_child(void)
{
    *alive = 0;
    x_crosscall2_ptr = NULL;
}
#endif

/* ------------------------------------------------------------------------------------------------- Last error, by thread */

/*
 * A thread's details hang on a pthread key. A thread-local struct would do, but Go's runtime makes the linker put all of the library's thread-local
 * data into the small static block, which copies loaded by forked children of forked children soon use up.
 */
static const kmd_error nothing = {sizeof(kmd_error), 0, -1, -1, 0, 0, {{0}}, {0}};

#if defined(_WIN32)
static __thread kmd_error of_thread;

static kmd_error *last_of_thread(void) { return &of_thread; }
#else
static pthread_key_t last_key;
static int have_key;

static kmd_error *last_of_thread(void)
{
    if (!have_key)
        return NULL;
    static kmd_error of_forked; /* the lock of malloc may have been held at the fork */
    kmd_error *e = pthread_getspecific(last_key);
    if (e == NULL && !kmdc_is_alive())
        return &of_forked;
    if (e == NULL && (e = malloc(sizeof *e)) != NULL) {
        *e = nothing;
        if (pthread_setspecific(last_key, e) != 0) {
            free(e);
            e = NULL;
        }
    }
    return e;
}
#endif

void kmdc_set_error(int32_t kind, int64_t offset, int64_t row, int32_t errno_value, const char *message, size_t length, const kmd_problem *problems,
                    uint32_t problem_count)
{
    kmd_error *last = last_of_thread();
    if (last == NULL)
        return; /* no memory: the status alone has to tell */
    memset(last, 0, sizeof *last);
    last->size = sizeof *last;
    last->kind = kind;
    last->offset = offset;
    last->row = row;
    last->errno_value = errno_value;
    if (length > sizeof last->message - 1) {
        length = sizeof last->message - 1;
        while (length > 0 && ((unsigned char)message[length] & 0xC0) == 0x80)
            length--; /* not in the middle of a character */
    }
    memcpy(last->message, message, length);
    last->problem_count = problem_count;
    if (problem_count > sizeof last->problems / sizeof last->problems[0])
        problem_count = sizeof last->problems / sizeof last->problems[0];
    if (problem_count > 0)
        memcpy(last->problems, problems, problem_count * sizeof *problems);
}

__attribute__((constructor)) static void start(void)
{
#if !defined(_WIN32)
    long page = sysconf(_SC_PAGESIZE);
    void *p = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) {
#if defined(MADV_WIPEONFORK)
        madvise(p, (size_t)page, MADV_WIPEONFORK);
#endif
        alive = p;
    }
    pthread_atfork(NULL, NULL, in_child);
    have_key = pthread_key_create(&last_key, free) == 0;
#endif
    *alive = 1;
}

static kmd_status fail(kmd_status kind, const char *message)
{
    kmdc_set_error(kind, -1, -1, 0, message, strlen(message), NULL, 0);
    return kind;
}

kmd_status kmdc_forked(void)
{
    return fail(KMD_ERR_FORKED, "komadori: library copy belongs to the parent process: load a private copy in the child and call kmd_adopt");
}

KMD_API kmd_status kmd_last_error(kmd_error *error)
{
    if (error == NULL || (uintptr_t)error % sizeof(int64_t) != 0 || error->size != sizeof *error)
        return KMD_ERR_ARGUMENT;
    const kmd_error *last = last_of_thread();
    *error = last != NULL ? *last : nothing;
    error->size = sizeof *error;
    return KMD_OK;
}

KMD_API uint32_t kmd_version(void) { return KMD_VERSION_MAJOR * 1000000u + KMD_VERSION_MINOR * 1000u + KMD_VERSION_PATCH; }

KMD_API uint32_t kmd_abi_version(void) { return KMD_ABI_VERSION; }

KMD_API int32_t kmd_quick_words(const kmd_move *moves, int32_t count, const uint64_t *words, uint64_t *picked)
{
    if (moves == NULL || words == NULL || picked == NULL || count < 0)
        return fail(KMD_ERR_ARGUMENT, "kmd_quick_words: bad argument: a pointer is null or the count is negative");
    if ((uintptr_t)moves % sizeof *moves != 0 || ((uintptr_t)words | (uintptr_t)picked) % sizeof *words != 0)
        return fail(KMD_ERR_ARGUMENT, "kmd_quick_words: bad argument: a pointer is not aligned");
    for (int32_t i = 0; i < count; i++)
        picked[i] = words[moves[i]];
    return KMD_OK;
}

/* --------------------------------------------------------------------------------------------------------------- Memory */

void *kmdc_map(size_t size)
{
#if defined(_WIN32)
    return calloc(1, size);
#else
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
#endif
}

int kmdc_is_mapped(uint64_t address, size_t size)
{
#if defined(__linux__)
    unsigned char pages[64];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), step = page * sizeof pages;
    if (address > UINTPTR_MAX - size - step)
        return 0;
    for (size_t at = 0; at < size; at += step)
        if (mincore((void *)(uintptr_t)(address + at), size - at < step ? size - at : step, pages) != 0)
            return 0;
    return 1;
#else
    (void)size;
    return address != 0;
#endif
}

void kmdc_unmap(void *p, size_t size)
{
#if defined(_WIN32)
    (void)size;
    free(p);
#else
    munmap(p, size);
#endif
}
