// SPDX-License-Identifier: BSD-2-Clause
#include "il_read.h"

#include <errno.h>

/* ECMA-335, II.25.4 */
#define TINY	      0x2
#define SECT_EH	      0x1
#define SECT_FAT      0x40
#define SECT_MORE     0x80
#define EH_FAT_SIZE   24
#define EH_SMALL_SIZE 12

int gn_il_read(const uint8_t *body, size_t size, struct gn_il_method *m)
{
	size_t header;

	*m = (struct gn_il_method){.body = body, .size = size};
	if (!size)
		return -EINVAL;
	if ((body[0] & 0x3) == TINY) {
		header = 1;
		m->code_size = body[0] >> 2;
		m->max_stack = 8;
	} else {
		header = GN_IL_FAT_DWORDS * 4;
		if ((body[0] & 0x7) != GN_IL_FAT || size < header ||
		    body[1] >> 4 != GN_IL_FAT_DWORDS)
			return -EINVAL;
		m->flags = (uint16_t)(gn_le_get(body, 2) & 0xfff);
		m->max_stack = (uint16_t)gn_le_get(body + 2, 2);
		m->code_size = gn_le_get(body + 4, 4);
		m->locals = gn_le_get(body + 8, 4);
	}
	if (!m->code_size || m->code_size > GN_IL_CODE_MAX ||
	    m->code_size > size - header)
		return -EINVAL;
	m->code = body + header;
	if (m->flags & GN_IL_MORE)
		m->sections = header + m->code_size;
	return 0;
}

/* Bytes of an instruction's operand (III.1.2, and each instruction); for a
 * switch, only its count. */
static unsigned int operand(unsigned int op)
{
	switch (op) {
	case 0x0e ... 0x13: /* ldarg.s .. stloc.s */
	case 0x1f:	    /* ldc.i4.s */
	case GN_IL_BR_S ... GN_IL_BLT_UN_S:
	case GN_IL_LEAVE_S:
		return 1;
	case GN_IL_LDC_I8:
	case 0x23: /* ldc.r8 */
		return 8;
	case GN_IL_LDC_I4:
	case 0x22: /* ldc.r4 */
	case GN_IL_JMP ... GN_IL_CALLI:
	case GN_IL_BR ... GN_IL_BLT_UN:
	case GN_IL_SWITCH:
	case 0x6f ... 0x75: /* callvirt .. isinst */
	case 0x79:	    /* unbox */
	case 0x7b ... 0x81: /* ldfld .. stobj */
	case 0x8c:
	case 0x8d:	    /* box, newarr */
	case 0x8f:	    /* ldelema */
	case 0xa3 ... 0xa5: /* ldelem .. unbox.any */
	case 0xc2:
	case 0xc6: /* refanyval, mkrefany */
	case 0xd0: /* ldtoken */
	case GN_IL_LEAVE:
		return 4;
	default:
		return 0;
	}
}

static unsigned int operand2(unsigned int op)
{
	switch (op) {
	case 0x06:
	case 0x07: /* ldftn, ldvirtftn */
	case 0x15:
	case 0x16: /* initobj, constrained. */
	case 0x1c: /* sizeof */
		return 4;
	case 0x09 ... GN_IL2_STLOC: /* ldarg .. stloc */
		return 2;
	case 0x12:
	case 0x19: /* unaligned., no. */
		return 1;
	default:
		return 0;
	}
}

bool gn_il_next(const struct gn_il_method *m, uint32_t at, struct gn_il_op *op)
{
	uint32_t left = m->code_size - at, n;

	if (!left)
		return false;
	*op = (struct gn_il_op){
		.at = at, .code = m->code[at], .operand = at + 1};
	n = operand(op->code);
	if (op->code == GN_IL_PREFIX) {
		if (left < 2)
			return false;
		op->code = 0x100 | m->code[at + 1];
		op->operand++;
		n = operand2(op->code & 0xff);
	}
	op->size = op->operand - at + n;
	if (op->size > left)
		return false;
	if (op->code == GN_IL_SWITCH) {
		n = gn_le_get(m->code + op->operand, 4);
		if (n > (left - op->size) / 4)
			return false;
		op->size += 4 * n;
	}
	return true;
}

uint32_t gn_il_targets(const struct gn_il_method *m, const struct gn_il_op *op)
{
	switch (op->code) {
	case GN_IL_SWITCH:
		return gn_le_get(m->code + op->operand, 4);
	case GN_IL_BR_S ... GN_IL_BLT_UN:
	case GN_IL_LEAVE:
	case GN_IL_LEAVE_S:
		return 1;
	default:
		return 0;
	}
}

uint32_t gn_il_target(const struct gn_il_method *m, const struct gn_il_op *op,
		      uint32_t i)
{
	const uint8_t *p = m->code + op->operand;
	uint32_t next = op->at + op->size;

	if (op->code == GN_IL_SWITCH)
		return next + gn_le_get(p + 4 + 4 * i, 4);
	/* a short one has one byte */
	return next + (op->size == 2 ? (uint32_t)(int8_t)*p : gn_le_get(p, 4));
}

void gn_il_clauses(const struct gn_il_method *m, struct gn_il_clauses *it)
{
	*it = (struct gn_il_clauses){
		.m = m, .next = m->sections, .more = m->sections};
}

/* Goes to the next section with clauses. 1; 0: there is none; -EINVAL. */
static int next_section(struct gn_il_clauses *it)
{
	const struct gn_il_method *m = it->m;

	while (it->more) {
		size_t at = (it->next + 3) & ~(size_t)3;
		const uint8_t *p = m->body + at;
		uint32_t n;

		if (at > m->size || m->size - at < 4)
			return -EINVAL;
		it->fat = *p & SECT_FAT;
		it->more = *p & SECT_MORE;
		n = gn_le_get(p + 1, it->fat ? 3 : 1);
		if (n < 4 || n > m->size - at)
			return -EINVAL;
		it->at = at + 4;
		it->next = at + n;
		it->i = 0;
		it->n = (n - 4) / (it->fat ? EH_FAT_SIZE : EH_SMALL_SIZE);
		if ((*p & 0x3f) == SECT_EH && it->n)
			return 1;
	}
	return 0;
}

int gn_il_next_clause(struct gn_il_clauses *it, struct gn_il_clause *c)
{
	bool fat;
	const uint8_t *p;

	if (it->i == it->n) {
		int found = next_section(it);

		if (found <= 0) {
			it->n = it->i;
			return found;
		}
	}
	fat = it->fat;
	p = it->m->body + it->at +
	    (size_t)it->i++ * (fat ? EH_FAT_SIZE : EH_SMALL_SIZE);
	c->flags = gn_le_get(p, fat ? 4 : 2);
	c->try_at = gn_le_get(p + (fat ? 4 : 2), fat ? 4 : 2);
	c->try_size = gn_le_get(p + (fat ? 8 : 4), fat ? 4 : 1);
	c->handler = gn_le_get(p + (fat ? 12 : 5), fat ? 4 : 2);
	c->handler_size = gn_le_get(p + (fat ? 16 : 7), fat ? 4 : 1);
	c->last = gn_le_get(p + (fat ? 20 : 8), 4);
	return 1;
}
