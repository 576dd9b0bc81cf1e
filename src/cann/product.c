/*
 * product.c - the Ascend products that the CANN face can pretend to be, and what each accepts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names, architectures and figures are those of the platform files of CANN's runtime; interfaces and dtypes are those
 * of the documents and the code of ops-math. Where the two differ the code has the say in dtypes, the documents in which
 * interface there is.
 */
#include "cann/product.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F32  RSTD_DTYPE_BIT(RSTD_F32)
#define F16  RSTD_DTYPE_BIT(RSTD_F16)
#define BF16 RSTD_DTYPE_BIT(RSTD_BF16)

#define GIB  UINT64_C(1073741824)
#define MIB  UINT64_C(1048576)

/*
 * An interface that a product lacks still has a dtype list: as on the product itself, the arguments are checked first
 * and the missing kernel is found out last.
 *
 * ReduceStdWithMean is no public aclnn interface of CANN. Its column is what the graph operator's binaries are known to
 * take; on the 950, which has none, it is there all the same: it is this library's addition, and the 950 is its default.
 */
static const rstd__family ascend950 = {
	.title = "Ascend 950PR / 950DT",
	.short_soc = "Ascend950",
	.arch = 3510,
	.bf16 = true,
	.std_mean_mixed = true,
	.interface = {
		[RSTD_INTERFACE_STD] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { true, F32 | F16 | BF16 },
	},
};

/* Outside the six families of the documents; its architecture, and therefore its code, is that of the 950. */
static const rstd__family ascend350 = {
	.title = "Ascend 350",
	.short_soc = "Ascend350",
	.arch = 3510,
	.bf16 = true,
	.std_mean_mixed = true,
	.interface = {
		[RSTD_INTERFACE_STD] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { true, F32 | F16 | BF16 },
	},
};

