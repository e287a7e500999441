// SPDX-License-Identifier: BSD-2-Clause
#include "runtime/values.h"
#include "runtime/filter.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text;
	int size;
} types[] = {
#define TYPE(name, value, text, size) [GN_VALUE_##name] = {text, size},
	GN_VALUE_LIST(TYPE)
#undef TYPE
};

/* The registers of integers and pointers, by the System V ABI, 3.2.3. */
static const uint8_t registers[GN_VALUES_MAX] = {
	GN_REG_AX, GN_REG_DI, GN_REG_SI, GN_REG_DX,
	GN_REG_CX, GN_REG_R8, GN_REG_R9,
};

static size_t word_end(const char *text)
{
	return strcspn(text, "/,");
}

bool gn_asked_same(const struct gn_value_spec *a, const struct gn_value_spec *b)
{
	return a->which == b->which &&
	       (!a->which ||
		GN_VALUE_IS_FLOAT(a->type) == GN_VALUE_IS_FLOAT(b->type));
}

/* 0 is the result; -1: no such value. */
static int find_which(const char *word, size_t len, bool probe)
{
	int last = probe ? GN_NOTE_ARGS : GN_VALUES_MAX - 1, n = 0;

	if (len == 3 && !strncmp(word, "ret", 3) && !probe)
		return 0;
	if (len == 4 && !strncmp(word, "this", 4) && !probe)
		return GN_VALUE_THIS;
	if (len < 4 || len > 5 || strncmp(word, "arg", 3) || word[3] == '0')
		return -1;
	for (size_t i = 3; i < len; i++) {
		if (word[i] < '0' || word[i] > '9')
			return -1;
		n = 10 * n + word[i] - '0';
	}
	return n <= last ? n : -1;
}

static uint8_t find_type(const char *word, size_t len)
{
	for (uint8_t i = 1; i < GN_VALUE_TYPE_COUNT; i++)
		if (types[i].size && strlen(types[i].text) == len &&
		    !strncmp(types[i].text, word, len))
			return i;
	return 0;
}

bool gn_asked_by_register(uint8_t type)
{
	return !GN_VALUE_IS_FLOAT(type) && type != GN_VALUE_CLASS;
}

/* Parses one VALUE at *at and moves *at past it. */
static int take_value(const char *text, size_t *at, bool probe,
		      struct gn_value_spec *v, const char **want)
{
	size_t len = word_end(text + *at);
	int which = find_which(text + *at, len, probe);
	bool typed = false;

	*want = probe ? "give arg1 to arg12" : "give arg1 to arg6, ret or this";
	if (which < 0)
		return -EINVAL;
	*at += len;
	v->which = (uint8_t)which;
	v->type = which == GN_VALUE_THIS ? GN_VALUE_CLASS : GN_VALUE_I64;
	if (text[*at] == '/') {
		len = word_end(text + ++*at);
		*want = probe ? "give i8 to i64, u8 to u64, ptr, bool or str"
			: which == GN_VALUE_THIS
				? "give class, its only type"
				: "give i8 to i64, u8 to u64, f32, f64, ptr, "
				  "bool, str or class";
		v->type = find_type(text + *at, len);
		if (!v->type || (probe && !gn_asked_by_register(v->type)) ||
		    (which == GN_VALUE_THIS && v->type != GN_VALUE_CLASS))
			return -EINVAL;
		*at += len;
		typed = true;
	}
	if (typed || !probe)
		v->at.size = (int8_t)types[v->type].size;
	v->own = !typed && !probe && which != GN_VALUE_THIS;
	if (probe || !gn_asked_by_register(v->type))
		return 0;
	v->at.how = GN_HOW_REGISTER;
	v->at.reg = registers[which];
	return 0;
}

static int take_values(const char *text, size_t *at, bool probe,
		       struct gn_value_specs *values, const char **want)
{
	for (size_t n = 0;; n++) {
		int err;

		*want = "at most seven values can be recorded";
		if (n == GN_VALUES_MAX)
			return -EINVAL;
		err = take_value(text, at, probe, &values->value[n], want);
		if (err)
			return err;
		for (size_t i = 0; i < n; i++)
			if (gn_asked_same(&values->value[i],
					  &values->value[n])) {
				*want = "each value can be given once";
				return -EINVAL;
			}
		if (!text[*at])
			return 0;
		*want = "give a comma and another value, or nothing";
		if (text[*at] != ',')
			return -EINVAL;
		++*at;
	}
}

int gn_asked_parse(const char *text, struct gn_asked *out, size_t *at,
		   const char **want)
{
	/* names have colons, values have none */
	const char *colon = strrchr(text, ':');
	int err;

	memset(out, 0, sizeof(*out));
	*at = strlen(text);
	*want = "give FUNC:VALUE, as in 'open:arg1/str,ret'";
	if (!colon)
		return -EINVAL;
	if (colon == text || *text == '!') {
		*at = 0;
		return -EINVAL;
	}
	*at = (size_t)(colon + 1 - text);
	out->function = strndup(text, (size_t)(colon - text));
	if (!out->function)
		return -ENOMEM;
	err = take_values(text, at, gn_filter_is_usdt(out->function),
			  &out->values, want);
	if (err)
		gn_asked_clear(out);
	return err;
}

void gn_asked_clear(struct gn_asked *a)
{
	free(a->function);
	a->function = NULL;
}

static int bytes(int size)
{
	return size < 0 ? -size : size;
}

/* The type of an integer of this size; negative: signed. */
static uint8_t integer_of(int size)
{
	switch (size) {
	case -1:
		return GN_VALUE_I8;
	case -2:
		return GN_VALUE_I16;
	case -4:
		return GN_VALUE_I32;
	case -8:
		return GN_VALUE_I64;
	case 1:
		return GN_VALUE_U8;
	case 2:
		return GN_VALUE_U16;
	case 4:
		return GN_VALUE_U32;
	default:
		return GN_VALUE_U64;
	}
}

/* Extends a number of this size to 64 bits; negative: signed. */
static int64_t extended(int64_t value, int size)
{
	int shift = 64 - 8 * bytes(size);
	uint64_t high = (uint64_t)value << shift;

	return size < 0 ? (int64_t)high >> shift : (int64_t)(high >> shift);
}

const char *gn_asked_of_probe(const struct gn_value_spec *asked,
			      const struct gn_note *note,
			      struct gn_value_spec *out)
{
	const struct gn_operand *op = &note->arg[asked->which - 1];
	int size = asked->at.size; /* 0: as the note says */

	if (asked->which > note->nargs)
		return "the probe has fewer arguments";
	if (op->how == GN_HOW_NONE)
		return "its location cannot be read";
	if (asked->type == GN_VALUE_STR && bytes(op->size) != 8)
		return "it is too small to be the address of a string";
	*out = *asked;
	out->flags = GN_F_OF_HIT;
	out->at = *op;
	if (!size)
		out->type = integer_of(op->size);
	else if (asked->type != GN_VALUE_BOOL && bytes(size) <= bytes(op->size))
		out->at.size = (int8_t)size;
	if (op->how == GN_HOW_CONSTANT)
		out->at.value = extended(op->value, out->at.size);
	return NULL;
}
