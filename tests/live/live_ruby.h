/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests on Ruby share. */
#ifndef LIVE_RUBY_H
#define LIVE_RUBY_H

#include "live.h"

/* The interpreter. */
char *live_ruby(struct live *t);
/* The same; skips the test if that is not one of Ruby 3.1 to 3.3, of which
 * alone gnomon sees this. */
char *live_ruby_known(struct live *t, const char *what);

#endif
