/*
 * graph.h - graphs of operators: build, infer shapes, run, save, show; what CANN calls graph mode, in plain C
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An rstd_op is an operator as a program describes it: a type, a name, inputs and outputs with their descriptions
 * (descs), attributes, and links to other operators. An rstd_graph is built from linked operators; its rstd_nodes are
 * those operators in the graph's own order, with edges that can be edited there. An rstd_session runs graphs. Numbers
 * of dtypes, formats and errors, and all rules that a program can see, are those of CANN's GE.
 *
 * Rules that hold for every function here, unless its comment says otherwise:
 *
 *   Errors      A function that can fail returns an rstd_ge_status. On anything but RSTD_GE_SUCCESS nothing was
 *               changed, and the reason lies in the calling thread's messages (rstd_ge_take_errors). Nothing is
 *               printed, and no call aborts, exits or raises a signal. Running out of memory is RSTD_GE_FAILED.
 *   NULL        A handle or a required pointer that is NULL gives RSTD_GE_NULL_PTR, or 0, NULL or -1 from a function
 *               that returns a count, a pointer or an index. No message.
 *   Ownership   rstd_*_new() and other functions whose comment says "new reference" give one reference to the caller,
 *               who gives it back with rstd_*_unref(). All other pointers that are returned are borrowed. What a
 *               caller passes in is copied during the call; what a struct that was filled in points to belongs to the
 *               object it was read from, and is valid until that item of the object changes or the object goes.
 *   Threads     References may be taken, given back and passed around by any thread. Messages belong to a thread.
 *               Sessions lock themselves. Operators, graphs and nodes do not: one that is being changed must not be
 *               used by another thread; that includes operators linked to it, and graphs that a session runs.
 *   Strings     Names are C strings of any length; NULL where a name is expected counts as "".
 */
#ifndef RSTD_GRAPH_H
#define RSTD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(RSTD_GRAPH_BUILD) && defined(__GNUC__)
#define RSTD_GRAPH_API __attribute__((visibility("default")))
#else
#define RSTD_GRAPH_API
#endif

/* ---- Status ------------------------------------------------------------------------------------------------- */

typedef uint32_t rstd_ge_status;

#define RSTD_GE_SUCCESS             UINT32_C(0)
#define RSTD_GE_FAILED              UINT32_C(0xFFFFFFFF)
#define RSTD_GE_PARAM_INVALID       UINT32_C(50331649)
#define RSTD_GE_WITHOUT_CONST_INPUT UINT32_C(50331648)
#define RSTD_GE_PARAM_OUT_OF_RANGE  UINT32_C(50331644)
#define RSTD_GE_NULL_PTR            UINT32_C(50331538)
#define RSTD_GE_GRAPH_NOT_EXIST     UINT32_C(1343242242)

/* ---- Numbers ------------------------------------------------------------------------------------------------ */

/* X(name, number of ge::DataType, serial name, bits of an element or 0) */
/* clang-format off */
#define RSTD_GE_DTYPE_MAP(X) \
	X(FLOAT, 0, "DT_FLOAT", 32)                  X(FLOAT16, 1, "DT_FLOAT16", 16) \
	X(INT8, 2, "DT_INT8", 8)                     X(INT32, 3, "DT_INT32", 32) \
	X(UINT8, 4, "DT_UINT8", 8)                   X(INT16, 6, "DT_INT16", 16) \
	X(UINT16, 7, "DT_UINT16", 16)                X(UINT32, 8, "DT_UINT32", 32) \
	X(INT64, 9, "DT_INT64", 64)                  X(UINT64, 10, "DT_UINT64", 64) \
	X(DOUBLE, 11, "DT_DOUBLE", 64)               X(BOOL, 12, "DT_BOOL", 8) \
	X(STRING, 13, "DT_STRING", 0)                X(DUAL_SUB_INT8, 14, "DT_DUAL_SUB_INT8", 8) \
	X(DUAL_SUB_UINT8, 15, "DT_DUAL_SUB_UINT8", 8) X(COMPLEX64, 16, "DT_COMPLEX64", 64) \
	X(COMPLEX128, 17, "DT_COMPLEX128", 128)      X(QINT8, 18, "DT_QINT8", 8) \
	X(QINT16, 19, "DT_QINT16", 16)               X(QINT32, 20, "DT_QINT32", 32) \
	X(QUINT8, 21, "DT_QUINT8", 8)                X(QUINT16, 22, "DT_QUINT16", 16) \
	X(RESOURCE, 23, "DT_RESOURCE", 64)           X(STRING_REF, 24, "DT_STRING_REF", 0) \
	X(DUAL, 25, "DT_DUAL", 40)                   X(VARIANT, 26, "DT_VARIANT", 64) \
	X(BF16, 27, "DT_BFLOAT16", 16)               X(UNDEFINED, 28, "DT_UNDEFINED", 0) \
	X(INT4, 29, "DT_INT4", 4)                    X(UINT1, 30, "DT_UINT1", 1) \
	X(INT2, 31, "DT_INT2", 2)                    X(UINT2, 32, "DT_UINT2", 2) \
	X(COMPLEX32, 33, "DT_COMPLEX32", 32)         X(HIFLOAT8, 34, "DT_HIFLOAT8", 8) \
	X(FLOAT8_E5M2, 35, "DT_FLOAT8_E5M2", 8)      X(FLOAT8_E4M3FN, 36, "DT_FLOAT8_E4M3FN", 8) \
	X(FLOAT8_E8M0, 37, "DT_FLOAT8_E8M0", 8)      X(FLOAT6_E3M2, 38, "DT_FLOAT6_E3M2", 6) \
	X(FLOAT6_E2M3, 39, "DT_FLOAT6_E2M3", 6)      X(FLOAT4_E2M1, 40, "DT_FLOAT4_E2M1", 4) \
	X(FLOAT4_E1M2, 41, "DT_FLOAT4_E1M2", 4)      X(HIFLOAT4, 42, "DT_HIFLOAT4", 4)
