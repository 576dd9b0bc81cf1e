/*
 * types.h - data types, formats, placements, and the sets of types that operator prototypes name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and names are those of CANN's graph interface. Everything here is a constant or an inline function without
 * state: it may be used from any thread.
 */
#ifndef RSTD_CANN_GRAPH_TYPES_H
#define RSTD_CANN_GRAPH_TYPES_H

#include <climits>
#include <cstdint>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "./c_types.h"

namespace ge
{

using std::function;
using std::shared_ptr;
using std::string;
using std::vector;

using char_t = char;
using float32_t = float;
using float64_t = double;

constexpr int64_t UNKNOWN_DIM = -1;     /* a length that is not known yet */
constexpr int64_t UNKNOWN_DIM_NUM = -2; /* the only entry of a shape whose rank is not known yet */
static const std::vector<int64_t> UNKNOWN_SHAPE = { -1 };
static const std::vector<int64_t> UNKNOWN_RANK = { -2 };
static const std::vector<int64_t> DUMMY_SHAPE = { -3 };

enum DataType {
	DT_FLOAT = 0,
	DT_FLOAT16 = 1,
	DT_INT8 = 2,
	DT_INT32 = 3,
	DT_UINT8 = 4,
	DT_INT16 = 6,
	DT_UINT16 = 7,
	DT_UINT32 = 8,
	DT_INT64 = 9,
	DT_UINT64 = 10,
	DT_DOUBLE = 11,
	DT_BOOL = 12,
	DT_STRING = 13,
	DT_DUAL_SUB_INT8 = 14,
	DT_DUAL_SUB_UINT8 = 15,
	DT_COMPLEX64 = 16,
	DT_COMPLEX128 = 17,
	DT_QINT8 = 18,
	DT_QINT16 = 19,
	DT_QINT32 = 20,
	DT_QUINT8 = 21,
	DT_QUINT16 = 22,
	DT_RESOURCE = 23,
	DT_STRING_REF = 24,
	DT_DUAL = 25,
	DT_VARIANT = 26,
	DT_BF16 = 27,
	DT_UNDEFINED = 28,
	DT_INT4 = 29,
	DT_UINT1 = 30,
	DT_INT2 = 31,
	DT_UINT2 = 32,
	DT_COMPLEX32 = 33,
	DT_HIFLOAT8 = 34,
	DT_FLOAT8_E5M2 = 35,
	DT_FLOAT8_E4M3FN = 36,
	DT_FLOAT8_E8M0 = 37,
	DT_FLOAT6_E3M2 = 38,
	DT_FLOAT6_E2M3 = 39,
	DT_FLOAT4_E2M1 = 40,
	DT_FLOAT4_E1M2 = 41,
	DT_HIFLOAT4 = 42,
	DT_MAX = 43,
};

enum Format {
	FORMAT_NCHW = 0,
	FORMAT_NHWC = 1,
	FORMAT_ND = 2,
	FORMAT_NC1HWC0 = 3,
	FORMAT_FRACTAL_Z = 4,
	FORMAT_NC1C0HWPAD = 5,
	FORMAT_NHWC1C0 = 6,
	FORMAT_FSR_NCHW = 7,
	FORMAT_FRACTAL_DECONV = 8,
	FORMAT_C1HWNC0 = 9,
	FORMAT_FRACTAL_DECONV_TRANSPOSE = 10,
	FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
	FORMAT_NC1HWC0_C04 = 12,
	FORMAT_FRACTAL_Z_C04 = 13,
	FORMAT_CHWN = 14,
	FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
	FORMAT_HWCN = 16,
	FORMAT_NC1KHKWHWC0 = 17,
	FORMAT_BN_WEIGHT = 18,
	FORMAT_FILTER_HWCK = 19,
	FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20,
	FORMAT_HASHTABLE_LOOKUP_KEYS = 21,
	FORMAT_HASHTABLE_LOOKUP_VALUE = 22,
	FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23,
	FORMAT_HASHTABLE_LOOKUP_HITS = 24,
	FORMAT_C1HWNCoC0 = 25,
	FORMAT_MD = 26,
	FORMAT_NDHWC = 27,
	FORMAT_FRACTAL_ZZ = 28,
	FORMAT_FRACTAL_NZ = 29,
	FORMAT_NCDHW = 30,
	FORMAT_DHWCN = 31,
	FORMAT_NDC1HWC0 = 32,
	FORMAT_FRACTAL_Z_3D = 33,
	FORMAT_CN = 34,
	FORMAT_NC = 35,
	FORMAT_DHWNC = 36,
	FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
	FORMAT_FRACTAL_ZN_LSTM = 38,
	FORMAT_FRACTAL_Z_G = 39,
	FORMAT_RESERVED = 40,
	FORMAT_ALL = 41,
	FORMAT_NULL = 42,
	FORMAT_ND_RNN_BIAS = 43,
	FORMAT_FRACTAL_ZN_RNN = 44,
	FORMAT_NYUV = 45,
	FORMAT_NYUV_A = 46,
	FORMAT_NCL = 47,
	FORMAT_FRACTAL_Z_WINO = 48,
	FORMAT_C1HWC0 = 49,
	FORMAT_FRACTAL_NZ_C0_16 = 50,
	FORMAT_FRACTAL_NZ_C0_32 = 51,
	FORMAT_FRACTAL_NZ_C0_2 = 52,
	FORMAT_FRACTAL_NZ_C0_4 = 53,
	FORMAT_FRACTAL_NZ_C0_8 = 54,
	FORMAT_END = 55,
	FORMAT_MAX = 255,
};

/* Where the bytes of a tensor are. Everything is on the host here, whatever a descriptor says. */
enum Placement {
	kPlacementHost = 0,
	kPlacementDevice = 1,
	kPlacementEnd = 2,
};

enum DeviceType {
	NPU = 0,
	CPU = 1,
};

/* What GetSizeByDataType() adds to the size in bits of a type that is smaller than a byte. */
constexpr int32_t kDataTypeSizeBitOffset = 1000;

/* Bytes of one element; 1000 + bits for types of less than a byte; -1 for types without a size. */
inline int GetSizeByDataType(DataType data_type)
{
	static const int sizes[DT_MAX] = {
		4, 2, 1,  4, 1, -1, 2,  2,    4,    8,    8,    8, 1, -1, 1, 1, 8,    16,   1,    2,    4,    1,
		2, 8, -1, 5, 8, 2,  -1, 1004, 1001, 1002, 1002, 4, 1, 1,  1, 1, 1006, 1006, 1004, 1004, 1004,
	};
	return data_type < 0 || data_type >= DT_MAX ? -1 : sizes[data_type];
}

/* Bytes of element_count elements, rounded up to whole bytes; -1 for a negative count, no size, or overflow. */
inline int64_t GetSizeInBytes(int64_t element_count, DataType data_type)
{
	const int64_t size = GetSizeByDataType(data_type);
	if (element_count < 0 || size < 0)
		return -1;
	if (size < kDataTypeSizeBitOffset)
		return size != 0 && element_count > INT64_MAX / size ? -1 : element_count * size;
	const int64_t bits = size - kDataTypeSizeBitOffset;
	return element_count > (INT64_MAX - 7) / bits ? -1 : (element_count * bits + 7) / 8;
}

/* The name without FORMAT_, of the primary format in the lowest byte; "UNKNOWN" for a number without a name. */
inline const char_t *GetFormatName(Format format)
{
	static const char_t *const names[FORMAT_END] = {
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
		"UNKNOWN",
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
	const unsigned primary = static_cast<unsigned>(format) & 0xffU;
	return primary < static_cast<unsigned>(FORMAT_END) ? names[primary] : "UNKNOWN";
}

/*
 * A format is packed: bits 0 to 7 hold the primary format, 8 to 23 a sub-format (the groups of FRACTAL_Z_G, say), and 24
 * to 27 one more than the binary logarithm of C0, or 0 where no C0 is given.
 */
inline int32_t GetPrimaryFormat(int32_t format)
{
	return format & 0xff;
}
inline int32_t GetSubFormat(int32_t format)
{
	return (format & 0xffff00) >> 8;
}
inline bool HasSubFormat(int32_t format)
{
	return GetSubFormat(format) > 0;
}
inline int32_t GetFormatFromSub(int32_t primary_format, int32_t sub_format)
{
	return (primary_format & 0xff) | ((sub_format & 0xffff) << 8);
}
inline bool HasC0Format(int32_t format)
{
	return ((format & 0xf000000) >> 24) > 0;
}
inline int64_t GetC0Value(int32_t format)
{
	return HasC0Format(format) ? static_cast<int64_t>(1) << (((format & 0xf000000) >> 24) - 1) : -1;
}
inline int32_t GetFormatFromC0(int32_t format, int32_t c0_format)
{
	return (format & 0xffffff) | ((c0_format & 0xf) << 24);
}
inline int32_t GetFormatFromSubAndC0(int32_t primary_format, int32_t sub_format, int32_t c0_format)
{
	return GetFormatFromC0(GetFormatFromSub(primary_format, sub_format), c0_format);
}

/* The data types that an input or output of an operator may have. A value; copies are independent. */
class TensorType
{
      public:
	explicit TensorType(DataType dt) : types_(1, dt)
	{
	}
	TensorType(const std::initializer_list<DataType> &initial_types) : types_(initial_types)
	{
	}

	const std::vector<DataType> &GetTypes() const
	{
		return types_;
	}

	static TensorType ALL()
	{
		return BasicType() + TensorType{ DT_BOOL, DT_RESOURCE, DT_STRING };
	}
	static TensorType QuantifiedType()
	{
		return TensorType{ DT_QINT8, DT_QINT16, DT_QINT32, DT_QUINT8, DT_QUINT16 };
	}
	static TensorType OrdinaryType()
	{
		return RealNumberType() + ComplexDataType() + TensorType(DT_BOOL);
	}
	static TensorType BasicType()
	{
		return RealNumberType() + ComplexDataType() + QuantifiedType();
	}
	static TensorType NumberType()
	{
		return RealNumberType() + ComplexDataType() + TensorType{ DT_QINT8, DT_QINT32, DT_QUINT8 };
	}
	static TensorType RealNumberType()
	{
		return IntegerDataType() + TensorType{ DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BF16 };
	}
	static TensorType ComplexDataType()
	{
		return TensorType{ DT_COMPLEX32, DT_COMPLEX64, DT_COMPLEX128 };
	}
	static TensorType IntegerDataType()
	{
		return SignedDataType() + UnsignedDataType();
	}
	static TensorType SignedDataType()
	{
		return TensorType{ DT_INT8, DT_INT16, DT_INT32, DT_INT64 };
	}
	static TensorType UnsignedDataType()
	{
		return TensorType{ DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64 };
	}
	static TensorType FloatingDataType()
	{
		return TensorType{ DT_DOUBLE, DT_FLOAT, DT_FLOAT16 };
	}
	static TensorType IndexNumberType()
	{
		return TensorType{ DT_INT32, DT_INT64 };
	}
	static TensorType UnaryDataType()
	{
		return ComplexDataType() + TensorType{ DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_BF16 };
	}
	static TensorType FLOAT()
	{
		return TensorType{ DT_FLOAT, DT_FLOAT16, DT_BF16 };
	}

      private:
	friend TensorType operator+(TensorType left, const TensorType &right)
	{
		/* one by one: gcc 12 takes insert(), once inlined, for an access out of bounds */
		for (const DataType type : right.types_)
			left.types_.push_back(type);
		return left;
	}

	std::vector<DataType> types_;
};

/* The data types of each tensor of a dynamic input or output. */
class ListTensorType
{
      public:
	explicit ListTensorType(const TensorType &type) : type_(type)
	{
	}

	const TensorType &GetType() const
	{
		return type_;
	}

      private:
	TensorType type_;
};

/* The type that results from promoting those of several symbols, as in Promote({"T1", "T2"}). Moves, does not copy. */
class Promote
{
      public:
	Promote(const std::initializer_list<const char_t *> &syms) : symbols_(syms.begin(), syms.end())
	{
	}
	Promote(Promote &&) = default;
	Promote &operator=(Promote &&) = default;
	Promote(const Promote &) = delete;
	Promote &operator=(const Promote &) = delete;

	std::vector<const char_t *> Syms() const
	{
		return symbols_;
	}

      private:
	std::vector<const char_t *> symbols_;
};

} /* namespace ge */

#endif /* RSTD_CANN_GRAPH_TYPES_H */
