/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests on Ruby share. */
#ifndef LIVE_RUBY_H
#define LIVE_RUBY_H

#include "live.h"

/* The interpreter. */
char *live_ruby(struct live *t);
/* The same; skips the test if that is not Ruby 3.1, the only one of which
 * gnomon sees this. */
char *live_ruby_3_1(struct live *t, const char *what);

#endif
