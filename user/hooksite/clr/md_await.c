// SPDX-License-Identifier: BSD-2-Clause
#include "md_await.h"

#include <string.h>

#include "elements.h"
#include "md_columns.h"
#include "sig.h"

#define SERVICES "System.Runtime.CompilerServices"
#define HELPERS	 "AsyncHelpers"

/* II.24.2.6: MethodDefOrRef */
#define OF_BITS	  1
#define OF_MEMBER 1

/* The generic method of an instance. */
static gn_token generic_of(const struct gn_md *md, gn_token method)
{
	uint32_t of;

	if (GN_TOKEN_TABLE(method) != INSTANCE)
		return method;
	of = gn_md_cell(md, INSTANCE, GN_TOKEN_ROW(method), INSTANCE_OF);
	return (gn_token)(of & OF_MEMBER ? MEMBER : METHOD) << 24 |
	       of >> OF_BITS;
}

static const char *name_of(const struct gn_md *md, gn_token method)
{
	uint32_t row = GN_TOKEN_ROW(method);

	return GN_TOKEN_TABLE(method) == METHOD
		       ? gn_md_string(md, METHOD, row, METHOD_NAME)
		       : gn_md_string(md, MEMBER, row, MEMBER_NAME);
}

static bool is_await(const struct gn_md *md, gn_token method, const char *name)
{
	static const char *const names[] = {"Await", "AwaitAwaiter",
					    "UnsafeAwaitAwaiter"};
	uint32_t type = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			type = gn_md_declarer(md, method);
	return type && gn_md_is_called(md, type, SERVICES, HELPERS);
}

enum gn_il_call gn_md_call(const void *ctx, gn_token method)
{
	const struct gn_md *md = ctx;
	const char *name;

	method = generic_of(md, method);
	name = name_of(md, method);
	if (is_await(md, method, name))
		return GN_IL_AWAITS;
	return strcmp(name, "ConfigureAwait") ? GN_IL_CALLS : GN_IL_CONFIGURES;
}

bool gn_md_suspends_others(const char *name)
{
	static const char helpers[] = SERVICES "." HELPERS;

	return !strncmp(name, helpers, sizeof(helpers) - 1);
}

/* The first of a type's rows in another table (`of`: the column of its first
 * one), and the one behind the last. */
static uint32_t rows_of(const struct gn_md *md, gn_token type, uint32_t of,
			uint32_t table, uint32_t *end)
{
	uint32_t row = GN_TOKEN_ROW(type);

	*end = row < md->table[TYPEDEF].count
		       ? gn_md_cell(md, TYPEDEF, row + 1, of)
		       : md->table[table].count + 1;
	return gn_md_cell(md, TYPEDEF, row, of);
}

static gn_token find_member(const struct gn_md *md, gn_token type, bool field,
			    const char *name)
{
	uint32_t table = field ? FIELD : METHOD, end;
	uint32_t column = field ? FIELD_NAME : METHOD_NAME;
	uint32_t i = type ? rows_of(md, type,
				    field ? TYPEDEF_FIELDS : TYPEDEF_METHODS,
				    table, &end)
			  : 0;

	for (; i && i < end && i <= md->table[table].count; i++)
		if (!strcmp(gn_md_string(md, table, i, column), name))
			return (gn_token)table << 24 | i;
	return 0;
}

/* Whether a method's first argument is the address of a value of this type. */
static bool takes(const struct gn_md *md, gn_token method, gn_token type)
{
	struct gn_bytes sig = gn_md_method_sig(md, GN_TOKEN_ROW(method)), arg;
	bool of_object;
	uint32_t n;

	if (!gn_sig_params(&sig, &arg, 1, &n, &of_object) || !of_object || !n ||
	    arg.n < 2 || *arg.at != EL_BYREF)
		return false;
	arg.at++, arg.n--;
	return gn_sig_value_type(&arg) == type;
}

bool gn_md_find_suspends(const struct gn_md *core, struct gn_md_suspends *found)
{
	gn_token state = gn_md_find_type(core, "", "RuntimeAsyncAwaitState");

	found->field = find_member(core, state, true, "StackState");
	found->method = find_member(
		core, gn_md_find_type(core, "", "RuntimeAsyncTask`1"), false,
		"HandleSuspended");
	return found->field && found->method &&
	       takes(core, found->method, state);
}
