/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MoveNext of an async state machine, as compilers of C# and Visual Basic
 * make it: where it stores its state. A store tells what comes: of k >= 0, or
 * below -3 of an iterator that yields, the machine is suspended there; of -2
 * it completes, and if an exception was caught before, it is faulted or
 * cancelled. When it is entered its state tells whence: from -1, an iterator
 * from -3, it starts; else it goes on behind that point.
 *
 * The compiler of F# stores k >= 1 where a task is suspended, and begins at 0;
 * no store tells that it completes, but the builder's method that it calls
 * does. States are told as those of C#, one less.
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
	uint32_t at;   /* the offset of the stfld, or the call, in the code */
	int32_t state; /* as it is told */
	enum gn_il_store_kind kind;
};

struct gn_il_machine {
	gn_token field;		    /* the state's; a FieldDef or a MemberRef */
	int32_t more;		    /* the field has more than is told: 0, 1 */
	struct gn_il_store *stores; /* in the code's order */
	size_t n;
};

/* What a field or a method is to a machine. */
enum gn_il_member {
	GN_IL_NO_MEMBER,
	GN_IL_STATE,
	GN_IL_POINT, /* the state as F# has it */
	GN_IL_SETS_RESULT,
	GN_IL_SETS_ERROR,
};
typedef enum gn_il_member (*gn_il_member_fn)(const void *ctx, gn_token member);

/* 0; -ENOENT: it is no such method; -EINVAL, -ENOMEM. Freed by the caller. */
int gn_il_machine(const struct gn_il_method *m, gn_il_member_fn member,
		  const void *ctx, struct gn_il_machine *out);
void gn_il_machine_free(struct gn_il_machine *machine);

#endif
