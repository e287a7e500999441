/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests on Ruby share. */
#ifndef LIVE_RUBY_H
#define LIVE_RUBY_H

#include "live.h"

/* The interpreter. */
char *live_ruby(struct live *t);

#endif
