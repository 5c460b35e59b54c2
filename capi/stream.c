#if !defined(_WIN32)
#define _GNU_SOURCE
#include <poll.h>
#include <unistd.h>
#else
#include <io.h>
#endif
#include <errno.h>

#include "native.h"

/*
 * Reading and writing file descriptors of the host program, which may be pipes, files or terminals, blocking or not. Go's own files would make them
 * non-blocking for everybody who shares them, or wait in a read that nothing can end.
 */
#if !defined(_WIN32)
enum { SLICE_MS = 50 };

static int is_set(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0; }

static int wait_for(int fd, short events, const uint32_t *stop, const uint32_t *over)
{
    for (;;) {
        struct pollfd p = {fd, events, 0};
        int n = poll(&p, 1, SLICE_MS);
        if (is_set(stop) || is_set(over))
            return ECANCELED;
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return errno;
    }
}
#endif

int kmdc_read(int fd, void *buffer, size_t size, const uint32_t *stop, const uint32_t *over, size_t *count)
{
    for (;;) {
#if defined(_WIN32)
        int n = _read(fd, buffer, size > 1 << 20 ? 1 << 20 : (unsigned)size);
        (void)stop, (void)over;
#else
        int status = wait_for(fd, POLLIN, stop, over);
        if (status != 0)
            return status;
        ssize_t n = read(fd, buffer, size);
#endif
        if (n >= 0) {
            *count = (size_t)n;
            return 0;
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return errno;
    }
}

int kmdc_write(int fd, const void *buffer, size_t size, const uint32_t *stop, const uint32_t *over)
{
    const char *at = buffer;
    while (size > 0) {
#if defined(_WIN32)
        int n = _write(fd, at, size > 1 << 20 ? 1 << 20 : (unsigned)size);
        (void)stop, (void)over;
#else
        int status = wait_for(fd, POLLOUT, stop, over);
        if (status != 0)
            return status;
        ssize_t n = write(fd, at, size);
#endif
        if (n >= 0) {
            at += n;
            size -= (size_t)n;
        } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            return errno;
        }
    }
    return 0;
}
