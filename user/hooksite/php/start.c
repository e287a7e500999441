// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for PHP, which the preloaded library loads. It comes
 * into play when the engine has begun and reads no settings yet: PHP calls
 * tzset() there.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "../call_sites.h"
#include "../fast.h"
#include "../preload/runtime.h"
#include "engine.h"
#include "functions.h"
#include "hidden.h"
#include "hook.h"
#include "jit.h"

/* With the hook, each call of PHP takes some bytes of the machine's stack, and
 * none without it. */
#define STACK ((rlim_t)256 << 20)

static struct {
	struct gn_preloaded asked;
	const struct gn_call_hooks *hooks;
} php;

static void make_room(void)
{
	struct rlimit room;

	if (getrlimit(RLIMIT_STACK, &room) || room.rlim_cur >= STACK)
		return;
	room.rlim_cur = STACK < room.rlim_max ? STACK : room.rlim_max;
	setrlimit(RLIMIT_STACK, &room);
}

/* If another function is there, the engine's own probes report calls. A web
 * server can begin its engine twice. */
static void begin(void)
{
	if (*gn_php.execute != gn_php.own)
		return;
	if (!php.hooks) {
		make_room();
		gn_functions_begin(php.asked.filter);
		gn_call_follow_forks();
		php.hooks = gn_call_begin(php.asked.fast);
		gn_site_call_init(0);
	}
	gn_hook_begin(php.hooks);
	gn_jit_begin();
	gn_hidden_begin();
}

void gn_preload_start(const struct gn_preloaded *asked,
		      struct gn_preload_calls *calls)
{
	php.asked = *asked;
	gn_fast_lives_at(asked->own_site);
	if (gn_php_find(asked->loaded))
		calls->zone = begin;
}