/* clang-format on */

enum {
#define RSTD_GE_DTYPE_ENUM(name, number, serial, bits) RSTD_DT_##name = number,
	RSTD_GE_DTYPE_MAP(RSTD_GE_DTYPE_ENUM)
#undef RSTD_GE_DTYPE_ENUM
};

enum { RSTD_FORMAT_NCHW = 0, RSTD_FORMAT_NHWC = 1, RSTD_FORMAT_ND = 2, RSTD_FORMAT_RESERVED = 40 };
enum { RSTD_PLACEMENT_HOST = 0, RSTD_PLACEMENT_DEVICE = 1 };

/* As ge::GetSizeByDataType: bytes; 1000 + bits for an element below a byte; -1 for what has no size. */
RSTD_GRAPH_API int rstd_ge_dtype_size(int32_t dtype);

/* The serial name, "DT_FLOAT"; "DT_UNDEFINED" for an unknown number. Static storage. */
RSTD_GRAPH_API const char *rstd_ge_dtype_name(int32_t dtype);

/* The number of a serial name; RSTD_DT_UNDEFINED for an unknown one. */
RSTD_GRAPH_API int32_t rstd_ge_dtype_from_name(const char *name);

/* The serial name of a format, "NCHW"; "FORMAT_RESERVED" for an unknown number; and back. */
RSTD_GRAPH_API const char *rstd_ge_format_name(int32_t format);
RSTD_GRAPH_API int32_t rstd_ge_format_from_name(const char *name);

/* ---- Messages ----------------------------------------------------------------------------------------------- */

/*
 * The errors (warnings) of the calling thread since the last call, oldest first, which are then cleared; "" when there
 * are none. First line `[PID: n] <time> <title>(<code>): <message>`; where more follow, a line `TraceBack (most recent
 * call last):` and one line each. Valid until the thread's next call of a function that can fail. At most 4 KiB are
 * kept; what does not fit is cut.
 */
RSTD_GRAPH_API const char *rstd_ge_take_errors(void);
RSTD_GRAPH_API const char *rstd_ge_take_warnings(void);

/* Adds a message to those of the calling thread, for faces built on this one. code: "E19999"; title: "Inner_Error". */
RSTD_GRAPH_API void rstd_ge_add_error(const char *code, const char *title, const char *message);
RSTD_GRAPH_API void rstd_ge_add_warning(const char *code, const char *title, const char *message);

/* ---- Descs, tensors, values --------------------------------------------------------------------------------- */

/* What is said of a tensor. Start from RSTD_DESC_DEFAULT. */
typedef struct rstd_desc {
	int32_t dtype;
	int32_t format, origin_format;
	int32_t placement;
	size_t rank;         /* number of dims; {-2}: unknown rank; 0 dims: a scalar */
	const int64_t *dims; /* -1: unknown length */
	size_t origin_rank;
	const int64_t *origin_dims;
	bool has_origin; /* the origin shape was set */
	bool has_shape;  /* a program said shape and dtype; false in a desc nobody has set */
	int64_t real_dim_count;
	int64_t size;                        /* bytes, as a program stated them */
	size_t range_count;                  /* pairs */
	const int64_t *ranges;               /* range_count pairs of least and most */
	const char *name, *expand_dims_rule; /* never NULL when read */
	size_t const_size;                   /* bytes of const_data */
	const void *const_data;
	bool has_reuse_input;
	uint32_t reuse_input;
} rstd_desc;

/* clang-format off */
#define RSTD_DESC_DEFAULT \
	{ RSTD_DT_FLOAT, RSTD_FORMAT_ND, RSTD_FORMAT_ND, RSTD_PLACEMENT_HOST, 0, NULL, 0, NULL, false, false, 0, 0, 0, NULL, \
	  "", "", 0, NULL, false, 0 }
/* clang-format on */

/* A tensor in memory: row-major elements, or for DT_STRING the text form of GE. */
typedef struct rstd_ge_tensor {
	rstd_desc desc;
	const void *data; /* may be NULL when size is 0 */
	size_t size;      /* bytes */
} rstd_ge_tensor;

/* X(name, number, type text of GE) */
#define RSTD_VALUE_MAP(X)                                                                                              \
	X(NONE, 0, "VT_NONE")                                                                                          \
	X(INT, 1, "VT_INT")                                                                                            \
	X(FLOAT, 2, "VT_FLOAT")                                                                                        \
	X(BOOL, 3, "VT_BOOL")                                                                                          \
	X(STRING, 4, "VT_STRING")                                                                                      \
	X(DTYPE, 5, "VT_DATA_TYPE")                                                                                    \
	X(BYTES, 6, "VT_BYTES")                                                                                        \
	X(TENSOR, 7, "VT_TENSOR")                                                                                      \
	X(DESC, 8, "VT_TENSOR_DESC")                                                                                   \
	X(NAMED_ATTRS, 9, "VT_NAMED_ATTRS")                                                                            \
	X(LIST_INT, 17, "VT_LIST_INT")                                                                                 \
	X(LIST_FLOAT, 18, "VT_LIST_FLOAT")                                                                             \
	X(LIST_BOOL, 19, "VT_LIST_BOOL")                                                                               \
	X(LIST_STRING, 20, "VT_LIST_STRING")                                                                           \
	X(LIST_DTYPE, 21, "VT_LIST_DATA_TYPE")                                                                         \
	X(LIST_BYTES, 22, "VT_LIST_BYTES")                                                                             \
	X(LIST_TENSOR, 23, "VT_LIST_TENSOR")                                                                           \
	X(LIST_DESC, 24, "VT_LIST_TENSOR_DESC")                                                                        \
	X(LIST_NAMED_ATTRS, 25, "VT_LIST_NAMED_ATTRS")                                                                 \
	X(LIST_LIST_INT, 26, "VT_LIST_LIST_INT")                                                                       \
	X(LIST_LIST_FLOAT, 27, "VT_LIST_LIST_FLOAT")

