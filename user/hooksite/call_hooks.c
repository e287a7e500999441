// SPDX-License-Identifier: BSD-2-Clause
#include "call_hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "call_sites.h"
#include "fast.h"
#include "fast_names.h"
#include "mute.h"

static struct {
	bool fast, full;
	uint32_t last;
} calls;

#define BY_SITE(name)                                            \
	static void name##_by_site(uint64_t index, uint64_t key) \
	{                                                        \
		if (!gn_muted((uint32_t)index))                  \
			gn_site_call_##name(index, key);         \
	}

BY_SITE(enter)
BY_SITE(leave)
BY_SITE(resumed)
BY_SITE(suspended)

static const struct gn_call_hooks by_site = {enter_by_site, leave_by_site,
					     resumed_by_site, suspended_by_site,
					     false};

static const struct gn_call_hooks fast_hooks = {
	gn_fast_call_enter, gn_fast_call_leave, gn_fast_call_resumed,
	gn_fast_call_suspended, true};

const struct gn_call_hooks *gn_call_begin(bool fast)
{
	calls.fast =
		fast && gn_fast_start(gn_site_call_fast, gn_fast_call_enter,
				      gn_fast_call_leave);
	return calls.fast ? &fast_hooks : &by_site;
}

/* No signal handler forks within a hook: the interpreter runs none there. */
void gn_call_follow_forks(void)
{
	if (!pthread_atfork(NULL, NULL, gn_fast_be_child))
		gn_fast_follow();
}

bool gn_call_is_over(void)
{
	return gn_fast_is_gone(gn_site_call_fast);
}

uint32_t gn_call_new_index(void)
{
	if (calls.last < GN_INDEX_MAX)
		return ++calls.last;
	if (!calls.full)
		gn_site_call_selected(GN_SELECTED_NO_ROOM, 1);
	calls.full = true;
	return 0;
}

static void name_by_site(uint32_t index, const struct gn_fast_text *name,
			 const struct gn_fast_text *module, uint32_t line)
{
	char *a = strdup(name->at), *b = strdup(module->at);

	if (a && b) {
		gn_site_call_name(index, a, name->len, b, module->len, line);
		return;
	}
	free(a);
	free(b);
}

void gn_call_name(uint32_t index, const char *name, const char *module,
		  uint32_t line)
{
	const struct gn_fast_text texts[] = {
		{name, (uint16_t)strlen(name)},
		{module, (uint16_t)strlen(module)},
	};

	if (!calls.fast || !gn_fast_tell_name(index, line, texts[0], texts[1]))
		name_by_site(index, &texts[0], &texts[1], line);
}
