/*
 * rstd.h - exact standard deviation of tensors, and its reciprocal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every result is the exact real-number result of the stored inputs, rounded once (to nearest, ties to even) to the
 * dtype of the output. It is a function of the multiset of values alone: the thread count, the instruction set, the
 * memory layout, the order of the elements and the entry point never change a bit.
 *
 * Rules that hold for every function here, unless its comment says otherwise:
 *
 *   Errors      A function that can fail returns an rstd_status. On anything but RSTD_OK no output has been written,
 *               nothing is leaked, and rstd_last_error() has a sentence that names the argument, its value and what
 *               was allowed. Nothing is ever printed, and no call aborts, exits or raises a signal.
 *   Threads     Any function may be called from any thread at any time, but not from a signal handler. Objects are not
 *               locked: one rstd_moments must not be written by two threads at once; an rstd_plan is only read by
 *               rstd_plan_run().
 *   Ownership   The library keeps no pointer to its arguments beyond the call.
 *   Process     Signal handlers, locale, floating-point mode and OpenMP settings stay as they were. Results do not
 *               depend on the caller's rounding mode, flush-to-zero or trap settings. What is set (threads, instruction
 *               set) and counted holds for the whole process. A child of fork() may go on using the library.
 *   Dims        An axis is an integer in [-rank, rank - 1]; a negative one counts from the last. An empty list (count
 *               0) means every axis. An axis named twice is an error. Rank 0 accepts {}, {0} and {-1}.
 *   Units       Shapes and strides count elements, not bytes. Means and standard deviations have the units of x.
 *   Zero, NaN   A result that is zero, or underflows to it, is +0. Subnormal results are kept. A result that is NaN is
 *               the quiet one without sign or payload: 7fc00000, 7e00, 7fc0.
 *   Alignment   Elements and workspaces may have any alignment; structs have that of their C types.
 */
#ifndef RSTD_RSTD_H
#define RSTD_RSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RSTD_VERSION_MAJOR 0
#define RSTD_VERSION_MINOR 1
#define RSTD_VERSION_PATCH 0

#if defined(RSTD_BUILD) && defined(__GNUC__)
#define RSTD_API __attribute__((visibility("default")))
#else
#define RSTD_API
#endif

/* "0.1.0": the version of the library that is running, which may differ from the header's. Static storage. */
RSTD_API const char *rstd_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------- */

/* X(name, number, text): the numbers are fixed and never used again for another meaning. */
#define RSTD_STATUS_MAP(X)                                                                                             \
	X(RSTD_OK, 0, "success")                                                                                       \
	X(RSTD_ERROR_NULL_POINTER, 1, "a required pointer is NULL")                                                    \
	X(RSTD_ERROR_DTYPE, 2, "a dtype is unknown or does not fit the others")                                        \
	X(RSTD_ERROR_RANK, 3, "a rank is out of range")                                                                \
	X(RSTD_ERROR_SHAPE, 4, "a shape is negative or does not fit the others")                                       \
	X(RSTD_ERROR_DIM, 5, "an axis is out of range or named twice")                                                 \
	X(RSTD_ERROR_CORRECTION, 6, "a correction is negative")                                                        \
	X(RSTD_ERROR_OVERLAP, 7, "an output overlaps itself, another output or an input")                              \
	X(RSTD_ERROR_OVERFLOW, 8, "a size or a count is too large")                                                    \
	X(RSTD_ERROR_NO_MEMORY, 9, "memory could not be allocated")                                                    \
	X(RSTD_ERROR_ARGUMENT, 10, "an argument has a value that is not allowed")                                      \
	X(RSTD_ERROR_FORMAT, 11, "serialised bytes are malformed")

typedef enum rstd_status {
#define RSTD_STATUS_ENUM(name, number, text) name = number,
	RSTD_STATUS_MAP(RSTD_STATUS_ENUM)
#undef RSTD_STATUS_ENUM
} rstd_status;

/* The text of a status, as in RSTD_STATUS_MAP; "unknown status" for any other number. Static storage. */
RSTD_API const char *rstd_status_string(rstd_status status);

/*
 * rstd_last_error() - what the last failing call on this thread complained about, one sentence.
 *
 * Never NULL; "" when no call on this thread has failed yet. A successful call leaves it as it is. The text is
 * valid until the next failing call on the same thread.
 */
RSTD_API const char *rstd_last_error(void);