typedef enum rstd_value_kind {
#define RSTD_VALUE_ENUM(name, number, text) RSTD_VALUE_##name = number,
	RSTD_VALUE_MAP(RSTD_VALUE_ENUM)
#undef RSTD_VALUE_ENUM
} rstd_value_kind;

struct rstd_graph;
struct rstd_attr;

/* Characters or bytes. What is read from an object has a zero behind its last character, which size does not count. */
typedef struct rstd_text {
	const char *data; /* may be NULL when size is 0 */
	size_t size;
} rstd_text;

typedef struct rstd_named_attrs {
	const char *name;
	size_t count;
	const struct rstd_attr *attrs;
} rstd_named_attrs;

typedef struct rstd_int_list {
	size_t count;
	const int64_t *ints;
} rstd_int_list;

typedef struct rstd_float_list {
	size_t count;
	const float *floats;
} rstd_float_list;

/*
 * The value of an attribute: a kind, and the member that the comment names. Lists have count elements, and may have
 * NULL for no elements.
 */
typedef struct rstd_value {
	rstd_value_kind kind;
	size_t count; /* of a list; 0 otherwise */
	union {
		int64_t i;                      /* INT, of any width */
		float f;                        /* FLOAT */
		bool b;                         /* BOOL */
		int32_t dtype;                  /* DTYPE */
		rstd_text text;                 /* STRING, BYTES */
		const rstd_ge_tensor *tensor;   /* TENSOR, and DESC with desc alone: one, or count of them in a list */
		const rstd_named_attrs *named;  /* NAMED_ATTRS, LIST_NAMED_ATTRS likewise */
		const int64_t *ints;            /* LIST_INT */
		const float *floats;            /* LIST_FLOAT */
		const bool *bools;              /* LIST_BOOL */
		const rstd_text *texts;         /* LIST_STRING, LIST_BYTES */
		const int32_t *dtypes;          /* LIST_DTYPE */
		const rstd_int_list *int_lists; /* LIST_LIST_INT */
		const rstd_float_list *float_lists; /* LIST_LIST_FLOAT */
	} as;
} rstd_value;

typedef struct rstd_attr {
	const char *name;
	rstd_value value;
} rstd_attr;

/* The type text of a kind, "VT_INT". Static storage. */
RSTD_GRAPH_API const char *rstd_value_kind_name(rstd_value_kind kind);

/*
 * A set of attributes, by name, in the order in which names were first set. Operators, their inputs and outputs, and
 * graphs each have one; it lives as long as they do.
 */
typedef struct rstd_attrs rstd_attrs;

/* Sets an attribute, in place of one of the same name. Fails with NULL_PTR, PARAM_INVALID (an unknown kind), FAILED. */
RSTD_GRAPH_API rstd_ge_status rstd_attrs_set(rstd_attrs *attrs, const char *name, const rstd_value *value);

/* The value of an attribute, valid until it is set again or removed; NULL where there is none. No message. */
RSTD_GRAPH_API const rstd_value *rstd_attrs_get(const rstd_attrs *attrs, const char *name);

/* Removes an attribute, if it is there. Returns whether it was. */
RSTD_GRAPH_API bool rstd_attrs_remove(rstd_attrs *attrs, const char *name);

RSTD_GRAPH_API size_t rstd_attrs_count(const rstd_attrs *attrs);
RSTD_GRAPH_API const rstd_attr *rstd_attrs_at(const rstd_attrs *attrs, size_t index); /* NULL past the last */

/* ---- Operators: identity ------------------------------------------------------------------------------------ */

typedef struct rstd_op rstd_op;

/*
 * A new operator without inputs, outputs or attributes; they are registered below. name NULL: `<type>_<n>`, n counting
 * the operators of this process. Returns a new reference, or NULL when memory runs out (with a message).
 */
RSTD_GRAPH_API rstd_op *rstd_op_new(const char *name, const char *type);

/*
 * A new operator with the inputs, outputs, attributes and defaults of a type that the engine knows (rstd_ge_op_type).
 * Returns a new reference; NULL for an unknown type or when memory runs out (with a message).
 */
RSTD_GRAPH_API rstd_op *rstd_op_create(const char *name, const char *type);

/* The types whose prototype the engine knows and that it can run, in alphabetical order; NULL past the last. Static. */
RSTD_GRAPH_API const char *rstd_ge_op_type(size_t index);

/*
 * References. Operators that are linked live together: all go when nobody holds any of them. NULL is allowed: ref
 * returns NULL.
 */
RSTD_GRAPH_API rstd_op *rstd_op_ref(rstd_op *op);
RSTD_GRAPH_API void rstd_op_unref(rstd_op *op);

