// SPDX-License-Identifier: BSD-2-Clause
#include "runtime/values.h"

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

/* 0 is the result, -1 no value. */
static int find_which(const char *word, size_t len)
{
	if (len == 3 && !strncmp(word, "ret", 3))
		return 0;
	if (len == 4 && !strncmp(word, "arg", 3) && word[3] >= '1' &&
	    word[3] < '0' + GN_VALUES_MAX)
		return word[3] - '0';
	return -1;
}

static uint8_t find_type(const char *word, size_t len)
{
	for (uint8_t i = 1; i < GN_VALUE_TYPE_COUNT; i++)
		if (strlen(types[i].text) == len &&
		    !strncmp(types[i].text, word, len))
			return i;
	return 0;
}

/* One VALUE at *at, which is moved behind it. */
static int take_value(const char *text, size_t *at, struct gn_value_spec *v,
		      const char **want)
{
	size_t len = word_end(text + *at);
	int which = find_which(text + *at, len);

	*want = "give arg1 to arg6 or ret";
	if (which < 0)
		return -EINVAL;
	*at += len;
	v->which = (uint8_t)which;
	v->type = GN_VALUE_I64;
	if (text[*at] == '/') {
		len = word_end(text + ++*at);
		*want = "give i8 to i64, u8 to u64, ptr, bool or str";
		v->type = find_type(text + *at, len);
		if (!v->type)
			return -EINVAL;
		*at += len;
	}
	v->at.how = GN_HOW_REGISTER;
	v->at.reg = registers[which];
	v->at.size = (int8_t)types[v->type].size;
	return 0;
}

static int take_values(const char *text, size_t *at,
		       struct gn_value_specs *values, const char **want)
{
	for (size_t n = 0;; n++) {
		int err;

		*want = "each value can be given once";
		if (n == GN_VALUES_MAX)
			return -EINVAL;
		err = take_value(text, at, &values->value[n], want);
		if (err)
			return err;
		for (size_t i = 0; i < n; i++)
			if (values->value[i].which == values->value[n].which) {
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
	err = take_values(text, at, &out->values, want);
	if (err)
		return err;
	out->function = strndup(text, (size_t)(colon - text));
	return out->function ? 0 : -ENOMEM;
}

void gn_asked_clear(struct gn_asked *a)
{
	free(a->function);
	a->function = NULL;
}
