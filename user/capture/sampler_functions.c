// SPDX-License-Identifier: BSD-2-Clause
/* Functions of interpreters in samples, which the BPF programs name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/fnv.h>
#include <gnomon/utf8.h>
#include "capture/drain.h"
#include "capture/sampler_parts.h"
#include "runtime/php.h"
#include "runtime/runtime.h"

/* Limits of what programs can make gnomon keep: functions of different names,
 * files or lines, and the bytes of these. */
#define FUNCTIONS_MAX (1u << 17)
#define BYTES_MAX     (64u << 20)
#define INDEXES_MAX   (1u << 22)

/* Numbers of source files, among those of modules. */
#define FIRST_SOURCE (3u << 30)

/* Memory for a text in UTF-8, of up to three bytes for two in memory. */
#define UTF8_MAX (2 * GN_INTERPRETED_TEXT)

struct known {
	char *text; /* NULL: free */
	size_t len;
	uint32_t number; /* a function, or a source file */
};

struct gn_sampler_functions {
	gn_sampler_put put;
	void *ctx;
	struct gn_sampler_names *names;
	uint32_t *func; /* by index; 0: none */
	size_t room;
	struct known *known; /* a hash table; `size` is a power of two */
	size_t nknown, size, bytes;
	uint32_t sources;
};

struct gn_sampler_functions *
gn_sampler_functions_new(gn_sampler_put put, void *ctx,
			 struct gn_sampler_names *names)
{
	struct gn_sampler_functions *p = calloc(1, sizeof(*p));

	if (p) {
		p->put = put;
		p->ctx = ctx;
		p->names = names;
	}
	return p;
}

void gn_sampler_functions_free(struct gn_sampler_functions *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->size; i++)
		free(p->known[i].text);
	free(p->known);
	free(p->func);
	free(p);
}

/* '?' stands for a NUL, which would end the text, and for what is no character.
 */
static uint32_t shown(uint32_t c)
{
	bool is_half = c >= 0xd800 && c <= 0xdfff;

	return c && !is_half && c < 0x110000 ? c : '?';
}

/* Appends a text in UTF-8. */
static char *put_text(char *to, const struct gn_interpreted_text *text)
{
	bool encoded = text->width == GN_INTERPRETED_UTF8;
	uint32_t bytes = text->bytes, width = encoded ? 1 : text->width, c;

	if ((width != 1 && width != 2 && width != 4) ||
	    bytes > GN_INTERPRETED_TEXT)
		return to;
	for (uint32_t i = 0; i + width <= bytes; i += width) {
		c = 0;
		memcpy(&c, text->text + i, width);
		if (encoded)
			*to++ = c ? (char)c : '?';
		else
			to += gn_utf8_encode(shown(c), to);
	}
	return to;
}

/* Appends the owner of a function, and what separates the two. Ruby's are
 * written as its documentation does it. */
static char *put_owner(char *to, const struct gn_rec_interpreted *r)
{
	char *begin = to;

	if (r->owns == GN_OWNER_NONE)
		return to;
	if (r->owns == GN_OWNER_OBJECT)
		to = stpcpy(to, "#<");
	to = put_text(to, &r->owner);
	if (to == begin)
		to = stpcpy(to, "#<Class>");
	if (r->owns == GN_OWNER_OBJECT)
		*to++ = '>';
	*to++ = r->owns == GN_OWNER_CLASS ? '#' : '.';
	return to;
}

static char *put_lead(char *to, const struct gn_rec_interpreted *r)
{
	if (r->lead_bytes > GN_INTERPRETED_LEAD)
		return to;
	for (uint32_t i = 0; i < r->lead_bytes; i++)
		*to++ = r->lead[i] ?: '?';
	return to;
}

static struct gn_name_part part_of(const struct gn_interpreted_text *text)
{
	uint32_t bytes = text->bytes;

	if (bytes > GN_INTERPRETED_TEXT)
		bytes = 0;
	return (struct gn_name_part){
		.text = text->text,
		.len = strnlen(text->text, bytes),
		.all = bytes,
	};
}

/* As functions of PHP that are traced. The file follows. */
static char *put_php(char *to, size_t room, const struct gn_rec_interpreted *r)
{
	const struct gn_name_part part[GN_PHP_PARTS] = {
		[GN_PHP_NAME] = part_of(&r->name),
		[GN_PHP_CLASS] = part_of(&r->owner),
		[GN_PHP_SCRIPT] = part_of(&r->file),
	};
	char file[GN_INTERPRETED_TEXT + 1];

	gn_runtime_of(GN_RUNTIME_PHP)
		->name(GN_PHP_FUNCTION, part, r->line, to, room, file,
		       sizeof(file));
	to += strlen(to) + 1;
	return stpcpy(to, file);
}

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t h = gn_fnv(GN_FNV, text, len);

	return h ^ h >> 32;
}

