#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

#include "_cgo_export.h"
#include "native.h"

/*
 * A job runs as a goroutine; its caller waits here, in C, in slices, so that a signal handler of the host language runs soon and so that
 * the wait needs no place in Go's scheduler.
 */
static kmdc_job jobs[KMDC_JOBS];

enum { TAG = 0x4A6 };

static kmd_job handle(uint32_t index, uint32_t generation) { return (uint64_t)TAG << 51 | (uint64_t)(generation & 0x7FFFFFF) << 24 | index; }

int64_t kmdc_job_index(kmd_job job)
{
    uint32_t index = job & 0xFFFFFF;
    if (job >> 51 != TAG || index >= KMDC_JOBS)
        return -1;
    uint32_t generation = __atomic_load_n(&jobs[index].generation, __ATOMIC_ACQUIRE);
    if (generation % 2 == 0 || (generation & 0x7FFFFFF) != (job >> 24 & 0x7FFFFFF))
        return -1;
    return index;
}

kmd_job kmdc_job_open(uint32_t *out)
{
    for (uint32_t i = 0; i < KMDC_JOBS; i++) {
        uint32_t generation = __atomic_load_n(&jobs[i].generation, __ATOMIC_ACQUIRE);
        uint32_t expected = 0;
        if (generation % 2 == 1 || !__atomic_compare_exchange_n(&jobs[i].taken, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        generation = __atomic_load_n(&jobs[i].generation, __ATOMIC_ACQUIRE);
        if (generation % 2 == 1) {
            __atomic_store_n(&jobs[i].taken, 0, __ATOMIC_RELEASE);
            continue;
        }
        __atomic_store_n(&jobs[i].cancel, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&jobs[i].done, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&jobs[i].generation, generation + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&jobs[i].taken, 0, __ATOMIC_RELEASE);
        *out = i;
        return handle(i, generation + 1);
    }
    return 0;
}

kmdc_job *kmdc_job_at(uint32_t index) { return &jobs[index]; }

void kmdc_job_done(uint32_t index)
{
    __atomic_store_n(&jobs[index].done, 1, __ATOMIC_RELEASE);
#if defined(__linux__)
    syscall(SYS_futex, &jobs[index].done, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#endif
}

void kmdc_job_close(uint32_t index)
{
    __atomic_fetch_add(&jobs[index].generation, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&jobs[index].taken, 0, __ATOMIC_RELEASE);
}

static kmd_status no_job(void)
{
    static const char message[] = "komadori: bad handle: no such job: closed already, or never opened";
    kmdc_set_error(KMD_ERR_HANDLE, -1, -1, 0, message, sizeof message - 1, NULL, 0);
    return KMD_ERR_HANDLE;
}

static void pause_on(uint32_t *word, int32_t timeout_ms)
{
    struct timespec t = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
#if defined(__linux__)
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
#elif defined(_WIN32)
    (void)t;
    (void)word;
    Sleep(timeout_ms < 2 ? timeout_ms : 2);
#else
    (void)word;
    if (timeout_ms > 2)
        t.tv_sec = 0, t.tv_nsec = 2000000;
    nanosleep(&t, NULL);
#endif
}

KMD_API kmd_status kmd_job_wait(kmd_job job, int32_t timeout_ms)
{
    if (!kmdc_is_alive())
        return kmdc_forked();
    int64_t i = kmdc_job_index(job);
    if (i < 0)
        return no_job();
    if (timeout_ms < 0 || timeout_ms > 1000) {
        static const char message[] = "kmd_job_wait: bad argument: timeout_ms outside 0..1000";
        kmdc_set_error(KMD_ERR_ARGUMENT, -1, -1, 0, message, sizeof message - 1, NULL, 0);
        return KMD_ERR_ARGUMENT;
    }
    if (timeout_ms > 0 && !__atomic_load_n(&jobs[i].done, __ATOMIC_ACQUIRE))
        pause_on(&jobs[i].done, timeout_ms);
    return __atomic_load_n(&jobs[i].done, __ATOMIC_ACQUIRE) ? KMD_OK : KMD_ERR_BUSY;
}

KMD_API kmd_status kmd_job_cancel(kmd_job job)
{
    if (!kmdc_is_alive())
        return kmdc_forked();
    int64_t i = kmdc_job_index(job);
    if (i < 0)
        return no_job();
    __atomic_store_n(&jobs[i].cancel, 1, __ATOMIC_RELEASE);
    return KMD_OK;
}

KMD_API kmd_status kmd_job_finish(kmd_job job, kmd_result *result)
{
    if (!kmdc_is_alive())
        return kmdc_forked();
    int64_t i = kmdc_job_index(job);
    if (i < 0)
        return no_job();
    if (result != NULL && ((uintptr_t)result % sizeof(uint64_t) != 0 || result->size != sizeof *result)) {
        static const char message[] = "kmd_job_finish: bad argument: result.size is not sizeof(kmd_result)";
        kmdc_set_error(KMD_ERR_ARGUMENT, -1, -1, 0, message, sizeof message - 1, NULL, 0);
        return KMD_ERR_ARGUMENT;
    }
    uint32_t expected = 0;
    if (!__atomic_compare_exchange_n(&jobs[i].taken, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        static const char message[] = "kmd_job_finish: handle busy: another thread finishes this job";
        kmdc_set_error(KMD_ERR_BUSY, -1, -1, 0, message, sizeof message - 1, NULL, 0);
        return KMD_ERR_BUSY;
    }
    if (kmdc_job_index(job) != i) { /* finished and opened anew in between */
        __atomic_store_n(&jobs[i].taken, 0, __ATOMIC_RELEASE);
        return no_job();
    }
    while (!__atomic_load_n(&jobs[i].done, __ATOMIC_ACQUIRE))
        pause_on(&jobs[i].done, 100);
    return go_kmd_job_finish((uint32_t)i, result);
}
