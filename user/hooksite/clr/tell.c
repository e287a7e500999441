// SPDX-License-Identifier: BSD-2-Clause
#include "tell.h"

#include "image.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/fnv.h>
#include "names.h"
#include "sites.h"

typedef gn_hr (*object_size_fn)(void *, uint64_t, uint64_t *);
typedef gn_hr (*addresses_fn)(void *, gn_cor_id, uint64_t, uint32_t, uint32_t *,
			      uint64_t *);
typedef gn_hr (*code_info_fn)(void *, uint64_t, uint32_t, uint32_t *, void *);

uint32_t gn_tell_families(const char *text)
{
	return text ? (uint32_t)strtoul(text, NULL, 16) : 0;
}

static uint32_t named(struct gn_clr *clr, gn_cor_id id, gn_resolve_fn resolve)
{
	uint32_t index = id ? gn_ids_get(&clr->ids, id) : 0;

	return index && gn_clr_name_by(clr, index, id, resolve) ? index : 0;
}

/* The same for something that was just loaded. Its id may still belong to
 * something that was unloaded between two sessions, when unloads are not
 * reported. */
static uint32_t named_anew(struct gn_clr *clr, gn_cor_id id,
			   gn_resolve_fn resolve)
{
	gn_ids_forget(&clr->ids, id);
	return named(clr, id, resolve);
}

uint32_t gn_tell_index(struct gn_clr *clr, gn_cor_id function)
{
	uint32_t index = clr->by_il ? gn_rejit_index(clr, function) : 0;

	return index ? index : gn_ids_get(&clr->ids, function);
}

void gn_tell_name(struct gn_clr *clr, uint32_t index, gn_cor_id function)
{
	/* a chosen method has its name already */
	if (index &&
	    atomic_load(&gn_id_of(&clr->ids, index)->function) == function)
		gn_clr_name(clr, index, function);
}

uint32_t gn_tell_function(struct gn_clr *clr, gn_cor_id function)
{
	uint32_t index = function ? gn_tell_index(clr, function) : 0;

	gn_tell_name(clr, index, function);
	return index;
}

/* An object begins with its class and bits that the collector uses. */
static gn_cor_id class_of(uint64_t object)
{
	uint64_t class;

	if (!object)
		return 0;
	memcpy(&class, (const void *)(uintptr_t)object, sizeof(class));
	return class & ~7ull;
}

uint32_t gn_tell_class_of(struct gn_clr *clr, uint64_t object)
{
	return named(clr, class_of(object), gn_names_class);
}

struct range {
	uint64_t start, size;
};

/* The ranges of the code at an address: hot and cold parts. */
static uint32_t ranges_at(struct gn_clr *clr, uint64_t at, struct range *range,
			  uint32_t most)
{
	uint32_t n = 0;

	if (GN_COM(clr->info9, GN_INFO_CODE_INFO4,
		   code_info_fn)(clr->info9, at, most, &n, range) < 0)
		return 0;
	return n < most ? n : most;
}

/* The runtime does not say which native code of a method is the newest. So all
 * of it is reported, again if it was before. */
uint64_t gn_tell_code(struct gn_clr *clr, uint32_t index, gn_cor_id function,
		      uint64_t version)
{
	enum { VERSIONS = 32, RANGES = 4 };
	struct range range[RANGES];
	uint64_t at[VERSIONS], size = 0;
	uint32_t n = 0;

	if (!gn_tell_is_compiled(clr) || !clr->info9 ||
	    GN_COM(clr->info9, GN_INFO_CODE_ADDRESSES, addresses_fn)(
		    clr->info9, function, version, VERSIONS, &n, at) < 0 ||
	    n > VERSIONS)
		return 0;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t ranges = ranges_at(clr, at[k], range, RANGES);

		size = 0;
		for (uint32_t i = 0; i < ranges; i++) {
			size += range[i].size;
			if (clr->families & GN_FAMILY_CODE)
				GN_CLR_SITE(code)
			(index, range[i].start, range[i].size);
		}
	}
	return size;
}

/* The index of something that is unloaded. 0: it has none. It is not resolved
 * now: after the unload its name cannot be read. */
static uint32_t known(struct gn_clr *clr, gn_cor_id id)
{
	return gn_ids_find(&clr->ids, id);
}

static uint32_t forget(struct gn_clr *clr, gn_cor_id id)
{
	uint32_t index = known(clr, id);

	gn_ids_forget(&clr->ids, id);
	return index;
}

gn_hr gn_tell_domain_loaded(struct gn_clr *clr, gn_cor_id id, gn_hr status)
{
	GN_CLR_SITE(appdomain_create_end)
	(named_anew(clr, id, gn_names_domain), (uint32_t)status);
	return GN_S_OK;
}

gn_hr gn_tell_domain_unload(struct gn_clr *clr, gn_cor_id id)
{
	GN_CLR_SITE(appdomain_shutdown_begin)(known(clr, id));
	return GN_S_OK;
}

