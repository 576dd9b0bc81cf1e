/*
 * table_tmpl.h - the bodies joined: one table of kernels for one instruction set
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Includer: a simd_*.h, and FN(name), which gives the names of this instruction set.
 */
#include <math.h>
#include <stdalign.h>

#include "kernels/binary32.h"
#include "kernels/dense_tmpl.h"
#include "kernels/finish_tmpl.h"
#include "kernels/settle_tmpl.h"
#include "kernels/short_tmpl.h"
#include "kernels/split_tmpl.h"
#include "kernels/std_short_tmpl.h"
#include "kernels/sums_tmpl.h"
#include "kernels/vectors.h"
#include "kernels/windows_tmpl.h"
#include "kernels/words_tmpl.h"

/*
 * Roundings on the way of one term of a row: additions in the loop and for the last vectors, the tree over ROW_ACCS
 * sums, one addition for each block, and the lanes.
 */
#define ROW_CHAIN  (ROW_BLOCK / (ROW_ACCS * VL) + 1 + 2 + RSTD__ROW_RUN / ROW_BLOCK + VL)

#define SUMS(name) FN(name)
#define SUMS_F32
#define X        V
#define XL       VL
#define X_(word) v_##word
#define X_BLOCK  ROW_BLOCK
#include "kernels/cols_tmpl.h"
#include "kernels/rows_tmpl.h"
#if V_ROUGH
#undef SUMS
#undef SUMS_F32
#undef X
#undef XL
#undef X_
#undef X_BLOCK
#define SUMS(name) FN(rough_##name)
#define X          F
#define XL         FL
#define X_(word)   f_##word
#define X_BLOCK    ROUGH_BLOCK
#include "kernels/cols_tmpl.h"
#include "kernels/rows_tmpl.h"

_Static_assert(ROUGH_TURNS + 1 + 2 <= RSTD__ROUGH_ROW_CHAIN, "a chain of rough row sums is too long");
_Static_assert(RSTD__ROW_RUN / ROUGH_BLOCK + 1 + VL <= ROW_CHAIN, "the binary64 chain of rough row sums is too long");
_Static_assert(RSTD__COL_PART + 1 <= RSTD__ROUGH_COL_CHAIN, "a chain of rough column sums is too long");
#endif

/*
 * Roundings on the way of one term of a panel of columns: those of its part of a group in a register, the two parts,
 * then one addition for each group. Packed rows come in blocks of one part at least.
 */
#define COL_CHAIN (RSTD__COL_PART + 1 + RSTD__PANEL_ROWS / RSTD__COL_PART)

/* The products of level 0 are rounded apart from their sums where there is no fused operation. */
const struct rstd__kernels FN(rstd__kernels) = {
	.row_chain = ROW_CHAIN + V_SPLIT,
	.col_chain = COL_CHAIN + V_SPLIT,
	.fine = {
		.row_moments = { FN(row_moments_f32), FN(row_moments_f16), FN(row_moments_bf16) },
		.row_ssd = { FN(row_ssd_f32), FN(row_ssd_f16), FN(row_ssd_bf16) },
		.short_moments = { FN(short_moments_f32), FN(short_moments_f16), FN(short_moments_bf16) },
		.short_ssd = { FN(short_ssd_f32), FN(short_ssd_f16), FN(short_ssd_bf16) },
		.dense_moments = { FN(dense_moments_f32), FN(dense_moments_f16), FN(dense_moments_bf16) },
		.col_moments = { FN(col_moments_f32), FN(col_moments_f16), FN(col_moments_bf16) },
		.col_ssd = { FN(col_ssd_f32), FN(col_ssd_f16), FN(col_ssd_bf16) },
	},
#if V_ROUGH
	.rough_step = 2 * FL,
	.rough = {
		.short_moments = { [RSTD__F16] = FN(rough_short_moments_f16), [RSTD__BF16] = FN(rough_short_moments_bf16) },
		.row_moments = { [RSTD__F16] = FN(rough_row_moments_f16), [RSTD__BF16] = FN(rough_row_moments_bf16) },
		.row_ssd = { [RSTD__F16] = FN(rough_row_ssd_f16), [RSTD__BF16] = FN(rough_row_ssd_bf16) },
		.col_moments = { [RSTD__F16] = FN(rough_col_moments_f16), [RSTD__BF16] = FN(rough_col_moments_bf16) },
		.col_ssd = { [RSTD__F16] = FN(rough_col_ssd_f16), [RSTD__BF16] = FN(rough_col_ssd_bf16) },
	},
#endif
	.std = { FN(std_f32), FN(std_f16), FN(std_bf16) },
	.merge = FN(merge),
	.finish = FN(finish),
	.settle = FN(settle),
	.place_windows = FN(place_windows),
	.window_rows = { FN(window_rows_f32), FN(window_rows_f16), FN(window_rows_bf16) },
	.window_columns = FN(window_columns),
	.settle_windows = FN(settle_windows),
	.narrow = { FN(narrow_f32), FN(narrow_f16), FN(narrow_bf16) },
	.widen = { FN(widen_f32), FN(widen_f16), FN(widen_bf16) },
	.range = { FN(range_f32), FN(range_f16), FN(range_bf16) },
	.grain = { FN(grain_f32), FN(grain_f16), FN(grain_bf16) },
	.halves = FN(halves),
	.split_cols = { FN(split_cols_f32), FN(split_cols_f16), FN(split_cols_bf16) },
	.split = { FN(split_f32), FN(split_f16), FN(split_bf16) },
};