RSTD_GRAPH_API const char *rstd_op_name(const rstd_op *op); /* never NULL */
RSTD_GRAPH_API const char *rstd_op_type(const rstd_op *op); /* never NULL */

/* For a face that wants an operator to keep objects of its own: inference contexts, subgraph builders, ... */

/* Keeps object under key; destroy (may be NULL) is called for what was there before, and when the operator goes. */
RSTD_GRAPH_API rstd_ge_status rstd_op_attach(rstd_op *op, const char *key, void *object, void (*destroy)(void *object));
RSTD_GRAPH_API void *rstd_op_attached(const rstd_op *op, const char *key); /* NULL when there is none */

/* ---- Operators: the prototype (IR) -------------------------------------------------------------------------- */

/* The kind of an input or output in the prototype; numbers are those of .air files. */
typedef enum rstd_ir_kind { RSTD_IR_REQUIRED = 0, RSTD_IR_OPTIONAL = 1, RSTD_IR_DYNAMIC = 2 } rstd_ir_kind;

typedef struct rstd_ir_item {
	const char *name;
	const char *symbol; /* of the dtype: the text that the prototype gives; "" when it gives none */
	rstd_ir_kind kind;  /* outputs: REQUIRED or DYNAMIC */
} rstd_ir_item;

typedef struct rstd_ir_attr {
	const char *name;
	const char *type; /* "Int", "ListInt", ...; "" when unknown */
	bool required;
} rstd_ir_attr;

/*
 * Register what a prototype says, in its order. A required or optional input, and a required output, is also added to
 * the operator; a dynamic one starts with none of its kind. A name that is registered already is left as it is:
 * SUCCESS.
 */
RSTD_GRAPH_API rstd_ge_status rstd_op_register_input(rstd_op *op, const char *name, rstd_ir_kind kind,
                                                     const char *symbol);
RSTD_GRAPH_API rstd_ge_status rstd_op_register_output(rstd_op *op, const char *name, rstd_ir_kind kind,
                                                      const char *symbol);

/* default_value is stored as the attribute's value; NULL: none, and the attribute is required if `required` says so. */
RSTD_GRAPH_API rstd_ge_status rstd_op_register_attr(rstd_op *op, const char *name, const char *type, bool required,
                                                    const rstd_value *default_value);

RSTD_GRAPH_API size_t rstd_op_ir_input_count(const rstd_op *op);
RSTD_GRAPH_API size_t rstd_op_ir_output_count(const rstd_op *op);
RSTD_GRAPH_API size_t rstd_op_ir_attr_count(const rstd_op *op);

/* Fill *item; false past the last. */
RSTD_GRAPH_API bool rstd_op_ir_input(const rstd_op *op, size_t index, rstd_ir_item *item);
RSTD_GRAPH_API bool rstd_op_ir_output(const rstd_op *op, size_t index, rstd_ir_item *item);
RSTD_GRAPH_API bool rstd_op_ir_attr(const rstd_op *op, size_t index, rstd_ir_attr *item);

/*
 * Adds count inputs (outputs) `<name>0`, `<name>1`, ... behind those of that name that are there. position: the index
 * among all inputs at which the first of them goes; RSTD_AT_END: behind the last input of all.
 */
#define RSTD_AT_END SIZE_MAX
RSTD_GRAPH_API rstd_ge_status rstd_op_add_dynamic_inputs(rstd_op *op, const char *name, uint32_t count,
                                                         size_t position);
RSTD_GRAPH_API rstd_ge_status rstd_op_add_dynamic_outputs(rstd_op *op, const char *name, uint32_t count,
                                                          size_t position);

/* How many inputs (outputs) of a dynamic name there are; -1 when no dynamic one has that name. */
RSTD_GRAPH_API int32_t rstd_op_dynamic_input_count(const rstd_op *op, const char *name);
RSTD_GRAPH_API int32_t rstd_op_dynamic_output_count(const rstd_op *op, const char *name);

/* ---- Operators: inputs and outputs -------------------------------------------------------------------------- */

RSTD_GRAPH_API size_t rstd_op_input_count(const rstd_op *op);
RSTD_GRAPH_API size_t rstd_op_output_count(const rstd_op *op);
RSTD_GRAPH_API const char *rstd_op_input_name(const rstd_op *op, size_t index);  /* NULL past the last */
RSTD_GRAPH_API const char *rstd_op_output_name(const rstd_op *op, size_t index); /* NULL past the last */
RSTD_GRAPH_API bool rstd_op_input_is_optional(const rstd_op *op, size_t index);

/* The index of an input (output) by its name; -1 when there is none. The element of a dynamic one is `<name><i>`. */
RSTD_GRAPH_API int32_t rstd_op_find_input(const rstd_op *op, const char *name);
RSTD_GRAPH_API int32_t rstd_op_find_output(const rstd_op *op, const char *name);

/* Fill *desc. Fail with FAILED past the last (a message). */
RSTD_GRAPH_API rstd_ge_status rstd_op_get_input_desc(const rstd_op *op, size_t index, rstd_desc *desc);
RSTD_GRAPH_API rstd_ge_status rstd_op_get_output_desc(const rstd_op *op, size_t index, rstd_desc *desc);

/*
 * Store a desc, has_shape becoming true. Dims with a -2 become {-2}. Setting that of an output also sets that of every
 * input linked to it so far, but for its format. Fail with FAILED past the last (a message).
 */