/* ---- Tensors ------------------------------------------------------------------------------------------------ */

#define RSTD_MAX_RANK 8

typedef enum rstd_dtype {
	RSTD_F32 = 1,  /* IEEE 754 binary32 */
	RSTD_F16 = 2,  /* IEEE 754 binary16 */
	RSTD_BF16 = 3, /* bfloat16: the upper half of a binary32 */
} rstd_dtype;

/*
 * A view of elements that somebody else owns. Element (i0, i1, ...) lies (i0 * strides[0] + i1 * strides[1] + ...)
 * elements after data. Inputs may have any strides: positive, negative, and 0, which repeats an element and is how a
 * broadcast mean costs nothing. data may have any alignment, and may be NULL when the view has no elements. Inputs are
 * never written through data, and may overlap each other.
 *
 * Outputs may have any strides under which no two elements share memory, and may share none with inputs or with each
 * other; else a call fails with OVERLAP. Views that interleave, as two columns of one matrix do, are told apart
 * exactly: the search for a common byte is short for all but contrived strides, and after a million steps the call is
 * refused although it might be right.
 *
 * From the lowest to the highest byte a view with elements reaches over at most PTRDIFF_MAX / 4 bytes, and it has at
 * most INT64_MAX elements; else a call fails with OVERFLOW.
 */
typedef struct rstd_tensor {
	void *data;
	rstd_dtype dtype;
	size_t rank;                    /* 0 to RSTD_MAX_RANK */
	int64_t shape[RSTD_MAX_RANK];   /* in elements, each >= 0; entries from rank on are ignored */
	int64_t strides[RSTD_MAX_RANK]; /* in elements; entries from rank on are ignored */
} rstd_tensor;

/*
 * rstd_tensor_contiguous() - fill in a row-major view.
 *
 * tensor  out: data, dtype, rank, shape as given, strides row-major
 * shape   in:  rank lengths; may be NULL when rank is 0
 *
 * data may be NULL: it is only stored. tensor is written on success only.
 *
 * Fails with NULL_POINTER, DTYPE, RANK, SHAPE (a negative length) or OVERFLOW (more than PTRDIFF_MAX / 4 bytes).
 */
RSTD_API rstd_status rstd_tensor_contiguous(rstd_tensor *tensor, void *data, rstd_dtype dtype, size_t rank,
                                            const int64_t *shape);

/*
 * rstd_infer_shape() - the shape of the outputs of a reduction.
 *
 * shape      in:  rank lengths of the input; may be NULL when rank is 0
 * dim        in:  dim_count axes; may be NULL when dim_count is 0
 * keepdim    in:  whether reduced axes stay, with length 1. Rank 0 stays rank 0.
 * out_shape  out: at least RSTD_MAX_RANK entries, of which *out_rank are written
 * out_rank   out: the rank that is left
 *
 * Fails with NULL_POINTER, RANK, SHAPE (a negative length), DIM or OVERFLOW (more than INT64_MAX elements).
 */
RSTD_API rstd_status rstd_infer_shape(const int64_t *shape, size_t rank, const int64_t *dim, size_t dim_count,
                                      bool keepdim, int64_t *out_shape, size_t *out_rank);

/* ---- The operators, in one call ------------------------------------------------------------------------------ */

/* The attributes of ReduceStdWithMean. Start from RSTD_REDUCE_ATTRS_DEFAULT and change what you mean. */
typedef struct rstd_reduce_attrs {
	const int64_t *dim; /* axes to reduce; may be NULL when dim_count is 0 */
	size_t dim_count;   /* 0: every axis */
	bool unbiased;      /* false: the divisor is N, as if correction were 0 */
	bool keepdim;       /* reduced axes stay, with length 1 */
	bool invert;        /* 1 / sqrt(S / N + epsilon) in place of sqrt(S / max(0, N - correction)) */
	float epsilon;      /* in units of x squared; used only with invert; any float, also negative or NaN */
	int64_t correction; /* >= 0: 0 population, 1 sample (Bessel) */
} rstd_reduce_attrs;

/* clang-format off */
#define RSTD_REDUCE_ATTRS_DEFAULT { NULL, 0, true, false, false, 0.001f, 1 }
/* clang-format on */

