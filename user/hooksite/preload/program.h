/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a library can be preloaded into a program. Async-signal-safe. */
#ifndef GNOMON_HOOKSITE_PRELOAD_PROGRAM_H
#define GNOMON_HOOKSITE_PRELOAD_PROGRAM_H

#include <sys/types.h>

enum gn_program_fit {
	GN_PROGRAM_FITS,
	GN_PROGRAM_FOREIGN, /* static, of Go, of another C library or machine */
	GN_PROGRAM_PRIVILEGED, /* it gets privileges */
	GN_PROGRAM_SANITIZED,  /* its sanitizer must be the first library */
	GN_PROGRAM_ALONE,      /* it is no interpreter, and starts none */
};

/* Looks at what the kernel starts for this path: of a script, its
 * interpreter. `uid`: who starts it. */
enum gn_program_fit gn_program_fit(const char *path, uid_t uid);
/* Opens that. Negative: it cannot be read. */
int gn_program_open(const char *path);

#endif
