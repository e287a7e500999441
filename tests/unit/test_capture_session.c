// SPDX-License-Identifier: BSD-2-Clause
/* A session has all that it needs, or there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capture/session.h"
#include "fail.h"

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size), NULL,
     ENOMEM)

static void fail_each(const struct gn_session_opts *opts)
{
	bool any = true;

	for (int n = 1; any; n++) {
		struct gn_session *s = NULL;
		int err;

		arm(n);
		err = gn_session_new(opts, &s);
		any = atomic_load(&failed);
		disarm();
		assert_int_equal(err, any ? -ENOMEM : 0);
		if (!err)
			gn_session_free(s);
	}
}

static void whole_or_not_at_all(void **state)
{
	(void)state;
	fail_each(&(struct gn_session_opts){.live = false});
	fail_each(&(struct gn_session_opts){.live = true, .can_mute = true});
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
