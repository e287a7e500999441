/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises async state machines by the names that compilers give them. */
#ifndef GNOMON_CLR_MD_ASYNC_H
#define GNOMON_CLR_MD_ASYNC_H

#include "il_async.h"
#include "metadata.h"

/* Whether a method is the MoveNext of an async state machine. */
bool gn_md_is_machine(const struct gn_md *md, uint32_t method);

/* The role of a member in a state machine. `ctx`: a struct gn_md. */
enum gn_il_member gn_md_machine_member(const void *ctx, gn_token member);

#endif
