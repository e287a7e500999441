// SPDX-License-Identifier: BSD-2-Clause
#include "jit.h"

#include <string.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "engine.h"
#include "hook.h"

#define E_WARNING 2

static gn_php_error_fn next;

static bool is_ours(int type, const struct gn_php_string *message)
{
	static const char text[] =
		"JIT is incompatible with third party extensions that override "
		"zend_execute_ex()";

	return type == E_WARNING && gn_hook_is_first() &&
	       message->len >= sizeof(text) - 1 &&
	       !memcmp(message->text, text, sizeof(text) - 1);
}

/* An extension may have a function of its own in front of this one. */
static void on_error(int type, const struct gn_php_string *file, uint32_t line,
		     const struct gn_php_string *message)
{
	if (!is_ours(type, message)) {
		next(type, file, line, message);
		return;
	}
	gn_site_call_selected(GN_SELECTED_JITS_OFF, 1);
	if (*gn_php.on_error == on_error)
		*gn_php.on_error = next;
}

void gn_jit_begin(void)
{
	if (!gn_php.on_error || !*gn_php.on_error ||
	    *gn_php.on_error == on_error)
		return;
	next = *gn_php.on_error;
	*gn_php.on_error = on_error;
}