RSTD_GRAPH_API rstd_ge_status rstd_op_set_input_desc(rstd_op *op, size_t index, const rstd_desc *desc);
RSTD_GRAPH_API rstd_ge_status rstd_op_set_output_desc(rstd_op *op, size_t index, const rstd_desc *desc);

/* Attributes: of the operator, and of one input's or output's desc. NULL past the last. */
RSTD_GRAPH_API rstd_attrs *rstd_op_attrs(rstd_op *op);
RSTD_GRAPH_API rstd_attrs *rstd_op_input_attrs(rstd_op *op, size_t index);
RSTD_GRAPH_API rstd_attrs *rstd_op_output_attrs(rstd_op *op, size_t index);

/* ---- Operators: links --------------------------------------------------------------------------------------- */

/*
 * Links an output of src to an input of dst, and copies its desc to the input, but for the input's format. By name:
 * src_output NULL means src's only output. An unknown name, a wrong index, or src_output NULL where src has not exactly
 * one output, fails with PARAM_INVALID (a message) and links nothing. Linking an input again is taken, and makes
 * rstd_graph_set_inputs() fail.
 */
RSTD_GRAPH_API rstd_ge_status rstd_op_set_input(rstd_op *dst, const char *dst_input, rstd_op *src,
                                                const char *src_output);
RSTD_GRAPH_API rstd_ge_status rstd_op_set_input_at(rstd_op *dst, size_t dst_index, rstd_op *src, size_t src_index);

/* dst runs after src. Twice the same is once. */
RSTD_GRAPH_API rstd_ge_status rstd_op_add_control_input(rstd_op *dst, rstd_op *src);

/* Cuts all links of op, to and from it. */
RSTD_GRAPH_API void rstd_op_break_connect(rstd_op *op);

/* The operator and output index that an input is linked to; NULL when it is not linked. Borrowed. */
RSTD_GRAPH_API rstd_op *rstd_op_input_source(const rstd_op *op, size_t index, size_t *src_index);
RSTD_GRAPH_API size_t rstd_op_control_input_count(const rstd_op *op);
RSTD_GRAPH_API rstd_op *rstd_op_control_input(const rstd_op *op, size_t index); /* borrowed; NULL past the last */

/* ---- Operators: subgraphs (stored, saved and shown; no known operator runs one) ----------------------------- */

/* A name of the prototype. dynamic: starts with no instance; else with one. A name that is there is left as it is. */
RSTD_GRAPH_API rstd_ge_status rstd_op_register_subgraph(rstd_op *op, const char *name, bool dynamic);

/* Makes a dynamic name have count instances. Fails with PARAM_INVALID for a name that is not a dynamic one. */
RSTD_GRAPH_API rstd_ge_status rstd_op_set_subgraph_count(rstd_op *op, const char *name, uint32_t count);

/* Names of the prototype: their number, and one; NULL past the last. */
RSTD_GRAPH_API size_t rstd_op_subgraph_name_count(const rstd_op *op);
RSTD_GRAPH_API const char *rstd_op_subgraph_name(const rstd_op *op, size_t index, bool *dynamic, uint32_t *count);

/* Keeps a reference to graph (NULL: none) as instance `index` of a name; and reads it (borrowed; NULL when none). */
RSTD_GRAPH_API rstd_ge_status rstd_op_set_subgraph(rstd_op *op, const char *name, uint32_t index,
                                                   struct rstd_graph *graph);
RSTD_GRAPH_API struct rstd_graph *rstd_op_subgraph(const rstd_op *op, const char *name, uint32_t index);

/* ---- Operators: inference ----------------------------------------------------------------------------------- */

/*
 * rstd_op_verify() - whether every required attribute has a value, and the attributes of a known type their kinds.
 * rstd_op_infer() - sets the output descs from the input descs, attributes, and Const operators linked to the inputs.
 *
 * A type that the engine does not know is inferred by the function registered for it; without one its outputs stay as
 * they are: SUCCESS. Fail with FAILED; the messages name the node, the input or attribute, its value, what is allowed.
 */
RSTD_GRAPH_API rstd_ge_status rstd_op_verify(rstd_op *op);
RSTD_GRAPH_API rstd_ge_status rstd_op_infer(rstd_op *op);

/* Registers functions for a type that the engine does not know; either may be NULL. A second call replaces them. */
typedef rstd_ge_status rstd_op_function(rstd_op *op, void *context);
RSTD_GRAPH_API rstd_ge_status rstd_ge_register_functions(const char *type, rstd_op_function *infer,
                                                         rstd_op_function *verify, void *context);

/* The value of the Const or Constant that an input is linked to. Fails with WITHOUT_CONST_INPUT, without a message. */
RSTD_GRAPH_API rstd_ge_status rstd_op_input_const(const rstd_op *op, size_t index, rstd_ge_tensor *tensor);

/* ---- Graphs ------------------------------------------------------------------------------------------------- */

typedef struct rstd_graph rstd_graph;
typedef struct rstd_node rstd_node;

/* A new graph without nodes; a new reference, or NULL when memory runs out (with a message). */
RSTD_GRAPH_API rstd_graph *rstd_graph_new(const char *name);
RSTD_GRAPH_API rstd_graph *rstd_graph_ref(rstd_graph *graph); /* NULL is allowed, also below */

/* The last reference cuts the links of the graph's operators. */
RSTD_GRAPH_API void rstd_graph_unref(rstd_graph *graph);

