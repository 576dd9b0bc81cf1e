#!/usr/bin/env bash
# texts.sh PROTOC_C PROTO_DIRECTORY COMMAND MODEL - the texts that the command prints of a model are what protobuf's own
# reader takes for these messages, and its own writer writes of them
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
protoc=$1 protos=$2 command=$3 model=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$command" graph show --format onnx "$model" >"$work/onnx.pbtxt"
"$protoc" --proto_path="$protos" --encode=ge.onnx.ModelProto ge_onnx.proto <"$work/onnx.pbtxt" >"$work/onnx"
"$protoc" --proto_path="$protos" --decode=ge.onnx.ModelProto ge_onnx.proto <"$work/onnx" | diff -u "$work/onnx.pbtxt" -

"$command" graph show --format txt "$model" >"$work/txt"
"$protoc" --proto_path="$protos" --encode=ge.proto.ModelDef ge_ir.proto <"$work/txt" >"$work/air"
"$protoc" --proto_path="$protos" --decode=ge.proto.ModelDef ge_ir.proto <"$work/air" | diff -u "$work/txt" -
echo "texts: $(wc -l <"$work/onnx.pbtxt") and $(wc -l <"$work/txt") lines"
