/*
 * memory.h - memory of the device and of the host, and what is known about an address
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_ACL_MEMORY_H
#define RSTD_CANN_ACL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rstd__memory_kind {
	RSTD_MEMORY_UNKNOWN, /* not allocated by the runtime */
	RSTD_MEMORY_DEVICE,
	RSTD_MEMORY_HOST,
} rstd__memory_kind;

/*
 * In whose memory an address lies, and how many bytes of that allocation there are from it on: SIZE_MAX for
 * RSTD_MEMORY_UNKNOWN, about which nothing is known.
 */
rstd__memory_kind rstd__memory_find(const void *address, size_t *bytes);

/* Bytes of device memory, in all and not allocated. */
uint64_t rstd__memory_total(void);
uint64_t rstd__memory_free(void);

/* Frees all memory of the device. */
void rstd__memory_release(int32_t device);

/* For fork(). */
void rstd__memory_lock(void);
void rstd__memory_unlock(void);

#endif