gn_hr gn_tell_domain_unloaded(struct gn_clr *clr, gn_cor_id id, gn_hr status)
{
	GN_CLR_SITE(appdomain_shutdown_end)(forget(clr, id), (uint32_t)status);
	return GN_S_OK;
}

gn_hr gn_tell_assembly_loaded(struct gn_clr *clr, gn_cor_id id, gn_hr status)
{
	GN_CLR_SITE(assembly_load_end)
	(named_anew(clr, id, gn_names_assembly), (uint32_t)status);
	return GN_S_OK;
}

gn_hr gn_tell_assembly_unload(struct gn_clr *clr, gn_cor_id id)
{
	GN_CLR_SITE(assembly_unload_begin)(known(clr, id));
	return GN_S_OK;
}

gn_hr gn_tell_assembly_unloaded(struct gn_clr *clr, gn_cor_id id, gn_hr status)
{
	GN_CLR_SITE(assembly_unload_end)(forget(clr, id), (uint32_t)status);
	return GN_S_OK;
}

/* If the runtime boxes values and makes delegates in managed code, it reports
 * only those allocations that find the thread's allocation buffer used up. */
static void tell_allocations_left(struct gn_clr *clr, gn_cor_id module)
{
	const struct gn_image *image = gn_images_get(&clr->images, module);

	if (image &&
	    gn_image_core_names(image, "InternalAllocNoChecks_FastPath"))
		GN_CLR_SITE(selected)(GN_SELECTED_ALLOCATIONS_LEFT, 1);
}

void gn_tell_module_loaded(struct gn_clr *clr, gn_cor_id module, gn_hr status)
{
	if (clr->families & GN_FAMILY_ALLOCATIONS && status >= 0)
		tell_allocations_left(clr, module);
	if (clr->families & GN_FAMILY_LOADS)
		GN_CLR_SITE(module_load_end)
	(named_anew(clr, module, gn_names_module_id), (uint32_t)status);
}

gn_hr gn_tell_module_unload(struct gn_clr *clr, gn_cor_id id)
{
	gn_unloads_note(&clr->unloads);
	GN_CLR_SITE(module_unload_begin)(known(clr, id));
	gn_classes_forget(clr);
	return GN_S_OK;
}

gn_hr gn_tell_class_loaded(struct gn_clr *clr, gn_cor_id id, gn_hr status)
{
	GN_CLR_SITE(class_load_end)
	(named_anew(clr, id, gn_names_class), (uint32_t)status);
	return GN_S_OK;
}

gn_hr gn_tell_class_unload(struct gn_clr *clr, gn_cor_id id)
{
	GN_CLR_SITE(class_unload_begin)(known(clr, id));
	return GN_S_OK;
}

gn_hr gn_tell_class_unloaded(struct gn_clr *clr, gn_cor_id id, gn_hr status)
{
	GN_CLR_SITE(class_unload_end)(forget(clr, id), (uint32_t)status);
	return GN_S_OK;
}

/* The runtime knows the address of precompiled code only after it has reported
 * that it found the code. So the thread's next search asks for the address. */
static void tell_found(struct gn_clr *clr, gn_cor_id next)
{
	static _Thread_local gn_cor_id found;

	if (found)
		gn_tell_code(clr, gn_tell_function(clr, found), found, 0);
	found = next;
}

/* The runtime's result is 0 for code that was found. */
gn_hr gn_tell_searched(struct gn_clr *clr, gn_cor_id function, int32_t result)
{
	if (clr->families & GN_FAMILY_SEARCHES)
		GN_CLR_SITE(jit_cached_search_end)
	(gn_tell_function(clr, function), !result);
	if (clr->families & GN_FAMILY_CODE)
		tell_found(clr, result ? 0 : function);
	return GN_S_OK;
}

/* Stands for a thread's name in the ids, whichever thread has the name: pools
 * use the same names again and again. No FunctionID and no method has this
 * form. */
static gn_cor_id name_id(const char *name)
{
	return 3ull << 62 | gn_fnv(GN_FNV, name, strlen(name)) >> 2;
}

gn_hr gn_tell_thread_name(struct gn_clr *clr, gn_cor_id thread, uint32_t n,
			  const gn_wchar *name)
{
	char bytes[GN_NAME_MAX];
	struct gn_text text;
	uint32_t index;

	gn_text_init(&text, bytes, sizeof(bytes));
	if (name)
		gn_text_put_utf16(&text, name, n);
	/* events reported under an older name keep that name */
	index = gn_ids_get(&clr->ids, name_id(bytes));
	if (index && !gn_clr_is_told(clr, index))
		gn_clr_show_name(clr, index, bytes, "", 0);
	GN_CLR_SITE(thread_name)(index, thread);
	return GN_S_OK;
}

gn_hr gn_tell_to_managed(struct gn_clr *clr, gn_cor_id function,
			 uint32_t reason)
{
	GN_CLR_SITE(unmanaged_to_managed)
	(gn_tell_function(clr, function), reason);
	return GN_S_OK;
}

