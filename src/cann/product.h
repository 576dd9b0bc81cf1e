/*
 * product.h - the Ascend products that the CANN face can pretend to be, and what each accepts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One table answers every question about a product: which interfaces it has, with which dtypes, and what the device
 * says about itself. RSTD_SOC names the product; nothing else in the face looks at names.
 */
#ifndef RSTD_CANN_PRODUCT_H
#define RSTD_CANN_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "rstd/rstd.h"

typedef enum rstd__interface {
	RSTD_INTERFACE_STD,
	RSTD_INTERFACE_STD_MEAN_CORRECTION,
	RSTD_INTERFACE_BATCH_NORM_STATS,
	RSTD_INTERFACE_REDUCE_STD_WITH_MEAN,
	RSTD_INTERFACE_COUNT
} rstd__interface;

#define RSTD_DTYPE_BIT(dtype) (1u << (unsigned)(dtype))

typedef struct rstd__family {
	const char *title; /* "Atlas A2 training / inference" */
	const char *short_soc;
	int arch; /* 3510 for DAV_3510 */
	bool bf16;
	bool std_mean_mixed; /* StdMeanCorrection: outputs may differ from self in dtype */
	struct {
		bool available;
		unsigned dtypes; /* RSTD_DTYPE_BITs of self and outputs, of input alone for BatchNormStats */
	} interface[RSTD_INTERFACE_COUNT];
} rstd__family;

typedef struct rstd__product {
	const char *soc; /* what aclrtGetSocName() says */
	const rstd__family *family;
	uint32_t cube_cores;
	uint32_t vector_cores;
	uint64_t memory_bytes; /* 0: not published */
	uint64_t l2_bytes;
} rstd__product;

/*
 * The product that RSTD_SOC names; Ascend950PR_9599 when it is unset or empty; NULL when it names none. The variable is
 * read once in a process.
 */
const rstd__product *rstd__product_current(void);

/* The product with exactly this name, or NULL. */
const rstd__product *rstd__product_find(const char *soc);

/* Why rstd__product_current() is NULL: a sentence with what RSTD_SOC is and what is allowed. Static storage. */
const char *rstd__product_complaint(void);

#endif