static const rstd__family atlas_a3 = {
	.title = "Atlas A3 training / inference",
	.short_soc = "Ascend910_93",
	.arch = 2201,
	.bf16 = true,
	.interface = {
		[RSTD_INTERFACE_STD] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { true, F32 | F16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { true, F32 | F16 | BF16 },
	},
};

static const rstd__family atlas_a2 = {
	.title = "Atlas A2 training / inference",
	.short_soc = "Ascend910B",
	.arch = 2201,
	.bf16 = true,
	.interface = {
		[RSTD_INTERFACE_STD] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { true, F32 | F16 | BF16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { true, F32 | F16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { true, F32 | F16 | BF16 },
	},
};

static const rstd__family atlas_200i = {
	.title = "Atlas 200I/500 A2 inference",
	.short_soc = "Ascend310B",
	.arch = 3002,
	.interface = {
		[RSTD_INTERFACE_STD] = { false, F32 | F16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { false, F32 | F16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { false, F32 | F16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { false, F32 | F16 },
	},
};

static const rstd__family atlas_inference = {
	.title = "Atlas inference series",
	.short_soc = "Ascend310P",
	.arch = 2002,
	.interface = {
		[RSTD_INTERFACE_STD] = { true, F32 | F16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { false, F32 | F16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { false, F32 | F16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { true, F32 | F16 },
	},
};

static const rstd__family atlas_training = {
	.title = "Atlas training series",
	.short_soc = "Ascend910",
	.arch = 1001,
	.interface = {
		[RSTD_INTERFACE_STD] = { true, F32 | F16 },
		[RSTD_INTERFACE_STD_MEAN_CORRECTION] = { true, F32 | F16 },
		[RSTD_INTERFACE_BATCH_NORM_STATS] = { true, F32 | F16 },
		[RSTD_INTERFACE_REDUCE_STD_WITH_MEAN] = { true, F32 | F16 },
	},
};

/* Cube cores, vector cores, bytes of memory (0: not published), bytes of L2 cache. */
#define CHIP_950   36, 72, 128 * GIB, 128 * MIB
#define CHIP_957B  28, 56, 128 * GIB, 128 * MIB
#define CHIP_910B1 24, 48, 64 * GIB, 192 * MIB
#define CHIP_910B3 20, 40, 64 * GIB, 192 * MIB
#define CHIP_910B4 20, 40, 32 * GIB, 96 * MIB
#define CHIP_310B1 1, 1, 32 * GIB, 4 * MIB
#define CHIP_310P3 8, 7, UINT64_C(24000000000), 16 * MIB
#define CHIP_910A  32, 0, 0, 32 * MIB

/*
 * The default first. The figures of Ascend910A, 910B1 to B4, 910_9391, 310P3, 310B1 and 950PR_9599, and the cores of
 * 950PR_957b, are published; other names have those of the nearest of them, which is good enough for programs that
 * print them or choose a buffer size.
 */
static const rstd__product products[] = {
	{ "Ascend950PR_9599", &ascend950, CHIP_950 },
	{ "Ascend950PR_950z", &ascend950, CHIP_950 },
	{ "Ascend950PR_9579", &ascend950, CHIP_950 },
	{ "Ascend950PR_957b", &ascend950, CHIP_957B },
	{ "Ascend950PR_957bx", &ascend950, CHIP_957B },
	{ "Ascend950PR_957c", &ascend950, CHIP_950 },
	{ "Ascend950PR_957d", &ascend950, CHIP_950 },
	{ "Ascend950PR_9589", &ascend950, CHIP_950 },
	{ "Ascend950PR_958b", &ascend950, CHIP_950 },
	{ "Ascend950DT_950x", &ascend950, CHIP_950 },
	{ "Ascend950DT_950y", &ascend950, CHIP_950 },
	{ "Ascend950DT_9571", &ascend950, CHIP_950 },
	{ "Ascend950DT_9572", &ascend950, CHIP_950 },
	{ "Ascend950DT_9573", &ascend950, CHIP_950 },
	{ "Ascend950DT_9574", &ascend950, CHIP_950 },
	{ "Ascend950DT_9575", &ascend950, CHIP_950 },
	{ "Ascend950DT_9576", &ascend950, CHIP_950 },
	{ "Ascend950DT_9577", &ascend950, CHIP_950 },
	{ "Ascend950DT_9578", &ascend950, CHIP_950 },
	{ "Ascend950DT_9581", &ascend950, CHIP_950 },
	{ "Ascend950DT_9581x", &ascend950, CHIP_950 },
	{ "Ascend950DT_9582", &ascend950, CHIP_950 },
	{ "Ascend950DT_9582x", &ascend950, CHIP_950 },
	{ "Ascend950DT_9583", &ascend950, CHIP_950 },
	{ "Ascend950DT_9584", &ascend950, CHIP_950 },
	{ "Ascend950DT_9585", &ascend950, CHIP_950 },
	{ "Ascend950DT_9586", &ascend950, CHIP_950 },
	{ "Ascend950DT_9587", &ascend950, CHIP_950 },
	{ "Ascend950DT_9588", &ascend950, CHIP_950 },
	{ "Ascend950DT_9591", &ascend950, CHIP_950 },
	{ "Ascend950DT_9592", &ascend950, CHIP_950 },
	{ "Ascend950DT_9595", &ascend950, CHIP_950 },
	{ "Ascend950DT_9596", &ascend950, CHIP_950 },
	{ "Ascend950DT_95A1", &ascend950, CHIP_950 },
	{ "Ascend950DT_95A2", &ascend950, CHIP_950 },
	{ "Ascend350_354f", &ascend350, CHIP_950 },
	{ "Ascend350_355e", &ascend350, CHIP_950 },
	{ "Ascend910_9362", &atlas_a3, CHIP_910B1 },
	{ "Ascend910_9363", &atlas_a3, CHIP_910B1 },
	{ "Ascend910_9372", &atlas_a3, CHIP_910B1 },
	{ "Ascend910_9381", &atlas_a3, CHIP_910B1 },
	{ "Ascend910_9382", &atlas_a3, CHIP_910B1 },
	{ "Ascend910_9391", &atlas_a3, CHIP_910B1 },
	{ "Ascend910_9392", &atlas_a3, CHIP_910B1 },
	{ "Ascend910B1", &atlas_a2, CHIP_910B1 },
	{ "Ascend910B2", &atlas_a2, CHIP_910B1 },
	{ "Ascend910B2C", &atlas_a2, CHIP_910B1 },
	{ "Ascend910B3", &atlas_a2, CHIP_910B3 },
	{ "Ascend910B4", &atlas_a2, CHIP_910B4 },
	{ "Ascend910B4-1", &atlas_a2, CHIP_910B4 },
	{ "Ascend310B1", &atlas_200i, CHIP_310B1 },
	{ "Ascend310B2", &atlas_200i, CHIP_310B1 },
	{ "Ascend310B3", &atlas_200i, CHIP_310B1 },
	{ "Ascend310B4", &atlas_200i, CHIP_310B1 },
	{ "Ascend310P1", &atlas_inference, CHIP_310P3 },
	{ "Ascend310P3", &atlas_inference, CHIP_310P3 },
	{ "Ascend310P5", &atlas_inference, CHIP_310P3 },
	{ "Ascend310P7", &atlas_inference, CHIP_310P3 },
	{ "Ascend910A", &atlas_training, CHIP_910A },
	{ "Ascend910B", &atlas_training, CHIP_910A },
	{ "Ascend910ProA", &atlas_training, CHIP_910A },
	{ "Ascend910ProB", &atlas_training, CHIP_910A },
	{ "Ascend910PremiumA", &atlas_training, CHIP_910A },
};

/* One name of each family that CANN's documents have. */
#define NAMES "Ascend950PR_9599, Ascend910_9391, Ascend910B1, Ascend310B1, Ascend310P3, Ascend910A"

static pthread_once_t chosen_once = PTHREAD_ONCE_INIT;
static const rstd__product *chosen;
static char complaint[256];

const rstd__product *rstd__product_find(const char *soc)
{
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		if (strcmp(products[i].soc, soc) == 0)
			return &products[i];
	}
	return NULL;
}

static void choose(void)
{
	const char *soc = getenv("RSTD_SOC");

	chosen = soc != NULL && soc[0] != '\0' ? rstd__product_find(soc) : &products[0];
	if (chosen == NULL)
		snprintf(complaint, sizeof(complaint),
		         "RSTD_SOC: is \"%.64s\", allowed are " NAMES ", and the other chips of these families", soc);
}

const rstd__product *rstd__product_current(void)
{
	pthread_once(&chosen_once, choose);
	return chosen;
}

const char *rstd__product_complaint(void)
{
	pthread_once(&chosen_once, choose);
	return complaint;
}
