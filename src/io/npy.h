/*
 * npy.h - arrays in numpy's .npy format: read as views, written whole
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1.0, 2.0 and 3.0.
 * float32 and float16 are read, in both byte orders and both memory orders. The format has no name for bfloat16, so
 * any array of two-byte elements is read as bfloat16 when the caller says so, and never otherwise.
 */
#ifndef RSTD_IO_NPY_H
#define RSTD_IO_NPY_H

#include "rstd/rstd.h"

/* Room for a sentence that says why a file was refused, without the name of the file. Longer ones are cut. */
#define NPY_REASON_SIZE 384

/* Room for any shape as text. */
#define NPY_SHAPE_SIZE 192

struct npy_array {
	rstd_tensor view;     /* native byte order; Fortran order shows as strides; valid until rstd__npy_close() */
	unsigned char *bytes; /* the file from its magic on: in the mapping, or else in a buffer of our own */
	size_t size;          /* bytes there */
	void *mapping;        /* NULL for a buffer */
	size_t mapping_size;
};

/* What the dictionary in the header says. */
struct npy_header {
	rstd_dtype dtype;
	bool swapped; /* elements are in the other byte order than this machine's */
	bool fortran_order;
	size_t rank;
	int64_t shape[RSTD_MAX_RANK];
};

/*
 * rstd__npy_open() - read an array.
 *
 * array    out: for the caller to give to rstd__npy_close(); on failure it holds nothing
 * path     in:  "-" is standard input
 * as_bf16  in:  elements of two bytes are bfloat16, whatever the file calls them
 * reason   out: on failure, why
 *
 * Regular files are mapped, privately: an array in the other byte order is swapped in memory, and no file is ever
 * written. Pipes are read to the end of the array and no further, into memory that grows with what has arrived. Bytes
 * after the array are ignored, as numpy does. If another process shortens a mapped file while it is in use, reading
 * the lost part raises SIGBUS, as with any mapping.
 */
bool rstd__npy_open(struct npy_array *array, const char *path, bool as_bf16, char reason[NPY_REASON_SIZE]);
void rstd__npy_close(struct npy_array *array);

/* The dictionary alone: length bytes of text, the newline at its end included. Reads nothing else; public for tests. */
bool rstd__npy_parse_header(const char *text, size_t length, bool as_bf16, struct npy_header *header,
                            char reason[NPY_REASON_SIZE]);

/*
 * Writes a row-major contiguous tensor to a descriptor: version 1.0, native byte order. bfloat16 gets the descr that
 * numpy has for it when ml_dtypes is loaded, two bytes of unknown type ('<V2').
 */
bool rstd__npy_write(int fd, const rstd_tensor *tensor, char reason[NPY_REASON_SIZE]);

/* A shape as Python writes it: "()", "(3,)", "(2, 3)". Returns text. */
char *rstd__npy_format_shape(char text[NPY_SHAPE_SIZE], const int64_t *shape, size_t rank);

#endif
