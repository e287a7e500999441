// SPDX-License-Identifier: BSD-2-Clause
#include "names/php_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CLOSURE "{closure}"
/* From PHP 8.4 on: then where it is written, with the whole path, or with the
 * class, which can contain a NUL. */
#define CLOSURE_AT "{closure:"

/* What does not fit is cut. */
static void put(struct gn_spell *o, struct gn_span s)
{
	bool fits = s.n < o->left;

	gn_spell_put(o, s.at, fits ? s.n : o->left - 1);
	o->full |= !fits;
}

void gn_php_put_base(struct gn_spell *o, struct gn_span path)
{
	const char *slash = memrchr(path.at, '/', path.n);
	size_t skip = slash ? (size_t)(slash - path.at) + 1 : 0;

	put(o, gn_span_from(&path, skip));
}

/*
 * "class@anonymous", behind its NUL the place where it is written, then a $ and
 * a number: "/www/app.php:12$0".
 */
void gn_php_put_class(struct gn_spell *o, const struct gn_php_text *class)
{
	const char *at = class->text.at + class->text.n + 1, *end;

	put(o, class->text);
	if (class->text.n + 1 >= class->all ||
	    !memchr(class->text.at, '@', class->text.n))
		return;
	end = memchr(at, '$', class->all - class->text.n - 1);
	if (!end)
		return;
	gn_spell_text(o, ":");
	gn_php_put_base(o, (struct gn_span){at, (size_t)(end - at)});
}

/* The length of what comes before the closure's own name: its namespace. -1:
 * it is no closure. */
static int before_closure(const struct gn_span *name)
{
	size_t len = strlen(CLOSURE), before = name->n - len;

	if (gn_span_begins(name, CLOSURE_AT))
		return 0;
	if (name->n < len || memcmp(name->at + before, CLOSURE, len))
		return -1;
	return !before || name->at[before - 1] == '\\' ? (int)before : -1;
}

/* The same for all versions of PHP. Without a line, it is too far down in the
 * file. */
static void put_closure(struct gn_spell *o, struct gn_span space,
			struct gn_span script, unsigned int line)
{
	char number[16];

	gn_spell_put(o, space.at, space.n);
	gn_spell_text(o, CLOSURE_AT);
	gn_php_put_base(o, script);
	if (line) {
		snprintf(number, sizeof(number), ":%u", line);
		gn_spell_text(o, number);
	}
	gn_spell_text(o, "}");
}

/*
 * Code outside of functions has no name here, or a constant "main", which has
 * no header: then its length is something else. It has the class of the method
 * that includes it.
 */
void gn_php_put_function(struct gn_spell *o, const struct gn_php_text *name,
			 const struct gn_php_text *class, struct gn_span script,
			 unsigned int line)
{
	int space = before_closure(&name->text);

	if (!name->text.n || (space < 0 && name->text.n != name->all)) {
		gn_spell_text(o, "{main} ");
		gn_php_put_base(o, script);
		return;
	}
	if (class->text.n) {
		gn_php_put_class(o, class);
		gn_spell_text(o, "::");
	}
	if (space < 0)
		put(o, name->text);
	else /* the class has the namespace */
		put_closure(o,
			    (struct gn_span){name->text.at,
					     class->text.n ? 0 : (size_t)space},
			    script, line);
}
