// SPDX-License-Identifier: BSD-2-Clause
/* Values of a probe of a library that is mapped later: the kernel side gets
 * them at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/session_internal.h"
#include "fail.h"
#include "gnomon.skel.h"

static size_t loaded;

int __wrap_bpf_map__fd(const struct bpf_map *map);
int __wrap_bpf_map__fd(const struct bpf_map *map)
{
	(void)map;
	return -1;
}

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value,
			       __u64 flags);
int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value,
			       __u64 flags)
{
	(void)fd, (void)key, (void)value, (void)flags;
	if (fails("bpf_map_update_elem", ENOMEM))
		return -ENOMEM;
	loaded++;
	return 0;
}

/* The values and the spec are loaded by one call each. If one fails, a later
 * site with the same values loads both. */
static void what_was_not_loaded_is_loaded_later(void **state)
{
	const struct gn_value_specs values = {.value[0].type = GN_VALUE_I32};

	(void)state;
	for (int n = 1; n <= 2; n++) {
		struct gnomon_bpf skel = {0};
		struct gn_session s = {.skel = &skel};
		int spec;

		assert_int_equal(gn_specs_init(&s.specs), 0);
		assert_int_equal(gn_values_plan(&s), 0);
		arm(n);
		assert_int_equal(s.functions.hit(&s, &values), -ENOMEM);
		disarm();
		loaded = 0;
		spec = s.functions.hit(&s, &values);
		assert_true(spec > 0);
		assert_int_equal(loaded, 2);
		/* and once */
		assert_int_equal(s.functions.hit(&s, &values), spec);
		assert_int_equal(loaded, 2);
		gn_values_free(&s);
		gn_specs_free(&s.specs);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_not_loaded_is_loaded_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
