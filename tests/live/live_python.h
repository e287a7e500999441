/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests on Python share. */
#ifndef LIVE_PYTHON_H
#define LIVE_PYTHON_H

#include "live.h"

/* The interpreters that gnomon knows; NULL past the last. */
char **live_pythons(struct live *t);

/* The folder that an interpreter is installed in, and its library; NULL: it has
 * none. */
char *live_python_home(struct live *t, const char *python);
char *live_python_library(struct live *t, const char *python);

#endif
