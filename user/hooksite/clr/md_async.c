// SPDX-License-Identifier: BSD-2-Clause
#include "md_async.h"

#include <string.h>

#include "md_columns.h"
#include "sig.h"

#define SERVICES "System.Runtime.CompilerServices"

/* II.24.2.6, MemberRefParent */
#define PARENT_BITS	   3
#define PARENT_IS_TYPEREF  1
#define PARENT_IS_TYPESPEC 4

bool gn_md_is_machine(const struct gn_md *md, uint32_t method)
{
	struct gn_md_method m;

	gn_md_method(md, method, &m);
	return !strcmp(m.name, "MoveNext") &&
	       gn_md_implements(md, gn_md_type_of(md, method), SERVICES,
				"IAsyncStateMachine");
}

/* The TypeRef of the type that declares a MemberRef, without type arguments. 0:
 * the parent is another kind of type. */
static uint32_t typeref_of(const struct gn_md *md, uint32_t member)
{
	uint32_t parent = gn_md_cell(md, MEMBER, member, MEMBER_PARENT_TYPE);
	uint32_t row = parent >> PARENT_BITS;
	struct gn_bytes type;
	gn_token token;

	switch (parent & ((1u << PARENT_BITS) - 1)) {
	case PARENT_IS_TYPEREF:
		return row;
	case PARENT_IS_TYPESPEC:
		type = gn_md_blob(md, gn_md_cell(md, TYPESPEC, row, 0));
		token = gn_sig_value_type(&type);
		return GN_TOKEN_TABLE(token) == TYPEREF ? GN_TOKEN_ROW(token)
							: 0;
	default:
		return 0;
	}
}

/* AsyncTaskMethodBuilder and similar types, generic or not. */
static bool is_of_builder(const struct gn_md *md, gn_token member)
{
	uint32_t type = GN_TOKEN_TABLE(member) == MEMBER
				? typeref_of(md, GN_TOKEN_ROW(member))
				: 0;

	return type &&
	       !strcmp(gn_md_string(md, TYPEREF, type, TYPEREF_SPACE),
		       SERVICES) &&
	       strstr(gn_md_string(md, TYPEREF, type, TYPEREF_NAME),
		      "MethodBuilder");
}

enum gn_il_member gn_md_machine_member(const void *ctx, gn_token member)
{
	static const struct {
		const char *name;
		enum gn_il_member is;
	} members[] = {
		{"<>1__state", GN_IL_STATE},
		{"$State", GN_IL_STATE},
		{"ResumptionPoint", GN_IL_POINT},
		{"SetResult", GN_IL_SETS_RESULT},
		{"SetException", GN_IL_SETS_ERROR},
	};
	const struct gn_md *md = ctx;
	const char *name = gn_md_field(md, member);

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!strcmp(name, members[i].name))
			return members[i].is < GN_IL_SETS_RESULT ||
					       is_of_builder(md, member)
				       ? members[i].is
				       : GN_IL_NO_MEMBER;
	return GN_IL_NO_MEMBER;
}
