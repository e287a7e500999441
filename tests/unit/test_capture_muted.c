// SPDX-License-Identifier: BSD-2-Clause
/* A function is muted whole, with its MUTE record, or not at all. The links are
 * fakes, and so is the stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <cmocka.h>

#include <gnomon/hook.h>
#include "capture/session_internal.h"
#include "fail.h"

#define FUNCTIONS 6 /* so few that one thread holds all links */

WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size), NULL,
     ENOMEM)

int __wrap_gn_session_link(struct gn_session *s, struct gn_links *links,
			   enum gn_prog prog, const struct gn_probe_set *set,
			   size_t *refused);
int __wrap_gn_session_link(struct gn_session *s, struct gn_links *links,
			   enum gn_prog prog, const struct gn_probe_set *set,
			   size_t *refused)
{
	(void)s, (void)links, (void)prog, (void)set, (void)refused;
	return 0;
}

static int drained;

int __wrap_gn_session_drain(struct gn_session *s, uint64_t ns);
int __wrap_gn_session_drain(struct gn_session *s, uint64_t ns)
{
	(void)s, (void)ns;
	return drained;
}

static size_t records;
static uint32_t muted; /* the function of the last record */

int __wrap_gn_session_put(struct gn_session *s, const struct gn_rec *rec,
			  size_t size);
int __wrap_gn_session_put(struct gn_session *s, const struct gn_rec *rec,
			  size_t size)
{
	(void)s;
	assert_int_equal(rec->kind, GN_KIND_MUTE);
	assert_int_equal(size, sizeof(struct gn_rec_mute));
	muted = ((const struct gn_rec_mute *)(const void *)rec)->func;
	records++;
	return 0;
}

/* Removing links takes long: here until all functions are muted. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool removing;
static size_t removed;
static uint32_t keys[4 * FUNCTIONS];

int __wrap_gn_links_remove(struct gn_links *l, uint32_t key);
int __wrap_gn_links_remove(struct gn_links *l, uint32_t key)
{
	(void)l;
	atomic_store(&removing, true);
	pthread_mutex_lock(&gate);
	assert_in_range(removed, 0, sizeof(keys) / sizeof(keys[0]) - 1);
	keys[removed++] = key;
	pthread_mutex_unlock(&gate);
	return 0;
}

static void begin(struct gn_session *s)
{
	*s = (struct gn_session){.running = true,
				 .functions.next = FUNCTIONS + 1,
				 .mute = gn_mute_new()};
	assert_non_null(s->mute);
	for (uint32_t f = 1; f <= FUNCTIONS; f++) {
		const uint64_t offset = 0;
		const uint64_t cookie = GN_COOKIE(f, 0, GN_SPEC_ENTER);
		const struct gn_probe_set set = {.offsets = &offset,
						 .cookies = &cookie,
						 .counters = &offset,
						 .count = 1};

		assert_int_equal(gn_mute_link(s, GN_PROG_NATIVE, &set), 0);
		assert_int_equal(gn_mute_link(s, GN_PROG_NATIVE_RETURN, &set),
				 0);
	}
	gn_mute_settle(s->mute);
	drained = 0;
	records = removed = 0;
	atomic_store(&removing, false);
	pthread_mutex_lock(&gate);
}

/* Waits until all is removed: the two links of one function after the other. */
static void end(struct gn_session *s)
{
	pthread_mutex_unlock(&gate);
	for (size_t n = 0; n < 2 * records;) {
		pthread_mutex_lock(&gate);
		n = removed;
		pthread_mutex_unlock(&gate);
	}
	gn_mute_free(s->mute);
	assert_int_equal(removed, 2 * records);
	for (size_t i = 0; i < removed; i += 2) {
		assert_int_equal(keys[i] % 2, 0);
		assert_int_equal(keys[i] + 1, keys[i + 1]);
	}
}

/* Each allocation fails in turn. A function that could not be muted for that
 * can be muted later. */
static void whole_or_not_at_all(void **state)
{
	bool any = true;

	(void)state;
	for (int n = 1; any; n++) {
		struct gn_session s;

		begin(&s);
		arm(n);
		for (uint32_t f = 1; f <= FUNCTIONS; f++) {
			int err = gn_session_mute(&s, f, 0);

			assert_true(err == 0 || err == -ENOMEM);
			if (err)
				assert_int_equal(gn_session_mute(&s, f, 0), 0);
			assert_int_equal(muted, f);
			while (!atomic_load(&removing))
				sched_yield();
		}
		any = atomic_load(&failed);
		disarm();
		assert_int_equal(records, FUNCTIONS);
		end(&s);
	}
}

/* It is muted even if earlier records cannot be taken. */
static void told_without_earlier_records(void **state)
{
	struct gn_session s;

	(void)state;
	begin(&s);
	drained = -ENOMEM;
	assert_int_equal(gn_session_mute(&s, 3, 0), -ENOMEM);
	assert_int_equal(records, 1);
	assert_int_equal(muted, 3);
	assert_int_equal(gn_session_mute(&s, 3, 0), -EALREADY);
	end(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_or_not_at_all),
		cmocka_unit_test(told_without_earlier_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
