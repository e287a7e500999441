/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MoveNext of an async state machine, as compilers of C# and Visual Basic
 * make it: where it stores its state. A store tells what comes: of k >= 0, or
 * below -3 of an iterator that yields, the machine is suspended there; of -2
 * it completes, and if an exception was caught before, it is faulted or
 * cancelled. When it is entered its state tells whence: from -1, an iterator
 * from -3, it starts; else it goes on behind that point.
 *
 * The end of the method tells nothing: another thread may run the machine by
 * then.
 */
#ifndef GNOMON_CLR_IL_ASYNC_H
#define GNOMON_CLR_IL_ASYNC_H

#include "il_read.h"

enum gn_il_store_kind {
	GN_IL_SUSPENDS,
	GN_IL_COMPLETES,
	GN_IL_FAULTS,
};

struct gn_il_store {
	uint32_t at; /* the stfld's offset in the code */
	int32_t state;
	enum gn_il_store_kind kind;
};

struct gn_il_machine {
	gn_token field;		    /* the state's; a FieldDef or a MemberRef */
	struct gn_il_store *stores; /* in the code's order */
	size_t n;
};

/* Whether a token is of a field that holds a state. */
typedef bool (*gn_il_is_state_fn)(void *ctx, gn_token field);

/* 0; -ENOENT: it is no such method; -EINVAL, -ENOMEM. Freed by the caller. */
int gn_il_machine(const struct gn_il_method *m, gn_il_is_state_fn is_state,
		  void *ctx, struct gn_il_machine *out);
void gn_il_machine_free(struct gn_il_machine *machine);

/* The names that compilers give the field. */
bool gn_il_state_name(const char *field);

#endif
