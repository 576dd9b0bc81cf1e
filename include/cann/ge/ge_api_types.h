/*
 * ge_api_types.h - types and option keys of sessions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * rstd takes every option. Those of CANN have no effect on a CPU, but for ge.jit_compile; it and rstd's own are
 * explained in rstd/graph.h at rstd_session_new().
 */
#ifndef RSTD_CANN_GE_GE_API_TYPES_H
#define RSTD_CANN_GE_GE_API_TYPES_H

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ge/ge_api_error_codes.h"
#include "graph/ascend_string.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge
{

/* Keys of options, of GEInitialize(), a Session, or a graph. */
const char_t *const OPTION_EXEC_DEVICE_ID = "ge.exec.deviceId";
const char_t *const OPTION_EXEC_JOB_ID = "ge.exec.jobId";
const char_t *const OPTION_EXEC_RANK_ID = "ge.exec.rankId";
const char_t *const OPTION_EXEC_PROFILING_MODE = "ge.exec.profilingMode";
const char_t *const OPTION_EXEC_PROFILING_OPTIONS = "ge.exec.profilingOptions";
const char_t *const OPTION_EXEC_DISABLE_REUSED_MEMORY = "ge.exec.disableReuseMemory";
const char_t *const OPTION_EXEC_ENABLE_DUMP = "ge.exec.enableDump";
const char_t *const OPTION_EXEC_DUMP_PATH = "ge.exec.dumpPath";
const char_t *const OPTION_EXEC_DUMP_STEP = "ge.exec.dumpStep";
const char_t *const OPTION_EXEC_DUMP_MODE = "ge.exec.dumpMode";
const char_t *const OPTION_GRAPH_RUN_MODE = "ge.graphRunMode";
const char_t *const PRECISION_MODE = "ge.exec.precision_mode";
const char_t *const EXCLUDE_ENGINES = "ge.exec.exclude_engines";
const char_t *const JIT_COMPILE = "ge.jit_compile";
const char_t *const OO_CONSTANT_FOLDING = "ge.oo.constantFolding";
const char_t *const RUN_FLAG = "ge.runFlag";
const char_t *const SOC_VERSION = "ge.socVersion";

namespace ir_option
{
const char_t *const INPUT_FORMAT = "input_format";
const char_t *const INPUT_SHAPE = "input_shape";
const char_t *const OP_NAME_MAP = "op_name_map";
const char_t *const DYNAMIC_BATCH_SIZE = "dynamic_batch_size";
const char_t *const DYNAMIC_IMAGE_SIZE = "dynamic_image_size";
const char_t *const DYNAMIC_DIMS = "dynamic_dims";
const char_t *const OUTPUT_TYPE = "output_type";
const char_t *const LOG_LEVEL = "log";
const char_t *const PRECISION_MODE = "ge.exec.precision_mode";
const char_t *const SOC_VERSION = "ge.socVersion";
} /* namespace ir_option */

namespace configure_option
{
const char_t *const DEVICE_ID = "ge.exec.deviceId";
const char_t *const JIT_COMPILE = "ge.jit_compile";
const char_t *const PRECISION_MODE = "ge.exec.precision_mode";
} /* namespace configure_option */

enum GraphRunMode {
	PREDICTION = 0,
	TRAIN = 1,
};

enum MemoryType : int64_t {
	MEMORY_TYPE_DEFAULT = 0,
	MEMORY_TYPE_P2P = 1,
};

/* A feed as BuildGraph() takes it: its description. The data is not read. */
struct InputTensorInfo {
	uint32_t data_type;
	std::vector<int64_t> dims;
	void *data;
	int64_t length;
};

/* A result that owns its bytes. It moves and does not copy. */
struct OutputTensorInfo {
	uint32_t data_type = 0;
	std::vector<int64_t> dims;
	std::unique_ptr<uint8_t[]> data;
	int64_t length = 0;
};

/* Called with the status of a run and its results. */
using RunAsyncCallback = std::function<void(Status, std::vector<ge::Tensor> &)>;

} /* namespace ge */

#endif /* RSTD_CANN_GE_GE_API_TYPES_H */