RSTD_GRAPH_API const char *rstd_graph_name(const rstd_graph *graph); /* never NULL */
RSTD_GRAPH_API rstd_ge_status rstd_graph_set_name(rstd_graph *graph, const char *name);
RSTD_GRAPH_API uint32_t rstd_graph_id(const rstd_graph *graph); /* from rstd_session_add_graph(); 0 before */
RSTD_GRAPH_API rstd_attrs *rstd_graph_attrs(rstd_graph *graph);

/*
 * rstd_graph_set_inputs() - build the graph: breadth-first from the inputs, in their order, over data and control
 * links, in both directions.
 *
 * Inputs are operators of type Data or Variable, or any without inputs and with outputs; others are skipped with a
 * warning. Fails with FAILED, and the graph stays as it was, when no input is left, when it has been built before, when
 * two nodes would have one name, or when an input is linked twice.
 */
RSTD_GRAPH_API rstd_ge_status rstd_graph_set_inputs(rstd_graph *graph, rstd_op *const *inputs, size_t count);

/* One entry of the outputs: an operator, and which of its outputs. */
typedef struct rstd_graph_output {
	rstd_op *op;
	const char *name;      /* an output's name; "": all of them; NULL: the indexes say which */
	const size_t *indexes; /* index_count of them; one out of range is skipped with a warning */
	size_t index_count;    /* 0: all outputs */
} rstd_graph_output;

/*
 * Say what the graph returns, in order, in place of what it returned before; and which nodes must run although nothing
 * of theirs is returned. After rstd_graph_set_inputs(). Operators outside the graph are skipped with a warning, but an
 * entry with a name fails with FAILED for them and for an unknown name.
 */
RSTD_GRAPH_API rstd_ge_status rstd_graph_set_outputs(rstd_graph *graph, const rstd_graph_output *outputs, size_t count);
RSTD_GRAPH_API rstd_ge_status rstd_graph_set_targets(rstd_graph *graph, rstd_op *const *targets, size_t count);

/* The same by nodes. Fails with PARAM_INVALID for a node of another graph or an index out of range. */
RSTD_GRAPH_API rstd_ge_status rstd_graph_set_output_nodes(rstd_graph *graph, rstd_node *const *nodes,
                                                          const int32_t *indexes, size_t count);

/* What was said: the i-th output's node and index; the i-th input; the i-th target. NULL past the last. Borrowed. */
RSTD_GRAPH_API size_t rstd_graph_output_count(const rstd_graph *graph);
RSTD_GRAPH_API rstd_node *rstd_graph_output_at(const rstd_graph *graph, size_t index, size_t *output);
RSTD_GRAPH_API size_t rstd_graph_input_count(const rstd_graph *graph);
RSTD_GRAPH_API rstd_node *rstd_graph_input_at(const rstd_graph *graph, size_t index);
RSTD_GRAPH_API size_t rstd_graph_target_count(const rstd_graph *graph);
RSTD_GRAPH_API rstd_node *rstd_graph_target_at(const rstd_graph *graph, size_t index);

/* Whether rstd_graph_set_inputs() or a load succeeded, or rstd_graph_set_valid() was called. */
RSTD_GRAPH_API bool rstd_graph_is_valid(const rstd_graph *graph);
RSTD_GRAPH_API rstd_ge_status rstd_graph_set_valid(rstd_graph *graph);

/* The list of operators to find by name or type; it has no part in the graph itself. A name that is there: SUCCESS. */
RSTD_GRAPH_API rstd_ge_status rstd_graph_add_op(rstd_graph *graph, rstd_op *op);
RSTD_GRAPH_API size_t rstd_graph_op_count(const rstd_graph *graph);
RSTD_GRAPH_API rstd_op *rstd_graph_op_at(const rstd_graph *graph, size_t index);       /* borrowed */
RSTD_GRAPH_API rstd_op *rstd_graph_find_op(const rstd_graph *graph, const char *name); /* borrowed */

/* Makes graph a copy of from: nodes with operators of their own, edges, outputs, targets, attributes; not the id. */
RSTD_GRAPH_API rstd_ge_status rstd_graph_copy_from(rstd_graph *graph, const rstd_graph *from);

/* Graphs that belong to this one: kept by reference, found by name. A name that is there fails with FAILED. */
RSTD_GRAPH_API rstd_ge_status rstd_graph_add_subgraph(rstd_graph *graph, rstd_graph *subgraph);
RSTD_GRAPH_API rstd_ge_status rstd_graph_remove_subgraph(rstd_graph *graph, const char *name);
RSTD_GRAPH_API size_t rstd_graph_subgraph_count(const rstd_graph *graph);
RSTD_GRAPH_API rstd_graph *rstd_graph_subgraph_at(const rstd_graph *graph, size_t index);

/*
 * Infers every node in topological order from the descs of the Data nodes, and stores the descs, for showing a graph; a
 * run does not need it and changes no desc. Nodes of unknown types keep theirs. Fails with FAILED: a cycle, or what
 * rstd_op_verify() and rstd_op_infer() fail with.
 */
RSTD_GRAPH_API rstd_ge_status rstd_graph_infer(rstd_graph *graph);

/* ---- Nodes -------------------------------------------------------------------------------------------------- */

/* References. A node that has left its graph, or outlived it, keeps its operator and has no edges. NULL is allowed. */
RSTD_GRAPH_API rstd_node *rstd_node_ref(rstd_node *node);
RSTD_GRAPH_API void rstd_node_unref(rstd_node *node);

