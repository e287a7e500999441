// SPDX-License-Identifier: BSD-2-Clause
#include "names/php_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CLOSURE "{closure}"

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

static bool is_closure(const struct gn_span *name)
{
	size_t len = strlen(CLOSURE);

	return name->n >= len &&
	       !memcmp(name->at + name->n - len, CLOSURE, len) &&
	       (name->n == len || name->at[name->n - len - 1] == '\\');
}

/* As from PHP 8.4 on, which also has the whole path. Without a line, it is too
 * far down in the file. */
static void put_closure(struct gn_spell *o, const struct gn_span *name,
			bool of_class, struct gn_span script, unsigned int line)
{
	char number[16];

	if (!of_class)
		gn_spell_put(o, name->at, name->n - strlen(CLOSURE));
	gn_spell_text(o, "{closure:");
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
	if (!name->text.n || name->text.n != name->all) {
		gn_spell_text(o, "{main} ");
		gn_php_put_base(o, script);
		return;
	}
	if (class->text.n) {
		gn_php_put_class(o, class);
		gn_spell_text(o, "::");
	}
	if (is_closure(&name->text))
		put_closure(o, &name->text, class->text.n != 0, script, line);
	else
		put(o, name->text);
}
