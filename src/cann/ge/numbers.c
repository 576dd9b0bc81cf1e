/*
 * numbers.c - the numbers of dtypes, formats and kinds of values, and their names in files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "rstd/graph.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct {
	const char *name;
	int bits;
} dtypes[] = {
#define DTYPE(name, number, serial, bits) [number] = { serial, bits },
	RSTD_GE_DTYPE_MAP(DTYPE)
#undef DTYPE
};

/* The part after FORMAT_, but for the reserved one and those that the serial form shortens. */
static const char *const formats[] = {
	"NCHW",
	"NHWC",
	"ND",
	"NC1HWC0",
	"FRACTAL_Z",
	"NC1C0HWPAD",
	"NHWC1C0",
	"FSR_NCHW",
	"FRACTAL_DECONV",
	"C1HWNC0",
	"FRACTAL_DECONV_TRANSPOSE",
	"FRACTAL_DECONV_SP_STRIDE_TRANS",
	"NC1HWC0_C04",
	"FRACTAL_Z_C04",
	"CHWN",
	"DECONV_SP_STRIDE8_TRANS",
	"HWCN",
	"NC1KHKWHWC0",
	"BN_WEIGHT",
	"FILTER_HWCK",
	"LOOKUP_LOOKUPS",
	"LOOKUP_KEYS",
	"LOOKUP_VALUE",
	"LOOKUP_OUTPUT",
	"LOOKUP_HITS",
	"C1HWNCoC0",
	"MD",
	"NDHWC",
	"", /* FORMAT_FRACTAL_ZZ has none */
	"FRACTAL_NZ",
	"NCDHW",
	"DHWCN",
	"NDC1HWC0",
	"FRACTAL_Z_3D",
	"CN",
	"NC",
	"DHWNC",
	"FRACTAL_Z_3D_TRANSPOSE",
	"FRACTAL_ZN_LSTM",
	"FRACTAL_Z_G",
	"FORMAT_RESERVED",
	"ALL",
	"NULL",
	"ND_RNN_BIAS",
	"FRACTAL_ZN_RNN",
	"NYUV",
	"NYUV_A",
	"NCL",
	"FRACTAL_Z_WINO",
	"C1HWC0",
	"FRACTAL_NZ_C0_16",
	"FRACTAL_NZ_C0_32",
	"FRACTAL_NZ_C0_2",
	"FRACTAL_NZ_C0_4",
	"FRACTAL_NZ_C0_8",
};

int rstd_ge_dtype_size(int32_t dtype)
{
	int bits;

	if (dtype < 0 || (size_t)dtype >= COUNT(dtypes) || dtypes[dtype].bits == 0)
		return -1;
	bits = dtypes[dtype].bits;
	return bits >= 8 ? bits / 8 : 1000 + bits;
}

const char *rstd_ge_dtype_name(int32_t dtype)
{
	if (dtype < 0 || (size_t)dtype >= COUNT(dtypes) || !dtypes[dtype].name)
		return dtypes[RSTD_DT_UNDEFINED].name;
	return dtypes[dtype].name;
}

int32_t rstd_ge_dtype_from_name(const char *name)
{
	for (size_t i = 0; name && i < COUNT(dtypes); i++)
		if (dtypes[i].name && strcmp(dtypes[i].name, name) == 0)
			return (int32_t)i;
	return RSTD_DT_UNDEFINED;
}

const char *rstd_ge_format_name(int32_t format)
{
	if (format < 0 || (size_t)format >= COUNT(formats))
		return formats[RSTD_FORMAT_RESERVED];
	return formats[format];
}

int32_t rstd_ge_format_from_name(const char *name)
{
	for (size_t i = 0; name && *name && i < COUNT(formats); i++)
		if (strcmp(formats[i], name) == 0)
			return (int32_t)i;
	return RSTD_FORMAT_RESERVED;
}

const char *rstd_value_kind_name(rstd_value_kind kind)
{
	switch (kind) {
#define KIND(name, number, text)                                                                                       \
	case RSTD_VALUE_##name:                                                                                        \
		return text;
		RSTD_VALUE_MAP(KIND)
#undef KIND
	}
	return "VT_NONE";
}
