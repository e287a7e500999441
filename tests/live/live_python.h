/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests on Python share. */
#ifndef LIVE_PYTHON_H
#define LIVE_PYTHON_H

#include "live.h"

/* The interpreters that gnomon knows; NULL past the last. */
char **live_pythons(struct live *t);

#endif
