/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that the program loads while it runs. */
#ifndef GNOMON_HOOKSITE_PRELOAD_DLOPEN_H
#define GNOMON_HOOKSITE_PRELOAD_DLOPEN_H

/* Runs before the program's dlopen(), and returns the C library's. */
void *gn_dlopen_before(const char *file, int mode);

#endif