gn_hr gn_tell_to_native(struct gn_clr *clr, gn_cor_id function, uint32_t reason)
{
	GN_CLR_SITE(managed_to_unmanaged)
	(gn_tell_function(clr, function), reason);
	return GN_S_OK;
}

/* The runtime's size of a string or an array ends with its last element. The
 * next object begins at a whole word, and the program's own allocation count
 * includes the padding. */
gn_hr gn_tell_allocated(struct gn_clr *clr, uint64_t object, gn_cor_id class)
{
	const uint64_t word = sizeof(void *);
	uint64_t size = 0;

	if (GN_COM(clr->info, GN_INFO_OBJECT_SIZE2,
		   object_size_fn)(clr->info, object, &size) < 0)
		size = 0;
	GN_CLR_SITE(object_allocated)
	(named(clr, class, gn_names_class), (size + word - 1) / word * word);
	return GN_S_OK;
}

/* An exception was thrown on this thread, and the runtime's search for a
 * handler has not reached the function that threw it yet. */
static bool *thrown(void)
{
	static _Thread_local bool is;

	return &is;
}

gn_hr gn_tell_thrown(struct gn_clr *clr, uint64_t object)
{
	if (!(clr->families & GN_FAMILY_EXCEPTIONS))
		return GN_S_OK;
	GN_CLR_SITE(exception_thrown)(gn_tell_class_of(clr, object));
	*thrown() = true;
	return GN_S_OK;
}

/* Whether the function is a library method that rethrows a task's exception in
 * the method that awaits the task. The awaiting method is among its callers. */
static bool throws_for_others(const struct gn_clr *clr, uint32_t index)
{
	static const char *const begins[] = {
		"System.Runtime.CompilerServices.TaskAwaiter",
		"System.Runtime.CompilerServices.ValueTaskAwaiter",
		"System.Runtime.CompilerServices.ConfiguredTaskAwaitable",
		"System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable",
		"System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw",
		"System.Threading.Tasks.Sources.ManualResetValueTaskSource",
		"System.Threading.Tasks.ValueTask",
	};
	const struct gn_name *name = gn_id_name(&clr->ids, index);

	for (size_t i = 0; name && i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name->text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Reports each function that the runtime visits, up to the one that threw the
 * exception. The reader keeps the last. */
gn_hr gn_tell_look(struct gn_clr *clr, gn_cor_id function)
{
	if (*thrown()) {
		uint32_t index = gn_tell_function(clr, function);

		*thrown() = throws_for_others(clr, index);
		GN_CLR_SITE(exception_from)(index);
	}
	if (clr->families & GN_FAMILY_HANDLERS)
		GN_CLR_SITE(search_function_begin)
	(gn_tell_function(clr, function));
	return GN_S_OK;
}

gn_hr gn_tell_found(struct gn_clr *clr, gn_cor_id function)
{
	if (clr->families & GN_FAMILY_HANDLERS)
		GN_CLR_SITE(search_catcher_found)
	(gn_tell_function(clr, function));
	return GN_S_OK;
}

gn_hr gn_tell_finally(struct gn_clr *clr, gn_cor_id function)
{
	if (clr->families & GN_FAMILY_HANDLERS)
		GN_CLR_SITE(finally_begin)(gn_tell_function(clr, function));
	return GN_S_OK;
}

gn_hr gn_tell_suspends(struct gn_clr *clr, uint32_t why)
{
	GN_CLR_SITE(suspend_begin)(clr, why);
	gn_borrowing_suspends(&clr->rejit.borrowing);
	return GN_S_OK;
}

gn_hr gn_tell_suspended(struct gn_clr *clr)
{
	gn_borrowing_suspended(&clr->rejit.borrowing);
	GN_CLR_SITE(suspend_end)();
	return GN_S_OK;
}

/* Called after each collection, which is often enough to check whether gnomon
 * is still there. */
gn_hr gn_tell_resumed(struct gn_clr *clr)
{
	GN_CLR_SITE(resume_end)();
	gn_rejit_check(clr);
	gn_borrowing_check(clr);
	return GN_S_OK;
}

/* Large and pinned objects have their own generations after the oldest, and are
 * collected together with it. */
gn_hr gn_tell_collection(struct gn_clr *clr, int32_t generations,
			 const int32_t *collected, uint32_t reason)
{
	enum { OLDEST = 2, INDUCED = 1 };
	int oldest = 0;

	(void)clr;
	for (int i = 0; i < generations && i <= OLDEST; i++)
		if (collected[i])
			oldest = i;
	GN_CLR_SITE(gc_begin)(GN_GC_KEY(oldest, reason == INDUCED));
	return GN_S_OK;
}

gn_hr gn_tell_finalizer(struct gn_clr *clr, uint32_t flags, uint64_t object)
{
	(void)flags;
	GN_CLR_SITE(finalize_queued)(gn_tell_class_of(clr, object));
	return GN_S_OK;
}