/* Nodes of the graph itself, in its order; and of all its subgraphs too. NULL past the last. Borrowed. */
RSTD_GRAPH_API size_t rstd_graph_node_count(const rstd_graph *graph);
RSTD_GRAPH_API rstd_node *rstd_graph_node_at(const rstd_graph *graph, size_t index);
RSTD_GRAPH_API rstd_node *rstd_graph_find_node(const rstd_graph *graph, const char *name);

/* The operator, which has name, type, descs and attributes. Borrowed. The graph: NULL when the node has left it. */
RSTD_GRAPH_API rstd_op *rstd_node_op(const rstd_node *node);
RSTD_GRAPH_API rstd_graph *rstd_node_graph(const rstd_node *node);

/* The place of a node in its graph; SIZE_MAX when it has none. */
RSTD_GRAPH_API size_t rstd_node_index(const rstd_node *node);

/* Where an input comes from; NULL when it has no edge. Borrowed. */
RSTD_GRAPH_API rstd_node *rstd_node_input(const rstd_node *node, size_t index, size_t *src_index);

/* The consumers of an output: their number, and the i-th with the index of its input. */
RSTD_GRAPH_API size_t rstd_node_consumer_count(const rstd_node *node, size_t output);
RSTD_GRAPH_API rstd_node *rstd_node_consumer(const rstd_node *node, size_t output, size_t index, size_t *dst_index);

/* Control edges: nodes that must run before, and after. */
RSTD_GRAPH_API size_t rstd_node_control_input_count(const rstd_node *node);
RSTD_GRAPH_API rstd_node *rstd_node_control_input(const rstd_node *node, size_t index);
RSTD_GRAPH_API size_t rstd_node_control_output_count(const rstd_node *node);
RSTD_GRAPH_API rstd_node *rstd_node_control_output(const rstd_node *node, size_t index);

/*
 * Editing. Fail with PARAM_INVALID: a node of another graph, an index out of range, an input that has an edge already,
 * a name that is there already (FAILED for memory). The node that add_node returns is borrowed, NULL on failure; it
 * comes without edges, whatever the operator's links. -1 as both indexes of remove_edge means the control edge.
 */
RSTD_GRAPH_API rstd_node *rstd_graph_add_node(rstd_graph *graph, rstd_op *op);
RSTD_GRAPH_API rstd_ge_status rstd_graph_remove_node(rstd_graph *graph, rstd_node *node);
RSTD_GRAPH_API rstd_ge_status rstd_graph_add_data_edge(rstd_graph *graph, rstd_node *src, int32_t src_index,
                                                       rstd_node *dst, int32_t dst_index);
RSTD_GRAPH_API rstd_ge_status rstd_graph_add_control_edge(rstd_graph *graph, rstd_node *src, rstd_node *dst);
RSTD_GRAPH_API rstd_ge_status rstd_graph_remove_edge(rstd_graph *graph, rstd_node *src, int32_t src_index,
                                                     rstd_node *dst, int32_t dst_index);

/* ---- Files -------------------------------------------------------------------------------------------------- */

/* Frees bytes or text that a function here says to free. NULL is allowed. */
RSTD_GRAPH_API void rstd_graph_free(void *bytes);

/*
 * The graph as an .air model (binary protobuf), in memory (*bytes to be freed with rstd_graph_free) or as a file, whose
 * directories are made. Loading replaces what the graph held. Malformed bytes fail with FAILED and leave the graph as
 * it was.
 */
RSTD_GRAPH_API rstd_ge_status rstd_graph_save_memory(const rstd_graph *graph, void **bytes, size_t *size);
RSTD_GRAPH_API rstd_ge_status rstd_graph_load_memory(rstd_graph *graph, const void *bytes, size_t size);
RSTD_GRAPH_API rstd_ge_status rstd_graph_save_file(const rstd_graph *graph, const char *path);
RSTD_GRAPH_API rstd_ge_status rstd_graph_load_file(rstd_graph *graph, const char *path);

typedef enum rstd_dump_format { RSTD_DUMP_ONNX = 0, RSTD_DUMP_TXT = 1, RSTD_DUMP_READABLE = 2 } rstd_dump_format;

/* The graph as text: *text, of size bytes and a zero behind them, to be freed with rstd_graph_free(). */
RSTD_GRAPH_API rstd_ge_status rstd_graph_dump_memory(const rstd_graph *graph, rstd_dump_format format, char **text,
                                                     size_t *size);

/* Text in one file, named as ge::Graph::DumpToFile() names it. */
RSTD_GRAPH_API rstd_ge_status rstd_graph_dump_file(const rstd_graph *graph, rstd_dump_format format,
                                                   const char *suffix);

/* Both texts, as ge::aclgrphDumpGraph(): file of length characters. Fails with PARAM_INVALID or FAILED. */
RSTD_GRAPH_API rstd_ge_status rstd_graph_dump(const rstd_graph *graph, const char *file, size_t length);

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

typedef struct rstd_option {
	const char *key, *value;
} rstd_option;

/*
 * rstd_ge_initialize() - before the first session. Fails with FAILED for an empty key; unknown keys are warned about. A
 *                        second call changes nothing: SUCCESS.
 * rstd_ge_finalize()   - ends all sessions, which then refuse everything but rstd_session_destroy(). Waits for runs.
 */
RSTD_GRAPH_API rstd_ge_status rstd_ge_initialize(const rstd_option *options, size_t count);
RSTD_GRAPH_API rstd_ge_status rstd_ge_finalize(void);
RSTD_GRAPH_API bool rstd_ge_is_initialized(void);

typedef struct rstd_session rstd_session;

