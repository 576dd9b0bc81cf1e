/*
 * test_geir_dtypes.cpp - every dtype and format that programs name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#include <iostream>
#include <fstream>
#include <string.h>
#include <stdint.h>
#include <vector>
#include <string>
#include <map>
#include "assert.h"

#include "graph.h"
#include "types.h"
#include "tensor.h"
#include "ge_error_codes.h"
#include "ge_api_types.h"
#include "ge_api.h"
#include "array_ops.h"
#include "ge_ir_build.h"

#include "experiment_ops.h"
#include "nn_other.h"
#include "../op_graph/guarded_proto.h"

#define FAILED -1
#define SUCCESS 0
/* clang-format on */

#define MUST_RUN true

using namespace ge;
#include "tools.h"

static void Name()
{
	const DataType types[] = {
		DT_FLOAT,      DT_INT32,  DT_FLOAT16,   DT_BF16,          DT_INT64,       DT_INT8,
		DT_INT16,      DT_UINT64, DT_UINT32,    DT_UINT16,        DT_DOUBLE,      DT_UINT8,
		DT_COMPLEX128, DT_BOOL,   DT_COMPLEX64, DT_FLOAT8_E4M3FN, DT_FLOAT8_E5M2, DT_HIFLOAT8
	};
	const Format formats[] = { FORMAT_ND, FORMAT_NCHW, FORMAT_NHWC, FORMAT_NDHWC, FORMAT_NDC1HWC0, FORMAT_NCDHW };
	for (DataType type : types)
		std::cout << type << " " << GetSizeByDataType(type) << std::endl;
	for (Format format : formats)
		std::cout << format << std::endl;
	TensorDesc desc(ge::Shape(UNKNOWN_RANK), FORMAT_ND, DT_FLOAT);
	desc.SetOriginFormat(FORMAT_NCHW);
	desc.SetOriginShape(ge::Shape({ 1, 2 }));
	std::cout << desc.GetShape().GetDimNum() << desc.GetFormat() << std::endl;
}

static int CreateOppInGraph(std::vector<Operator> &inputs, std::vector<Operator> &outputs,
                            std::vector<ge::Tensor> &input, Graph &graph)
{
	Name();
	ADD_INPUT(1, x, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	ADD_INPUT(2, mean, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	auto op1 = op::ReduceStdWithMean("reduce");
	op1.set_input_x(x);
	op1.set_input_mean(mean);
	op1.set_attr_dim({ 1 });
	op1.set_attr_keepdim(false);
	op1.update_output_desc_y(x_desc);
	outputs.push_back(op1);
	return SUCCESS;
}

#include "main.h"
