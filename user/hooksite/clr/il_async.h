/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds where the MoveNext of an async state machine stores its state, as the
 * compilers of C# and Visual Basic make it. The stored value says what comes
 * next. At k >= 0, or below -3 when an iterator yields, the machine suspends.
 * At -2 it completes; if an exception was caught before, it is faulted or
 * cancelled. On entry, the state says where the machine is: at -1, or -3 for an
 * iterator, it starts; otherwise it continues after that point.
 *
 * The F# compiler starts at 0 and stores k >= 1 where a task suspends. No store
 * shows that the task completes, but a call of the builder's method does. The
 * reported states are one less, as in C#.
 *
 * The end of the method shows nothing: another thread may run the machine by
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
	int32_t state; /* as reported */
	enum gn_il_store_kind kind;
};

struct gn_il_machine {
	gn_token field;		    /* the state's; a FieldDef or a MemberRef */
	int32_t more;		    /* its value less the reported one: 0, 1 */
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

/* 0; -ENOENT: it is no such method; -EINVAL, -ENOMEM. The caller frees `out`
 * with gn_il_machine_free(). */
int gn_il_machine(const struct gn_il_method *m, gn_il_member_fn member,
		  const void *ctx, struct gn_il_machine *out);
void gn_il_machine_free(struct gn_il_machine *machine);

#endif
