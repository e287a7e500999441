/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes IL: single instructions, and calls of hooks. */
#ifndef GNOMON_CLR_IL_PUT_H
#define GNOMON_CLR_IL_PUT_H

#include "il.h"

/* All zeros is empty; `bytes` is from malloc(). */
struct gn_il_text {
	uint8_t *bytes;
	size_t n, cap;
	int err; /* -ENOMEM: something was not written */
};

/* The low `n` bytes of a number. */
void gn_il_put(struct gn_il_text *t, uint64_t v, unsigned int n);
void gn_il_put_bytes(struct gn_il_text *t, const uint8_t *bytes, size_t n);
/* One of GN_IL2_*, with the number of a local or an argument. */
void gn_il_put_op2(struct gn_il_text *t, unsigned int op, uint16_t which);

/* The first argument of a hook, and the call with its StandAloneSig. The other
 * arguments go in between. */
void gn_il_put_index(struct gn_il_text *t, const struct gn_il_hooks *hooks);
void gn_il_put_address(struct gn_il_text *t, uint64_t address);
void gn_il_put_call(struct gn_il_text *t, gn_token call, uint64_t hook);

/* The place of a value: of the local `*local`, or of an argument if `local` is
 * NULL. */
void gn_il_put_place(struct gn_il_text *t, const struct gn_il_value *v,
		     const uint16_t *local);

/* For an async state machine. entered: reports the state on entry. store:
 * reports what a store of the state means, before the stfld or the call that
 * completes the machine. loaded: removes the tags after an ldfld of the state.
 */
void gn_il_put_entered(struct gn_il_text *t, const struct gn_il_hooks *hooks);
void gn_il_put_store(struct gn_il_text *t, const struct gn_il_hooks *hooks,
		     const struct gn_il_store *store);
void gn_il_put_loaded(struct gn_il_text *t, const struct gn_il_hooks *hooks);

#endif
