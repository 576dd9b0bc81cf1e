/*
 * graph.h - the subcommands for graphs: where librstd_graph is built
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CLI_GRAPH_H
#define RSTD_CLI_GRAPH_H

#include "cli/message.h"
#include "cli/options.h"

enum exit_status rstd__graph_show(const struct request *request);
enum exit_status rstd__graph_run(const struct request *request);

#endif
