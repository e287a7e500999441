/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the awaits of a method that the runtime itself suspends (md_await.h).
 *
 * The JIT compiler awaits a method without a task for it where IL calls the
 * method and passes the task to AsyncHelpers.Await() at once, or by way of
 * ConfigureAwait(). Nothing may be put between these calls.
 */
#ifndef GNOMON_CLR_IL_AWAIT_H
#define GNOMON_CLR_IL_AWAIT_H

#include "il_read.h"

/* What a called method does. */
enum gn_il_call {
	GN_IL_CALLS,
	GN_IL_AWAITS,	  /* can suspend its caller */
	GN_IL_CONFIGURES, /* says how a task is awaited */
};
typedef enum gn_il_call (*gn_il_call_fn)(const void *ctx, gn_token method);

/* Offsets in the code: of the first call that belongs to the await, and of the
 * one that can suspend. */
struct gn_il_await {
	uint32_t begin, at;
};

/* In the code's order. */
struct gn_il_awaits {
	struct gn_il_await *each;
	uint32_t n;
};

/* The shadow stack has room for no higher number. */
#define GN_IL_AWAITS_MAX 0x3ffe

/* 0; -E2BIG: more than GN_IL_AWAITS_MAX; -EINVAL, -ENOMEM. The caller frees
 * `out` with gn_il_awaits_free(). */
int gn_il_find_awaits(const struct gn_il_method *m, gn_il_call_fn call,
		      const void *ctx, struct gn_il_awaits *out);
void gn_il_awaits_free(struct gn_il_awaits *awaits);

#endif
