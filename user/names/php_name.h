/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of PHP functions as people write them, from the texts of the engine.
 * These come from traced programs, so they can be any text.
 */
#ifndef GNOMON_NAMES_PHP_NAME_H
#define GNOMON_NAMES_PHP_NAME_H

#include <stddef.h>

#include "names/spell.h"

/* A text of the engine. One can contain a NUL: what follows it is not shown to
 * people. */
struct gn_php_text {
	struct gn_span text; /* up to a NUL */
	size_t all;	     /* the length that the engine has */
};

/*
 * "App\Orders::find", "{closure:app.php:12}", "{main} app.php". Without a name
 * it is code outside of functions. `line`: where the function begins; 0: not
 * known.
 */
void gn_php_put_function(struct gn_spell *o, const struct gn_php_text *name,
			 const struct gn_php_text *class, struct gn_span script,
			 unsigned int line);

/* "App\Orders", "class@anonymous:app.php:20". */
void gn_php_put_class(struct gn_spell *o, const struct gn_php_text *class);

/* The file's name without its folder. */
void gn_php_put_base(struct gn_spell *o, struct gn_span path);

#endif
