// SPDX-License-Identifier: BSD-2-Clause
/* Classes that hooks see; the test answers for the runtime. */
#include <sched.h>
#include <semaphore.h>
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

static const struct gn_name named;

/* What was reported: "+1:64 " means that index 1 names the class 64. */
static char told[256];
static _Atomic uint32_t asked;
static sem_t answers; /* if `slow`: the runtime waits for one */
static _Atomic bool slow;

void gn_site_clr_class(uint64_t index, uint64_t table)
{
	size_t n = strlen(told);

	n += (size_t)snprintf(told + n, sizeof(told) - n, "+%d:%d ", (int)index,
			      (int)table);
	assert_true(n < sizeof(told));
}

gn_cor_id gn_names_class(struct gn_images *images, gn_cor_id class,
			 struct gn_text *name, struct gn_text *module)
{
	(void)images, (void)name, (void)module;
	return class;
}

const struct gn_name *gn_clr_resolve(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve)
{
	assert_ptr_equal(resolve, gn_names_class);
	assert_int_equal(atomic_load(&gn_id_of(&clr->ids, index)->function),
			 id);
	asked++;
	while (slow && sem_wait(&answers))
		;
	atomic_store(&gn_id_of(&clr->ids, index)->name, &named);
	return &named;
}

const struct gn_name *gn_clr_name_by(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve)
{
	(void)id, (void)resolve;
	return gn_id_name(&clr->ids, index);
}

static struct gn_clr *new_clr(void)
{
	struct gn_clr *clr = calloc(1, sizeof(*clr));

	assert_non_null(clr);
	told[0] = '\0';
	asked = 0;
	return clr;
}

/* An object of this class is in a slot of a hooked method. */
static void see(struct gn_clr *clr, uint64_t class)
{
	uint64_t *object = class ? &class : NULL;
	uint64_t slot = (uintptr_t)object;

	gn_classes_see((uintptr_t)&slot | GN_PLACE_SIZE(8), clr);
}

/* Before the hook continues, and only once; the collector's bits do not
 * matter. */
static void each_once(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	gn_classes_start(clr);
	gn_classes_start(clr);
	see(clr, 64);
	assert_string_equal(told, "+1:64 ");
	see(clr, 64 | 1);
	see(clr, 0);
	gn_classes_see(0, clr);
	see(clr, 72);
	see(clr, 64);
	assert_string_equal(told, "+1:64 +2:72 ");
	assert_int_equal(asked, 2);
	/* the thread goes on, so its memory stays */
}

/* After an unload, another class may be at the same address. */
static void unloaded(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	gn_classes_start(clr);
	see(clr, 64);
	gn_classes_forget(clr);
	assert_string_equal(told, "+1:64 +0:64 ");
	gn_classes_forget(clr);
	see(clr, 64);
	assert_string_equal(told, "+1:64 +0:64 +2:64 ");
	assert_int_equal(asked, 2);
}

/* Without the thread there are no names, and nobody waits. */
static void without_thread(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	see(clr, 64);
	assert_string_equal(told, "");
	free(clr);
}

/* Classes beyond the limit have no names, all others have. */
static void full(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	for (uint32_t i = 0; i < GN_CLASSES_MAX; i++)
		atomic_store(&clr->classes.seen[i], 8);
	gn_classes_start(clr);
	see(clr, 64);
	assert_string_equal(told, "");
	atomic_store(&clr->classes.seen[0], 0);
	for (uint64_t class = 16; !*told; class += 8)
		see(clr, class);
	assert_int_equal(asked, 1);
}

/* A runtime that does not answer is not asked again, and a late answer is
 * ignored. The next session asks again if that answer came. */
static void late(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	assert_int_equal(sem_init(&answers, 0, 0), 0);
	slow = true;
	gn_classes_start(clr);
	see(clr, 64);
	assert_string_equal(told, "");
	sem_post(&answers);
	see(clr, 72);
	see(clr, 64);
	assert_string_equal(told, "");
	assert_int_equal(asked, 1);
	while (atomic_load(&clr->classes.resolved) != 1)
		sched_yield();
	slow = false;
	gn_classes_forget(clr);
	told[0] = '\0';
	see(clr, 80);
	assert_non_null(strstr(told, ":80 "));
}

/* While the runtime owes an answer, a session asks nothing. */
static void owed(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	slow = true;
	gn_classes_start(clr);
	see(clr, 64);
	gn_classes_forget(clr);
	told[0] = '\0';
	see(clr, 72);
	assert_string_equal(told, "");
	assert_int_equal(asked, 1);
	slow = false;
	sem_post(&answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_once),	  cmocka_unit_test(unloaded),
		cmocka_unit_test(without_thread), cmocka_unit_test(full),
		cmocka_unit_test(late),		  cmocka_unit_test(owed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
