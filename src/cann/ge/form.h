/*
 * form.h - the compiled form of a graph for one set of feed shapes: steps over tensors whose memory is planned
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Made in this order: every node that is needed is lowered (lower.c, with fuse.c), which makes steps and views; steps
 * that nobody reads go; results and memory are assigned (memory.c); plans are made (compile.c). Running a form does
 * arithmetic only.
 */
#ifndef RSTD_CANN_GE_FORM_H
#define RSTD_CANN_GE_FORM_H

#include "cann/ge/elementwise.h"
#include "cann/ge/exactsum.h"
#include "cann/ge/graph.h"
#include "cann/ge/infer.h"
#include "rstd/rstd.h"

#define RSTD__NONE SIZE_MAX

/* A tensor: strides over the elements of a storage, the first of which is its first. */
struct rstd__value {
	int32_t dtype;
	size_t rank;
	int64_t dims[RSTD_MAX_RANK], strides[RSTD_MAX_RANK];
	size_t storage; /* index, or RSTD__NONE */
};

enum rstd__storage_kind { RSTD__FEED, RSTD__CONSTANT, RSTD__COMPUTED };

struct rstd__storage {
	enum rstd__storage_kind kind;
	size_t feed; /* index of a FEED */
	size_t bytes;
	size_t step; /* that computes it */
	bool used;
	size_t first, last; /* steps between which it holds something */
	size_t offset;      /* in the arena; RSTD__NONE when it lies elsewhere */
	size_t result;      /* index of the result that it is, or RSTD__NONE */
	const void *data;   /* of a CONSTANT for ever, else during a run */
	void *out;          /* of COMPUTED, during a run */
};

enum rstd__step_kind {
	RSTD__ELEMENTWISE,
	RSTD__STD_MEAN,
	RSTD__STD_ABOUT,
	RSTD__SUMS,
	RSTD__VARIANCES,
	RSTD__VARIANCES_ABOUT
};

enum { RSTD__OUT_Y = 0, RSTD__OUT_MEAN = 1 };

struct rstd__step {
	enum rstd__step_kind kind;
	const rstd_node *node;
	struct rstd__value in[2], out[2]; /* storage RSTD__NONE where there is none; outputs have no gaps */
	bool dead;
	/* of an element-wise step */
	struct rstd__elementwise loop;
	/* of a reduction */
	uint64_t axes;
	int64_t correction;
	bool invert;
	float epsilon;
	const int64_t *scalar_dims; /* the attribute dim where x is a scalar, which only the plan looks at */
	size_t scalar_dim_count;
	rstd_plan *plan;
	struct rstd__slices slices, mean_slices;
	/* memory besides inputs and outputs, in the arena */
	size_t workspace, workspace_offset;
};

/* What a form was made for: the shape of a feed, and its elements where they say axes or shapes. */
struct rstd__feed_key {
	bool used, by_value;
	int32_t dtype;
	size_t rank;
	int64_t dims[RSTD_MAX_RANK];
	size_t bytes; /* that a feed must have */
	void *value;
};

struct rstd__fusion {
	char *text;
	bool keeps_bits;
};

struct rstd__form {
	struct rstd__step *steps;
	size_t step_count, step_capacity;
	struct rstd__storage *storages;
	size_t storage_count, storage_capacity;
	struct rstd__value *results;
	size_t result_count;
	struct rstd__feed_key *feeds;
	size_t feed_count;
	struct rstd__fusion *fusions;
	size_t fusion_count, fusion_capacity;
	size_t views;
	size_t arena, unshared; /* bytes */
	uint64_t graph_version, attrs_version;
};

enum rstd__fusion_level { RSTD__FUSE_NONE, RSTD__FUSE_EXACT, RSTD__FUSE_ALL };

/* A form in the making. */
struct rstd__builder {
	struct rstd__form *form;
	const rstd_graph *graph;
	const rstd_ge_tensor *feeds;
	enum rstd__fusion_level level;
	struct rstd__value (*values)[RSTD__MAX_OUTPUTS]; /* of the outputs of each node */
};

/* ---- compile.c ----------------------------------------------------------------------------------------------- */

/* NULL on failure, with messages. `feeds` have been checked against `keys`, which is taken over in any case. */
struct rstd__form *rstd__compile(const rstd_graph *graph, const rstd_ge_tensor *feeds, struct rstd__feed_key *keys,
                                 size_t key_count, enum rstd__fusion_level level);
void rstd__form_free(struct rstd__form *form);

/* The sum of the versions of all nodes' attributes. */
uint64_t rstd__attrs_version(const rstd_graph *graph);

/* Runs the steps, over an arena of form->arena bytes and results of their exact sizes. Fails with a message. */
rstd_ge_status rstd__form_run(struct rstd__form *form, const rstd_ge_tensor *feeds, void *arena, void *const *results);

/* ---- lower.c ------------------------------------------------------------------------------------------------- */

/* Makes steps and views of one node, whose inputs have been lowered. */
rstd_ge_status rstd__lower(struct rstd__builder *b, const rstd_node *node);

/* A new step without inputs and outputs; valid until the next one. NULL when memory runs out, with a message. */
struct rstd__step *rstd__step_new(struct rstd__builder *b, enum rstd__step_kind kind, const rstd_node *node);

/* Gives the last step its output k: a value without gaps in a storage of its own. Fails when it is too large. */
rstd_ge_status rstd__step_output(struct rstd__builder *b, size_t step, size_t k, int32_t dtype, size_t rank,
                                 const int64_t *dims);

/* A copy of v without gaps, as a new step. */
rstd_ge_status rstd__copy_step(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *v,
                               struct rstd__value *copy);

/* The number of elements; dims are known and their product has been checked. */
size_t rstd__value_count(const struct rstd__value *v);
size_t rstd__value_bytes(const struct rstd__value *v);
bool rstd__value_is_contiguous(const struct rstd__value *v);
bool rstd__value_is_same(const struct rstd__value *a, const struct rstd__value *b);

/* ---- fuse.c -------------------------------------------------------------------------------------------------- */

/* x, or what a widening Cast made it of: reading that gives the same bits, as long as results keep the wide dtype. */
struct rstd__value rstd__fuse_widening(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x);

/*
 * Whether the standard deviation of x about `mean` is one that the step of that mean can compute too. If so it does
 * from now on, and its output y is set.
 */
bool rstd__fuse_std_mean(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x,
                         const struct rstd__value *mean, uint64_t axes, int64_t correction, bool invert,
                         struct rstd__value *y, rstd_ge_status *status);

/* Whether the Cast of x to dtype is done where x is stored. If so *y is x in the new dtype. */
bool rstd__fuse_store(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *x, int32_t dtype,
                      struct rstd__value *y);

/* Reports a mean that is read with strides of 0. */
void rstd__report_broadcast(struct rstd__builder *b, const rstd_node *node, const struct rstd__value *mean);

/* ---- memory.c ------------------------------------------------------------------------------------------------ */

/* Sets the offsets of all intermediate storages and workspaces, and the sizes form->arena and form->unshared. */
rstd_ge_status rstd__plan_memory(struct rstd__form *form);

#endif
