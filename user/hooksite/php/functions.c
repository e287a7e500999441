// SPDX-License-Identifier: BSD-2-Clause
#include "functions.h"

#include <string.h>

#include "../named.h"
#include "hooksite/clr/filter.h"
#include "names/php_name.h"

#define KNOWN	  16384 /* a power of two */
#define NAME_MAX  512
#define PATH_ROOM 1024

/*
 * A function that was seen. The engine frees texts at the end of a request, and
 * can give their addresses to others, so it is known by what they contain.
 */
static struct known {
	uint64_t key; /* 0: free */
	const struct gn_php_string *name;
	uint32_t index;
} known[KNOWN];

void gn_functions_begin(const char *filter)
{
	gn_named_begin(filter, gn_filter_hooks);
}

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static bool is_hashed(const struct gn_php_string *s)
{
	return !s || s->hash;
}

static struct gn_php_text text_of(const struct gn_php_string *s)
{
	if (!s)
		return (struct gn_php_text){{"", 0}, 0};
	return (struct gn_php_text){{s->text, strnlen(s->text, s->len)},
				    s->len};
}

static void put_path(char to[PATH_ROOM], const struct gn_span *path)
{
	size_t n = path->n < PATH_ROOM ? path->n : PATH_ROOM - 1;

	memcpy(to, path->at, n);
	to[n] = '\0';
}

static uint32_t index_of(const struct gn_php_string *name,
			 const struct gn_php_string *class,
			 const struct gn_php_string *file, uint32_t line)
{
	struct gn_php_text texts[] = {text_of(name), text_of(class),
				      text_of(file)};
	char text[NAME_MAX] = "", path[PATH_ROOM];
	struct gn_spell o = {.at = text, .left = sizeof(text)};

	gn_php_put_function(&o, &texts[0], &texts[1], texts[2].text, line);
	put_path(path, &texts[2].text);
	return gn_named_index(text, path, line);
}

uint32_t gn_function_of(const struct gn_php_frame *frame)
{
	bool is_code = frame->bits & GN_PHP_CODE;
	const struct gn_php_code *code = frame->code;
	const struct gn_php_string *name = is_code ? NULL : code->name;
	const struct gn_php_string *class =
		name && code->class ? code->class->name : NULL;
	const struct gn_php_string *file;
	struct known *k;
	uint32_t line;
	uint64_t key;

	file = gn_php_place(code, &line);
	if (!is_hashed(name) || !is_hashed(class) || !is_hashed(file))
		return index_of(name, class, file, line);
	key = mix(
		mix(mix(mix(1, name ? name->hash : 0), class ? class->hash : 0),
		    file ? file->hash : 0),
		line);
	k = &known[key & (KNOWN - 1)];
	if (k->key != key || k->name != name)
		*k = (struct known){key, name,
				    index_of(name, class, file, line)};
	return k->index;
}