/*
 * A new session for the caller to give to rstd_session_destroy(). Before rstd_ge_initialize() a dead one, whose calls
 * return FAILED. NULL when memory runs out (with a message).
 *
 * Options of GE are taken, and have no effect here but for ge.jit_compile: where it is "0" or "2", a Data that declares
 * unknown lengths keeps its other ones, and refuses feeds that differ there. Options of rstd, of all sessions, of one
 * or of one of its graphs:
 *
 *   rstd.fusion   "exact" (default): fusions that keep every bit; "none"; "all": also those under which an intermediate
 *                 mean is not rounded to its dtype, so that results are nearer to the truth but other than those of the
 *                 single operators
 *   rstd.shapes   how many compiled forms a graph keeps, one a set of feed shapes: 1 to 1024, default 8
 */
RSTD_GRAPH_API rstd_session *rstd_session_new(const rstd_option *options, size_t count);
RSTD_GRAPH_API void rstd_session_destroy(rstd_session *session); /* no call on it may be in progress; NULL is allowed */
RSTD_GRAPH_API uint64_t rstd_session_id(const rstd_session *session);

/*
 * Adds a graph under an id. The graph is kept by reference; its Data nodes are renumbered in node order where their
 * indexes are not 0 to n - 1. An id that is there: SUCCESS, and the first graph stays. Fails with FAILED: dead session,
 * a graph that was not built, an empty option key, a graph that was added before (to any session).
 */
RSTD_GRAPH_API rstd_ge_status rstd_session_add_graph(rstd_session *session, uint32_t id, rstd_graph *graph,
                                                     const rstd_option *options, size_t count);

/* Adds a copy; an id that is there fails with FAILED. */
RSTD_GRAPH_API rstd_ge_status rstd_session_add_graph_with_copy(rstd_session *session, uint32_t id,
                                                               const rstd_graph *graph, const rstd_option *options,
                                                               size_t count);

/* Fails with FAILED for an unknown id, or while the graph runs. */
RSTD_GRAPH_API rstd_ge_status rstd_session_remove_graph(rstd_session *session, uint32_t id);

/* Results of a run, in the order of rstd_graph_set_outputs(). */
typedef struct rstd_results rstd_results;

/*
 * rstd_session_run() - run a graph.
 *
 * feeds    in:  count tensors, by the index of the Data nodes; more than these are ignored. Shape, dtype and bytes
 *               must agree. A Data takes the feed's desc, whatever it declares (but see ge.jit_compile above).
 * results  out: for the caller to give to rstd_results_free()
 *
 * Fails with GRAPH_NOT_EXIST, or FAILED: dead session, a run in progress on this session, a node of an unknown type,
 * a missing input, a cycle, dtypes or shapes that do not fit, feeds that do not fit, no memory. *results is then NULL,
 * and the session can go on.
 */
RSTD_GRAPH_API rstd_ge_status rstd_session_run(rstd_session *session, uint32_t id, const rstd_ge_tensor *feeds,
                                               size_t count, rstd_results **results);

/* Does everything that a run with such feeds does, but for the arithmetic; data of the feeds is not looked at. */
RSTD_GRAPH_API rstd_ge_status rstd_session_build(rstd_session *session, uint32_t id, const rstd_ge_tensor *feeds,
                                                 size_t count);

/* Whether the graph is unknown or has no compiled form yet. */
RSTD_GRAPH_API bool rstd_session_needs_rebuild(rstd_session *session, uint32_t id);

RSTD_GRAPH_API size_t rstd_results_count(const rstd_results *results);

/* Fills in *tensor: data is not NULL, also where size is 0. false past the last, or when it has been taken. */
RSTD_GRAPH_API bool rstd_results_get(const rstd_results *results, size_t index, rstd_ge_tensor *tensor);

/* Hands the elements over: the caller frees them with rstd_graph_free(). NULL past the last, or the second time. */
RSTD_GRAPH_API void *rstd_results_take(rstd_results *results, size_t index);
RSTD_GRAPH_API void rstd_results_free(rstd_results *results); /* NULL is allowed */

/* ---- What was done ------------------------------------------------------------------------------------------ */

/* The compiled form that the last run or build of a graph used, and counts since the graph was added. */
typedef struct rstd_graph_stats {
	size_t nodes;          /* of the graph */
	size_t steps;          /* that do arithmetic when it runs */
	size_t views;          /* nodes that cost nothing: their output is a view of their input */
	size_t fusions;        /* see rstd_session_fusion() */
	size_t workspace;      /* bytes for all intermediate results and workspaces of steps */
	size_t unshared;       /* bytes that the intermediate results alone would need without sharing */
	size_t compiled_forms; /* kept now */
	uint64_t compilations; /* forms made */
	uint64_t runs;         /* successful ones */
} rstd_graph_stats;

/* Fails with GRAPH_NOT_EXIST, FAILED (dead session). All zero but nodes before the first run or build. */
RSTD_GRAPH_API rstd_ge_status rstd_session_stats(rstd_session *session, uint32_t id, rstd_graph_stats *stats);

/*
 * One fusion of the form that was last used: a sentence that names the rule and the nodes, "ReduceMean m and
 * ReduceStdWithMean s: one pass over x". To be freed with rstd_graph_free(); NULL past the last. *keeps_bits (may be
 * NULL): whether it leaves every bit as it was.
 */
RSTD_GRAPH_API char *rstd_session_fusion(rstd_session *session, uint32_t id, size_t index, bool *keeps_bits);

#ifdef __cplusplus
}
#endif

#endif /* RSTD_GRAPH_H */
