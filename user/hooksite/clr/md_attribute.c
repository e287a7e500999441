// SPDX-License-Identifier: BSD-2-Clause
/* Attributes of methods. */
#include "md_columns.h"
#include "metadata.h"

/* II.24.2.6: MethodDef is the first kind of owner of an attribute. An attribute
 * is made by a constructor, which is a MethodDef or a MemberRef. */
#define OF_METHOD(row)	    ((row) << 5)
#define IS_OF_METHOD(coded) (!((coded)&0x1f))
#define MAKER_BITS	    3
#define MAKER_IS_METHOD	    2
#define MAKER_IS_MEMBER	    3

static uint32_t tag_of(uint32_t coded, unsigned int bits)
{
	return coded & ((1u << bits) - 1);
}

/* The type of the attribute as a TypeDefOrRef. 0: another kind of type. */
static uint32_t type_of(const struct gn_md *md, uint32_t maker)
{
	uint32_t tag = tag_of(maker, MAKER_BITS);
	gn_token row = maker >> MAKER_BITS;

	return tag == MAKER_IS_METHOD
		       ? gn_md_declarer(md, (gn_token)METHOD << 24 | row)
	       : tag == MAKER_IS_MEMBER
		       ? gn_md_declarer(md, (gn_token)MEMBER << 24 | row)
		       : 0;
}

void gn_md_marked(const struct gn_md *md, void (*each)(void *ctx, uint32_t row),
		  void *ctx)
{
	uint32_t type = GN_TOKEN_ROW(gn_md_find_type(
		md, "System.Runtime.Versioning", "NonVersionableAttribute"));

	if (!type)
		return;
	for (uint32_t i = 1; i <= md->table[ATTRIBUTE].count; i++) {
		uint32_t of = gn_md_cell(md, ATTRIBUTE, i, ATTRIBUTE_OF);
		uint32_t by = gn_md_cell(md, ATTRIBUTE, i, ATTRIBUTE_MAKER);

		if (IS_OF_METHOD(of) &&
		    tag_of(by, MAKER_BITS) == MAKER_IS_METHOD &&
		    gn_md_type_of(md, by >> MAKER_BITS) == type)
			each(ctx, of >> 5);
	}
}

bool gn_md_from_native(const struct gn_md *md, uint32_t method)
{
	uint32_t i =
		gn_md_first(md, ATTRIBUTE, ATTRIBUTE_OF, OF_METHOD(method));

	for (; i <= md->table[ATTRIBUTE].count; i++) {
		uint32_t by = gn_md_cell(md, ATTRIBUTE, i, ATTRIBUTE_MAKER);
		uint32_t type = type_of(md, by);

		if (gn_md_cell(md, ATTRIBUTE, i, ATTRIBUTE_OF) !=
		    OF_METHOD(method))
			break;
		if (type &&
		    gn_md_is_called(md, type, "System.Runtime.InteropServices",
				    "UnmanagedCallersOnlyAttribute"))
			return true;
	}
	return false;
}
