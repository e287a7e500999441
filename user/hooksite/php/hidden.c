// SPDX-License-Identifier: BSD-2-Clause
/*
 * An extension that takes the engine's place as a request begins does not call
 * what was there before. One that only looks at calls, such as Xdebug, is there
 * when the engine has started, and calls the hook.
 */
#include "hidden.h"

#include <stdlib.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "engine.h"
#include "hook.h"

static struct {
	gn_php_started_fn next;
	gn_php_execute_fn first; /* when the engine had started */
	bool begun;
} hidden;

static int on_started(void)
{
	hidden.first = *gn_php.execute;
	return hidden.next ? hidden.next() : 0;
}

static void at_end(void)
{
	if (hidden.first && hidden.first != *gn_php.execute &&
	    !gn_hook_has_run())
		gn_site_call_selected(GN_SELECTED_PHPS_HIDDEN, 1);
}

void gn_hidden_begin(void)
{
	if (!gn_php.started || *gn_php.started == on_started)
		return;
	if (!hidden.begun && atexit(at_end))
		return;
	hidden.begun = true;
	hidden.next = *gn_php.started;
	*gn_php.started = on_started;
}
