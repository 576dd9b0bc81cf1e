/*
 * message.h - what the command says when it fails, and its exit status
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RSTD_CLI_MESSAGE_H
#define RSTD_CLI_MESSAGE_H

enum exit_status {
	STATUS_OK = 0,
	STATUS_DATA = 1,  /* bad data or files */
	STATUS_USAGE = 2, /* a bad command line */
};

/* One line on standard error, after "rstd: ". */
void rstd__complain(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
