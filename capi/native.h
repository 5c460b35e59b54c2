/* What the C side of capi offers its Go side: process state, errors, memory, jobs. Nothing here is exported. */
#ifndef KOMADORI_NATIVE_H
#define KOMADORI_NATIVE_H

#define KMD_BUILDING
#include "../include/komadori.h"

/* native.c */
int kmdc_is_alive(void);
kmd_status kmdc_forked(void);
void kmdc_set_error(int32_t kind, int64_t offset, int64_t row, int32_t errno_value, const char *message, size_t length, const kmd_problem *problems,
                    uint32_t problem_count);
void *kmdc_map(size_t size);          /* zeroed private pages, or null */
void kmdc_unmap(void *p, size_t size);
int kmdc_is_mapped(uint64_t address, size_t size);

/* job.c: a job's words lie here, so that waiting and cancelling need no Go. */
typedef struct kmdc_job {
    uint32_t generation; /* odd while the job is open */
    uint32_t cancel;     /* not 0: stop soon */
    uint32_t done;       /* 1 when the result is there; waited on */
    uint32_t taken;      /* by the one caller that finishes it */
} kmdc_job;

enum { KMDC_JOBS = 1024 };

kmd_job kmdc_job_open(uint32_t *index); /* 0 when all are in use */
kmdc_job *kmdc_job_at(uint32_t index);
void kmdc_job_done(uint32_t index);
void kmdc_job_close(uint32_t index);
int64_t kmdc_job_index(kmd_job job); /* or -1 */

/* stream.c: 0, or an errno; ECANCELED, with nothing read, once *stop or *over is other than 0. No bytes read are the end. */
int kmdc_read(int fd, void *buffer, size_t size, const uint32_t *stop, const uint32_t *over, size_t *count);
int kmdc_write(int fd, const void *buffer, size_t size, const uint32_t *stop, const uint32_t *over);

#endif