/*
 * rstd_reduce_std_with_mean() - standard deviation over some axes, about a given mean.
 *
 * x      in:  any strides
 * mean   in:  dtype, shape and units of x (strides of 0 broadcast it); need not be the mean of x
 * attrs  in:  NULL means RSTD_REDUCE_ATTRS_DEFAULT
 * y      out: dtype of x, shape as rstd_infer_shape() says; units of x, or 1/x with invert
 *
 * y = sqrt(S / max(0, N - correction)) over each slice of N elements, S = sum (x - mean)^2; with invert,
 * 1 / sqrt(S / N + epsilon). S/0 is +Inf for S > 0; 0/0 and N = 0 give NaN. NaN and Inf follow IEEE.
 * Source: CANN's operator ReduceStdWithMean.
 *
 * Fails with NULL_POINTER (a tensor, or the data of one that has elements), DTYPE, RANK, SHAPE, DIM, CORRECTION,
 * OVERLAP, OVERFLOW, or NO_MEMORY (a few outputs of many elements on several threads need a workspace; small calls
 * allocate nothing).
 */
RSTD_API rstd_status rstd_reduce_std_with_mean(const rstd_tensor *x, const rstd_tensor *mean,
                                               const rstd_reduce_attrs *attrs, const rstd_tensor *y);

/*
 * rstd_std_mean() - standard deviation and mean over some axes, in one pass.
 *
 * x           in:  any strides
 * dim         in:  dim_count axes; may be NULL when dim_count is 0
 * correction  in:  >= 0; the divisor is max(0, N - correction)
 * std, mean   out: any of the three dtypes, each rounded once to its own; shape as rstd_infer_shape() says. Either may
 *                  be NULL when it is not wanted, but not both.
 *
 * The mean is the slice's own exact one. S/0 is +Inf for S > 0; 0/0 and N = 0 give NaN. A NaN or Inf in a slice makes
 * its std NaN; the mean is then +-Inf when infinities of one sign and no NaN occur, else NaN.
 * Source: torch.std_mean, CANN's aclnnStd and aclnnStdMeanCorrection.
 *
 * Fails as rstd_reduce_std_with_mean() does; with NULL_POINTER also when std and mean are both NULL.
 */
RSTD_API rstd_status rstd_std_mean(const rstd_tensor *x, const int64_t *dim, size_t dim_count, int64_t correction,
                                   bool keepdim, const rstd_tensor *std, const rstd_tensor *mean);

/*
 * rstd_batch_norm_stats() - the mean of each channel, and 1 / sqrt(variance + eps).
 *
 * x       in:  rank 2 to 8; axis 1 is the channel axis, of length C >= 1; the other axes are reduced
 * eps     in:  in units of x squared; converted to float first, as CANN does; any value
 * mean    out: RSTD_F32, shape [C]; may be NULL when it is not wanted
 * invstd  out: RSTD_F32, shape [C], units of 1/x; may be NULL when it is not wanted, but not both
 *
 * The variance is the biased one, S / N. Without elements (N = 0) the mean is 0 and invstd NaN, as CANN has it.
 * Source: CANN's aclnnBatchNormStats, torch.batch_norm_stats.
 *
 * Fails with NULL_POINTER (also when mean and invstd are both NULL), DTYPE, RANK, SHAPE (also for C = 0), OVERLAP,
 * OVERFLOW or NO_MEMORY, each as above.
 */
RSTD_API rstd_status rstd_batch_norm_stats(const rstd_tensor *x, double eps, const rstd_tensor *mean,
                                           const rstd_tensor *invstd);

/* ---- Plans: check and choose once, run often ----------------------------------------------------------------- */

/*
 * A plan holds the decisions for one operator on one set of shapes, strides and dtypes: it never holds data. Running
 * it does arithmetic only: it allocates nothing, and one plan may be run by several threads at once, each with its own
 * workspace and outputs. The number of threads and the instruction set are those in force when the plan is made.
 */
typedef struct rstd_plan rstd_plan;

/*
 * The three constructors check what the one-shot calls check, except data: the data pointers of the tensors are not
 * looked at, and the tensors and attributes are not needed after the call. On success *plan is a new plan for the
 * caller to give to rstd_plan_destroy(); on failure *plan is NULL.
 *
 * Each fails as its one-shot call does, with NULL_POINTER also when plan is NULL, with OVERLAP only for an output that
 * overlaps itself, and with NO_MEMORY when there is none for the plan.
 */
