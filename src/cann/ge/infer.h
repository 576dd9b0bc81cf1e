/*
 * infer.h - dtypes and shapes of outputs, from those of the inputs, attributes and constant inputs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CANN_GE_INFER_H
#define RSTD_CANN_GE_INFER_H

#include "cann/ge/prototype.h"

#define RSTD__MAX_DIMS 32

struct rstd__shape {
	int32_t dtype;
	bool unknown_rank;
	size_t rank;
	int64_t dims[RSTD__MAX_DIMS]; /* -1: unknown */
};

/* The elements of an input that says axes or a shape. */
struct rstd__ints {
	bool known;
	size_t count;
	int64_t at[RSTD__MAX_DIMS];
};

/* One operator at inference: inputs and outputs in the order of its prototype. */
struct rstd__frame {
	const struct rstd__proto *proto;
	const char *name; /* of the node */
	const rstd_attrs *attrs;
	bool present[RSTD__MAX_INPUTS];
	struct rstd__shape in[RSTD__MAX_INPUTS];
	struct rstd__ints ints[RSTD__MAX_INPUTS];
	/* results */
	struct rstd__shape out[RSTD__MAX_OUTPUTS];
	uint64_t axes; /* of a reduction of known rank: bit a is set when axis a is reduced */
};

/* Fills in out and axes. Fails with FAILED and a message that begins with the node's name and type. */
rstd_ge_status rstd__infer(struct rstd__frame *f);

/* Whether required attributes have values and all have the right kinds. Messages as above. */
rstd_ge_status rstd__verify(const struct rstd__proto *proto, const char *name, const rstd_attrs *attrs);

/* Values of attributes, or their defaults; they have been verified. */
int64_t rstd__frame_int(const struct rstd__frame *f, const char *name);
float rstd__frame_float(const struct rstd__frame *f, const char *name);
bool rstd__frame_bool(const struct rstd__frame *f, const char *name);
const int64_t *rstd__frame_ints(const struct rstd__frame *f, const char *name, size_t *count);

/* Fails with a sentence that begins "name(type): ". */
rstd_ge_status rstd__frame_fail(const struct rstd__frame *f, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));
/* Adds that the node was refused where CANN tiles, for programs that look for this. */
rstd_ge_status rstd__tiling_failed(const struct rstd__frame *f);

/* From a desc, and from the elements of an INT32 or INT64 tensor. False when there are too many dims or elements. */
bool rstd__shape_from_desc(struct rstd__shape *shape, const rstd_desc *desc);
bool rstd__ints_from_data(struct rstd__ints *ints, int32_t dtype, const void *data, size_t count);

/* The product of dims that are all known; -1 when it is above INT64_MAX. */
int64_t rstd__dims_count(const int64_t *dims, size_t rank);

/* The input of an operator that the k-th input of its prototype means: by name, else by place; SIZE_MAX for none. */
size_t rstd__proto_input_of(const struct rstd__proto *proto, const rstd_op *op, size_t k);
size_t rstd__proto_output_of(const struct rstd__proto *proto, const rstd_op *op, size_t k);

#endif