/* The place of a text in the table: its own, or a free one. */
static struct known *place_of(struct known *known, size_t size,
			      const char *text, size_t len)
{
	size_t i = hash_of(text, len) & (size - 1);

	while (known[i].text &&
	       (known[i].len != len || memcmp(known[i].text, text, len) != 0))
		i = (i + 1) & (size - 1);
	return &known[i];
}

static bool grow_known(struct gn_sampler_functions *p)
{
	size_t size = p->size ? p->size * 2 : 256;
	struct known *grown;

	if (p->nknown * 2 < p->size)
		return true;
	grown = calloc(size, sizeof(*grown));
	if (!grown)
		return false;
	for (size_t i = 0; i < p->size; i++)
		if (p->known[i].text)
			*place_of(grown, size, p->known[i].text,
				  p->known[i].len) = p->known[i];
	free(p->known);
	p->known = grown;
	p->size = size;
	return true;
}

/* The entry of a text, which is new if its number is 0. NULL: no room. */
static struct known *entry_of(struct gn_sampler_functions *p, const char *text,
			      size_t len)
{
	struct known *k;

	if (!grow_known(p))
		return NULL;
	k = place_of(p->known, p->size, text, len);
	if (k->text)
		return k;
	if (p->nknown == FUNCTIONS_MAX || p->bytes + len > BYTES_MAX)
		return NULL;
	k->text = malloc(len + 1);
	if (!k->text)
		return NULL;
	memcpy(k->text, text, len);
	k->len = len;
	p->nknown++;
	p->bytes += len;
	return k;
}

/* The number of a source file; 0: no room. */
static uint32_t source_of(struct gn_sampler_functions *p, const char *path)
{
	struct known *k = entry_of(p, path, strlen(path));

	if (!k)
		return 0;
	if (!k->number) {
		k->number = FIRST_SOURCE + p->sources++;
		gn_text_record_to(p->put, p->ctx, GN_KIND_MODULE, k->number, 0,
				  0, 0, path, "");
	}
	return k->number;
}

/* `text` has the name, the file and the line, which NULs separate. */
static uint32_t function_of(struct gn_sampler_functions *p, uint32_t pid,
			    const char *text, size_t len, uint32_t line)
{
	const char *file = text + strlen(text) + 1;
	uint32_t source = source_of(p, file);
	struct known *k = entry_of(p, text, len);

	if (!k)
		return 0;
	if (k->number)
		return k->number;
	k->number = gn_sampler_names_new_function(p->names);
	if (!k->number)
		return 0;
	gn_text_record_to(p->put, p->ctx, GN_KIND_FUNCTION, k->number, source,
			  0, 0, text, "");
	if (line)
		gn_text_record_to(p->put, p->ctx, GN_KIND_SOURCE, k->number,
				  pid, line, 0, file, "");
	return k->number;
}

static bool grow_indexes(struct gn_sampler_functions *p, uint32_t index)
{
	size_t room = p->room ? p->room : 1024;
	uint32_t *grown;

	if (index < p->room)
		return true;
	if (index >= INDEXES_MAX)
		return false;
	while (room <= index)
		room *= 2;
	grown = reallocarray(p->func, room, sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + p->room, 0, (room - p->room) * sizeof(*grown));
	p->func = grown;
	p->room = room;
	return true;
}

void gn_sampler_functions_name(struct gn_sampler_functions *p, uint32_t pid,
			       const struct gn_rec_interpreted *r)
{
	char text[3 * UTF8_MAX + GN_INTERPRETED_LEAD + 32], *at = text;

	if (!grow_indexes(p, r->index))
		return;
	if (r->owns == GN_OWNER_PHP) {
		at = put_php(at, 2 * UTF8_MAX, r);
	} else {
		at = put_lead(at, r);
		at = put_owner(at, r);
		at = put_text(at, &r->name);
		*at++ = '\0';
		at = put_text(at, &r->file);
	}
	*at++ = '\0';
	memcpy(at, &r->line, sizeof(r->line));
	at += sizeof(r->line);
	p->func[r->index] =
		function_of(p, pid, text, (size_t)(at - text), r->line);
}

uint32_t gn_sampler_functions_at(struct gn_sampler_functions *p, uint32_t index)
{
	return index < p->room ? p->func[index] : 0;
}
