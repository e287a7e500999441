// SPDX-License-Identifier: BSD-2-Clause
/* What is told of functions and threads, with a runtime that answers as the
 * test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/names.h"
#include "hooksite/clr/profiler.h"
#include "hooksite/clr/sites.h"
#include "hooksite/clr/tell.h"

/* "+1:Text " is that index 1 has this name, "1 " that it names a thread. */
static char told[256];
static uint64_t no_room;

static void put(const char *format, uint64_t index, const char *text)
{
	size_t n = strlen(told);

	n += (size_t)snprintf(told + n, sizeof(told) - n, format, (int)index,
			      text);
	assert_true(n < sizeof(told));
}

void gn_site_clr_name(uint64_t index, const char *name, uint64_t name_len,
		      const char *module, uint64_t module_len, uint64_t token)
{
	(void)name_len, (void)module, (void)module_len, (void)token;
	put("+%d:%s ", index, name);
}

void gn_site_clr_selected(uint64_t what, uint64_t n)
{
	assert_int_equal(what, GN_SELECTED_NO_ROOM);
	no_room += n;
}

void gn_site_clr_thread_name(uint64_t index, uint64_t thread)
{
	(void)thread;
	put("%d%s ", index, "");
}

void gn_site_clr_jit_begin(uint64_t index, uint64_t frame)
{
	(void)index, (void)frame;
}

void gn_site_clr_jit_end(uint64_t index, uint64_t size, uint64_t hr)
{
	(void)index, (void)size, (void)hr;
}

void gn_site_clr_jit_dynamic(uint64_t index)
{
	(void)index;
}

static struct gn_clr *new_clr(void)
{
	struct gn_clr *clr = calloc(1, sizeof(*clr));

	assert_non_null(clr);
	told[0] = '\0';
	no_room = 0;
	return clr;
}

/* Each function and dynamic method that comes to a full table is told. */
static void full(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	atomic_store(&clr->ids.used, GN_IDS_MAX);
	gn_clr_jit_started(clr, 64, 0);
	assert_int_equal(no_room, 0); /* nobody asks for functions */
	clr->functions = true;
	gn_clr_jit_started(clr, 64, 0);
	assert_int_equal(no_room, 1);
	gn_clr_dynamic_jit_started(clr, 72, 0, NULL, 0);
	assert_int_equal(no_room, 2);
	free(clr);
}

/* Names that come again cost no place, whichever thread has them. */
static void renamed(void **state)
{
	static const gn_wchar a[] = {'a', 0}, b[] = {'b', 0};
	struct gn_clr *clr = new_clr();

	(void)state;
	gn_tell_thread_name(clr, 64, 1, a);
	gn_tell_thread_name(clr, 64, 1, b);
	gn_tell_thread_name(clr, 64, 1, a);
	gn_tell_thread_name(clr, 72, 1, b);
	assert_string_equal(told, "+1:a 1 +2:b 2 1 2 ");
	/* each session hears it */
	atomic_fetch_add(&clr->session, 1);
	gn_tell_thread_name(clr, 72, 1, b);
	assert_string_equal(told, "+1:a 1 +2:b 2 1 2 +2:b 2 ");
	free(clr);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(full),
		cmocka_unit_test(renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
