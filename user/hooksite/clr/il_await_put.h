/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of methods that the runtime itself suspends (struct gn_il_suspends). */
#ifndef GNOMON_CLR_IL_AWAIT_PUT_H
#define GNOMON_CLR_IL_AWAIT_PUT_H

#include "il.h"
#include "il_put.h"

/* Before await `number`, which the frame's local then holds; and where the
 * method goes on after the local's await. */
void gn_il_put_awaits(struct gn_il_text *t, const struct gn_il_hooks *hooks,
		      uint32_t number);
void gn_il_put_resumed(struct gn_il_text *t, const struct gn_il_hooks *hooks);

/* At the start of the method that is called for a suspension; of another, it
 * puts nothing. */
void gn_il_put_suspended(struct gn_il_text *t, const struct gn_il_hooks *hooks);

/* What is between these is left out after the session. gn_il_put_guard()
 * returns what gn_il_end_guard() takes. */
size_t gn_il_put_guard(struct gn_il_text *t, const struct gn_il_hooks *hooks);
void gn_il_end_guard(struct gn_il_text *t, size_t guard);

#endif
