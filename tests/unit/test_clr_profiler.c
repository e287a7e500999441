// SPDX-License-Identifier: BSD-2-Clause
/* Reports of functions and threads; the test answers for the runtime. */
#include <pthread.h>
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

/* "+1:Text " means that index 1 has this name, "1 " that it names a thread. */
static char told[256];
static uint64_t no_room;
static int hooks;

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

void gn_site_clr_module_unload_end(uint64_t index, uint64_t hr)
{
	(void)index, (void)hr;
}

void gn_choose_hooks_on(struct gn_clr *clr)
{
	(void)clr;
	hooks++;
}

void gn_choose_hooks_off(struct gn_clr *clr)
{
	(void)clr;
	hooks--;
}

void gn_precompiled_unload(struct gn_precompiled *p, gn_cor_id module)
{
	(void)p, (void)module;
}

void gn_rejit_module_unloaded(struct gn_clr *clr, gn_cor_id module)
{
	(void)clr, (void)module;
}

enum { STAYS = 1, GOES, GOES_TOO };
enum {
	CORE = 64,
	GONE = 72,
	GONE_TOO = 80,
	OF = 88,
	OF_BOTH = 96,
	ARRAY = 104
};

static const struct class
{
	gn_cor_id class, module, args[2];
	gn_token token;
	uint32_t n;
} classes[] = {
	{CORE, STAYS, {0}, 0x02000001, 0},
	{GONE, GOES, {0}, 0x02000002, 0},
	{GONE_TOO, GOES_TOO, {0}, 0x02000003, 0},
	{OF, STAYS, {GONE}, 0x02000004, 1},
	{OF_BOTH, STAYS, {GONE, GONE_TOO}, 0x02000004, 2},
};

static gn_hr class_info(void *info, gn_cor_id class, gn_cor_id *module,
			gn_token *token, gn_cor_id *parent, uint32_t most,
			uint32_t *n, gn_cor_id *args)
{
	(void)info, (void)parent, (void)most;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].class == class) {
			*module = classes[i].module;
			*token = classes[i].token;
			*n = classes[i].n;
			memcpy(args, classes[i].args, *n * sizeof(*args));
			return GN_S_OK;
		}
	return GN_E_FAIL;
}

static gn_hr is_array(void *info, gn_cor_id class, uint32_t *element,
		      gn_cor_id *element_class, uint32_t *rank)
{
	(void)info;
	*element = 0x12;
	*element_class = GONE;
	*rank = 1;
	return class == ARRAY ? GN_S_OK : 1;
}

/* Types have only names like A and B. */
static gn_hr type_props(void *import, gn_token token, gn_wchar *name,
			uint32_t most, uint32_t *n, uint32_t *flags,
			gn_token *base)
{
	(void)import, (void)most, (void)n, (void)flags, (void)base;
	name[0] = (gn_wchar)('@' + GN_TOKEN_ROW(token));
	name[1] = 0;
	return GN_S_OK;
}

static uint32_t release(void *import)
{
	(void)import;
	return 1;
}

static gn_hr refuse(void)
{
	return GN_E_FAIL;
}

static void *import_slots[] = {
	[GN_UNKNOWN_RELEASE] = (void *)release,
	[GN_MD_TYPEDEF_PROPS] = (void *)type_props,
	[GN_MD_NESTED_CLASS] = (void *)refuse,
};
static void **import = import_slots;

static gn_hr metadata(void *info, gn_cor_id module, uint32_t flags,
		      const struct gn_guid *iid, void **out)
{
	(void)info, (void)module, (void)flags, (void)iid;
	*out = &import;
	return GN_S_OK;
}

static void *info_slots[] = {
	[GN_INFO_IS_ARRAY_CLASS] = (void *)is_array,
	[GN_INFO_MODULE_METADATA] = (void *)metadata,
	[GN_INFO_CLASS_INFO2] = (void *)class_info,
	[GN_INFO_MODULE_INFO2] = (void *)refuse,
};
static void **info = info_slots;

static struct gn_clr *new_clr(void)
{
	struct gn_clr *clr = calloc(1, sizeof(*clr));

	assert_non_null(clr);
	told[0] = '\0';
	no_room = 0;
	hooks = 0;
	return clr;
}

/* Each function and dynamic method that finds a full table is reported. */
static void full(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	atomic_store(&clr->ids.used, GN_IDS_MAX);
	gn_clr_jit_started(clr, 64, 0);
	assert_int_equal(no_room, 0); /* no functions were requested */
	clr->functions = true;
	gn_clr_jit_started(clr, 64, 0);
	assert_int_equal(no_room, 1);
	gn_clr_dynamic_jit_started(clr, 72, 0, NULL, 0);
	assert_int_equal(no_room, 2);
	free(clr);
}

/* Repeated names use no new place, whichever thread has them. */
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
	/* each session gets it */
	atomic_fetch_add(&clr->session, 1);
	gn_tell_thread_name(clr, 72, 1, b);
	assert_string_equal(told, "+1:a 1 +2:b 2 1 2 +2:b 2 ");
	free(clr);
}

static void see_all(struct gn_clr *clr)
{
	static const uint64_t objects[] = {CORE, OF, ARRAY, OF_BOTH};

	told[0] = '\0';
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		gn_tell_class_of(clr, (uintptr_t)&objects[i]);
}

/* After an unload, another class may be at the same address, also if only its
 * arguments or elements were unloaded. */
static void unloaded(void **state)
{
	struct gn_clr *clr = new_clr();
	struct gn_image *image = calloc(1, sizeof(*image));
	uint32_t place = gn_modules_add(&clr->images.modules, STAYS);

	(void)state;
	assert_non_null(image);
	atomic_store(&clr->images.image[place - 1], image);
	clr->info = clr->images.info = &info;
	see_all(clr);
	assert_string_equal(told, "+1:A +2:D<B> +3:B[] +4:D<B,C> ");
	see_all(clr);
	assert_string_equal(told, "");
	gn_clr_module_unloaded(clr, GOES_TOO, 0);
	see_all(clr);
	assert_string_equal(told, "+5:D<B,C> ");
	gn_clr_module_unloaded(clr, GOES, 0);
	see_all(clr);
	assert_string_equal(told, "+6:D<B> +7:B[] +8:D<B,C> ");
	free(image);
	free(clr);
}

static void *compile(void *profiler)
{
	gn_clr_jit_started(profiler, 64, 0);
	assert_int_equal(hooks, 1);
	return NULL;
}

/* A compilation that threw needs no hooks when its thread has ended. */
static void thrown(void **state)
{
	static const struct gn_name hooked = {.hook = true};
	struct gn_clr *clr = new_clr();
	struct gn_id *id = gn_id_of(&clr->ids, gn_ids_get(&clr->ids, 64));
	pthread_t thread;

	(void)state;
	clr->functions = true;
	atomic_store(&id->name, &hooked);
	atomic_store(&id->told, 1);
	gn_clr_watch_ends(clr);
	assert_int_equal(pthread_create(&thread, NULL, compile, clr), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(hooks, 0);
	free(clr);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(full),
		cmocka_unit_test(renamed),
		cmocka_unit_test(unloaded),
		cmocka_unit_test(thrown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
