/* SPDX-License-Identifier: BSD-2-Clause */
/* IL as it is written: single instructions, and the calls of hooks. */
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
/* One of GN_IL2_*, with a local or an argument. */
void gn_il_put_op2(struct gn_il_text *t, unsigned int op, uint16_t which);

/* The first argument of a hook, and the call by its StandAloneSig, with the
 * others in between. */
void gn_il_put_index(struct gn_il_text *t, const struct gn_il_hooks *hooks);
void gn_il_put_address(struct gn_il_text *t, uint64_t address);
void gn_il_put_call(struct gn_il_text *t, gn_token call, uint64_t hook);

/* The place of a value, that of an argument unless `local` says where it is. */
void gn_il_put_place(struct gn_il_text *t, const struct gn_il_value *v,
		     const uint16_t *local);

/* Of an async state machine: the state that it is entered with is told; what a
 * store of the state says is told, before the stfld, or before the call that
 * completes it; and behind each ldfld of the state, what is not of the program
 * is taken away. */
void gn_il_put_entered(struct gn_il_text *t, const struct gn_il_hooks *hooks);
void gn_il_put_store(struct gn_il_text *t, const struct gn_il_hooks *hooks,
		     const struct gn_il_store *store);
void gn_il_put_loaded(struct gn_il_text *t, const struct gn_il_hooks *hooks);

#endif