RSTD_API rstd_status rstd_plan_reduce_std_with_mean(rstd_plan **plan, const rstd_tensor *x, const rstd_tensor *mean,
                                                    const rstd_reduce_attrs *attrs, const rstd_tensor *y);
RSTD_API rstd_status rstd_plan_std_mean(rstd_plan **plan, const rstd_tensor *x, const int64_t *dim, size_t dim_count,
                                        int64_t correction, bool keepdim, const rstd_tensor *std,
                                        const rstd_tensor *mean);
RSTD_API rstd_status rstd_plan_batch_norm_stats(rstd_plan **plan, const rstd_tensor *x, double eps,
                                                const rstd_tensor *mean, const rstd_tensor *invstd);

/* Bytes of workspace that each concurrent rstd_plan_run() needs; 0 for most plans. 0 when plan is NULL. Never fails. */
RSTD_API size_t rstd_plan_workspace_size(const rstd_plan *plan);

/*
 * rstd_plan_run() - do the arithmetic of a plan.
 *
 * x          in:  the data pointer of x; may be NULL when x has no elements
 * given      in:  that of the given mean, likewise; NULL unless the plan is one of ReduceStdWithMean
 * y          out: that of the output y, std or invstd; NULL when the plan was made without it
 * mean       out: that of the mean that std_mean and batch_norm_stats give; NULL when the plan was made without it
 * workspace       rstd_plan_workspace_size() bytes of any alignment; may be NULL when that is 0. Contents are lost. It
 *                 must share no memory with the operands, which is not checked.
 *
 * The pointers may have any alignment and differ from run to run. Where the address ranges of operands cross, each run
 * searches for a common byte anew.
 *
 * Fails with NULL_POINTER (also for the plan), ARGUMENT (a pointer to a tensor that the plan has not) or OVERLAP.
 */
RSTD_API rstd_status rstd_plan_run(const rstd_plan *plan, const void *x, const void *given, void *y, void *mean,
                                   void *workspace);

/* Frees a plan. NULL is allowed. No run of the plan may be in progress. */
RSTD_API void rstd_plan_destroy(rstd_plan *plan);

/* ---- Moments: data that comes in pieces ---------------------------------------------------------------------- */

/*
 * The exact state of one slice: count, sum and sum of squares as integers. Merging is integer addition, so any split
 * of the data, merged in any order, gives the same bits. A struct of zeros is the state of no data, and it may be
 * copied by assignment. Source: the long accumulator of Kulisch, Computer Arithmetic and Validity, 2008.
 */
typedef struct rstd_moments {
	uint64_t count;         /* elements seen, NaN and Inf included; at most INT64_MAX */
	uint64_t nan_count;     /* of these, NaNs */
	uint64_t pos_inf_count; /* +Inf */
	uint64_t neg_inf_count; /* -Inf */
	uint64_t sum[6];        /* sum of the finite x, two's complement, least limb first, in units of 2^-149 */
	uint64_t sum_sq[10];    /* sum of the finite x^2, least limb first, in units of 2^-298 */
} rstd_moments;

/*
 * rstd_moments_update() - add the elements of a tensor.
 *
 * moments  in/out: moments_count states, one for each output of a reduction of x over dim, in row-major order of the
 *                  kept axes
 * x        in:     any strides; with dim_count 0 every element goes to the one state. Its data must share no memory
 *                  with the states, which is not checked.
 *
 * Large updates are shared by the threads that rstd_set_num_threads() says. Many outputs take memory during
 * the call, at most some 600 bytes for each output and thread; where there is none, one thread does all.
 *
 * Fails with NULL_POINTER, DTYPE, RANK, DIM, SHAPE (a negative length, or moments_count is not the number of outputs)
 * or OVERFLOW (of x, or a count would pass INT64_MAX); the states are then as before.
 */
RSTD_API rstd_status rstd_moments_update(rstd_moments *moments, size_t moments_count, const rstd_tensor *x,
                                         const int64_t *dim, size_t dim_count);

/*
 * Adds count states to count others, one to one: into[i] += from[i]. The arrays are the same or apart. Fails with
 * NULL_POINTER or OVERFLOW (a count would pass INT64_MAX); the states are then as before.
 */
RSTD_API rstd_status rstd_moments_merge(rstd_moments *into, const rstd_moments *from, size_t count);

