/*
 * test_geir_variable.cpp - Variable and Assign, which rstd does not run
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
#include "state_ops.h"
#include "nn_training_ops.h"

#define FAILED -1
#define SUCCESS 0
/* clang-format on */

/* rstd does not have the operator. */
#define MUST_RUN false

using namespace ge;
#include "tools.h"

static int CreateOppInGraph(std::vector<Operator> &inputs, std::vector<Operator> &outputs,
                            std::vector<ge::Tensor> &input, Graph &graph)
{
	ADD_INPUT(1, x, (std::vector<int64_t>{ 2, 4 }), DT_FLOAT)
	op::Variable var("var");
	var.update_output_desc_y(x_desc);
	op::Assign assign("assign");
	assign.set_input_ref(var).set_input_value(x);
	inputs.push_back(var);
	outputs.push_back(assign);
	return SUCCESS;
}

#include "main.h"