/*
 * The results of count states, as contiguous arrays of count elements of dtype; the same bits as the operators give
 * for the whole data: std as rstd_std_mean() (S/0 is +Inf, no data gives NaN), mean likewise (no data gives NaN), and
 * invstd = 1 / sqrt(S / N + epsilon), with epsilon, in units of x squared, converted to float first; invstd has units
 * of 1/x. The arrays may have any alignment and must be apart from the states. These results are not among those that
 * rstd_get_level_counts() counts.
 *
 * Fail with NULL_POINTER, DTYPE or CORRECTION (rstd_moments_std() alone); nothing has then been written.
 */
RSTD_API rstd_status rstd_moments_std(const rstd_moments *moments, size_t count, int64_t correction, rstd_dtype dtype,
                                      void *std);
RSTD_API rstd_status rstd_moments_mean(const rstd_moments *moments, size_t count, rstd_dtype dtype, void *mean);
RSTD_API rstd_status rstd_moments_invstd(const rstd_moments *moments, size_t count, double epsilon, rstd_dtype dtype,
                                         void *invstd);

/*
 * The state as plain bytes, the same on every machine. Layout, version 1, all integers little-endian: the 8 bytes
 * "rstdmom" and 1; count, nan_count, pos_inf_count, neg_inf_count (8 bytes each); sum (48 bytes); sum_sq (80 bytes).
 *
 * rstd_moments_store() fails with NULL_POINTER. rstd_moments_load() fails with NULL_POINTER, or with FORMAT when the
 * size, the magic, the version or a count is wrong; *moments is then as before. Sums that no data has are loaded as
 * they are, and give results that mean nothing.
 */
#define RSTD_MOMENTS_BYTES 168
RSTD_API rstd_status rstd_moments_store(const rstd_moments *moments, unsigned char bytes[RSTD_MOMENTS_BYTES]);
RSTD_API rstd_status rstd_moments_load(rstd_moments *moments, const unsigned char *bytes, size_t size);

/* ---- Threads, instruction sets, counters --------------------------------------------------------------------- */

/*
 * rstd_set_num_threads() - how many threads a call may use, the calling one included.
 *
 * 0 asks for the default: the environment variable RSTD_NUM_THREADS if it is a number from 1 to 1024, else the CPUs
 * that this process may run on. The default is worked out once, at first need. Small work uses one thread whatever this
 * says, and the result never depends on it. A plan keeps the number that it was made under.
 * Fails with ARGUMENT outside 0 to 1024.
 */
RSTD_API rstd_status rstd_set_num_threads(int threads);

/* The number in force, 1 to 1024: what was set, or the default. */
RSTD_API int rstd_get_num_threads(void);

/*
 * rstd_set_isa() - force an instruction set, for tests and benchmarks; the result never depends on it.
 *
 * name: one of rstd_isa_name(), or NULL for the default: the environment variable RSTD_ISA if it names a set that this
 * machine has, else the best one. The variable is read at the first need of an instruction set, and by this call with
 * NULL. A plan keeps the set that it was made under.
 * Fails with ARGUMENT for an unknown name or a set that this machine has not.
 */
RSTD_API rstd_status rstd_set_isa(const char *name);

/* The name of the instruction set in force, never NULL. Static storage. */
RSTD_API const char *rstd_get_isa(void);

/*
 * The instruction sets that this machine has, best first, of "avx512", "avx2", "neon" and "scalar", which is plain C
 * and always there. NULL past the last. Static storage.
 */
RSTD_API const char *rstd_isa_name(size_t index);

/*
 * How many outputs were settled at each level of the ladder (docs/numerics.md), by all threads since the reset. A
 * standard deviation and a mean of the same slice count as one output, at the higher of their levels.
 */
typedef struct rstd_level_counts {
	uint64_t fast;    /* level 0: binary32 or binary64 sums and their error bound, one read or two; NaN, Inf */
	uint64_t precise; /* level 1: binary64 sums of numbers that are cut in pieces */
	uint64_t exact;   /* level 2: integers of any size */
} rstd_level_counts;

/* Fails with NULL_POINTER. While other threads compute, the three numbers need not be of one moment. */
RSTD_API rstd_status rstd_get_level_counts(rstd_level_counts *counts);

/* Sets all counts to 0. */
RSTD_API void rstd_reset_level_counts(void);

#ifdef __cplusplus
}
#endif

#endif /* RSTD_RSTD_H */
