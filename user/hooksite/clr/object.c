// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes the library a profiler for the runtime: the class factory, and the
 * callback's function table. Each slot is a site, a callback, or a stub that
 * does nothing.
 */
#include <string.h>

#include "choose.h"
#include "clsid.h"
#include "profiler.h"
#include "sites.h"
#include "tell.h"

#define EXPORT __attribute__((visibility("default")))

#define SLOT_COUNT 98 /* ICorProfilerCallback11 */

/* Slots that hold nothing but a site. */
#define SLOT_SITE_LIST(X)            \
	X(4, shutdown)               \
	X(5, appdomain_create_begin) \
	X(9, assembly_load_begin)    \
	X(13, module_load_begin)     \
	X(17, module_attached)       \
	X(18, class_load_begin)      \
	X(27, jit_pitched)           \
	X(29, thread_create)         \
	X(30, thread_destroy)        \
	X(31, thread_assigned)       \
	X(44, suspend_abort)         \
	X(45, resume_begin)          \
	X(47, thread_suspended)      \
	X(48, thread_resumed)        \
	X(56, search_function_end)   \
	X(65, finally_end)           \
	X(67, catcher_end)           \
	X(68, com_table_create)      \
	X(69, com_table_destroy)     \
	X(75, gc_end)                \
	X(78, handle_create)         \
	X(79, handle_destroy)        \
	X(82, detach_complete)       \
	X(91, memory_symbols_updated)

#define DECLARE(slot, name) void GN_CLR_SITE(name)(void);
SLOT_SITE_LIST(DECLARE)
#undef DECLARE

static gn_hr query(void *self, const struct gn_guid *iid, void **out);

static uint32_t keep(void *self)
{
	(void)self;
	return 1; /* the object is never freed */
}

static gn_hr ignore(void *self)
{
	(void)self;
	return GN_S_OK;
}

/* Heap walks: a failure makes the runtime stop the current walk. */
static gn_hr stop_walk(void *self)
{
	(void)self;
	return GN_E_FAIL;
}

static void *const slots[SLOT_COUNT] = {
	[0] = query,
	[1] = keep,
	[2] = keep,
	[3] = gn_clr_initialize,
	[6] = gn_tell_domain_loaded,
	[7] = gn_tell_domain_unload,
	[8] = gn_tell_domain_unloaded,
	[10] = gn_tell_assembly_loaded,
	[11] = gn_tell_assembly_unload,
	[12] = gn_tell_assembly_unloaded,
	[14] = gn_clr_module_loaded,
	[15] = gn_tell_module_unload,
	[16] = gn_clr_module_unloaded,
	[19] = gn_tell_class_loaded,
	[20] = gn_tell_class_unload,
	[21] = gn_tell_class_unloaded,
	[22] = gn_clr_function_unload,
	[23] = gn_clr_jit_started,
	[24] = gn_clr_jit_finished,
	[25] = gn_clr_search_started,
	[26] = gn_tell_searched,
	[28] = gn_clr_inlining,
	/* remoting, which the runtime no longer has */
	[32] = ignore,
	[33] = ignore,
	[34] = ignore,
	[35] = ignore,
	[36] = ignore,
	[37] = ignore,
	[38] = ignore,
	[39] = ignore,
	[40] = gn_tell_to_managed,
	[41] = gn_tell_to_native,
	[42] = gn_tell_suspends,
	[43] = gn_tell_suspended,
	[46] = gn_tell_resumed,
	/* moved references, allocations by class, references, roots */
	[49] = stop_walk,
	[50] = gn_tell_allocated,
	[51] = stop_walk,
	[52] = stop_walk,
	[53] = stop_walk,
	[54] = gn_tell_thrown,
	[55] = gn_tell_look,
	[57] = gn_clr_filter_enter,
	[58] = gn_clr_filter_leave,
	[59] = gn_tell_found,
	[60] = ignore,
	[61] = ignore,
	[62] = gn_clr_unwind_enter,
	[63] = gn_clr_unwind_leave,
	[64] = gn_tell_finally,
	[66] = gn_clr_catcher_enter,
	[70] = ignore,
	[71] = ignore,
	[72] = gn_tell_thread_name,
	[73] = gn_tell_collection,
	/* surviving references, root references */
	[74] = stop_walk,
	[76] = gn_tell_finalizer,
	[77] = stop_walk,
	[80] = gn_clr_initialize_attach,
	[81] = gn_clr_attach_complete,
	[83] = gn_tell_rejit,
	[84] = gn_clr_rejit_parameters,
	[85] = gn_tell_rejitted,
	[86] = gn_clr_rejit_failed,
	/* moved and surviving references, dependent handles */
	[87] = stop_walk,
	[88] = stop_walk,
	[89] = stop_walk,
	[90] = ignore,
	[92] = gn_clr_dynamic_jit_started,
	[93] = gn_clr_jit_finished,
	[94] = gn_clr_dynamic_unloaded,
	/* event pipe */
	[95] = ignore,
	[96] = ignore,
	[97] = gn_clr_notification_only,
#define SITE(slot, name) [slot] = GN_CLR_SITE(name),
	SLOT_SITE_LIST(SITE)
#undef SITE
};

/* The runtime creates one profiler per process, and its hooks carry no pointer
 * to it. So there is one static object, and only callbacks that receive it use
 * it. */
static struct gn_clr profiler;

/* A full dump of the program has all of it (lazy.h). */
_Static_assert(sizeof(profiler) < 1 << 20, "the profiler's tables are large");

static bool is_guid(const struct gn_guid *a, const struct gn_guid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static const struct gn_guid iunknown = {
	0, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};

static gn_hr query(void *self, const struct gn_guid *iid, void **out)
{
	/* ICorProfilerCallback to ICorProfilerCallback11 */
	static const struct gn_guid versions[] = {
		{0x176fbed1,
		 0xa55c,
		 0x4796,
		 {0x98, 0xca, 0xa9, 0xda, 0x0e, 0xf8, 0x83, 0xe7}},
		{0x8a8cc829,
		 0xccf2,
		 0x49fe,
		 {0xbb, 0xae, 0x0f, 0x02, 0x22, 0x28, 0x07, 0x1a}},
		{0x4fd2ed52,
		 0x7731,
		 0x4b8d,
		 {0x94, 0x69, 0x03, 0xd2, 0xcc, 0x30, 0x86, 0xc5}},
		{0x7b63b2e3,
		 0x107d,
		 0x4d48,
		 {0xb2, 0xf6, 0xf6, 0x1e, 0x22, 0x94, 0x70, 0xd2}},
		{0x8dfba405,
		 0x8c9f,
		 0x45f8,
		 {0xbf, 0xfa, 0x83, 0xb1, 0x4c, 0xef, 0x78, 0xb5}},
		{0xfc13df4b,
		 0x4448,
		 0x4f4f,
		 {0x95, 0x0c, 0xba, 0x8d, 0x19, 0xd0, 0x0c, 0x36}},
		{0xf76a2dba,
		 0x1d52,
		 0x4539,
		 {0x86, 0x6c, 0x2a, 0xa5, 0x18, 0xf9, 0xef, 0xc3}},
		{0x5bed9b15,
		 0xc079,
		 0x4d47,
		 {0xbf, 0xe2, 0x21, 0x5a, 0x14, 0x0c, 0x07, 0xe0}},
		{0x27583ec3,
		 0xc8f5,
		 0x482f,
		 {0x80, 0x52, 0x19, 0x4b, 0x8c, 0xe4, 0x70, 0x5a}},
		{0xcec5b60e,
		 0xc69c,
		 0x495f,
		 {0x87, 0xf6, 0x84, 0xd2, 0x8e, 0xe1, 0x6f, 0xfb}},
		{0x42350846,
		 0xaaed,
		 0x47f7,
		 {0xb1, 0x28, 0xfd, 0x0c, 0x98, 0x88, 0x1c, 0xde}},
	};

	*out = is_guid(iid, &iunknown) ? self : NULL;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (is_guid(iid, &versions[i]))
			*out = self;
	return *out ? GN_S_OK : GN_E_NOINTERFACE;
}

static gn_hr factory_query(void *self, const struct gn_guid *iid, void **out)
{
	static const struct gn_guid factory_iid = {
		1, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};

	*out = is_guid(iid, &iunknown) || is_guid(iid, &factory_iid) ? self
								     : NULL;
	return *out ? GN_S_OK : GN_E_NOINTERFACE;
}

static void *const *const factories[2];

static gn_hr factory_create(void *self, void *outer, const struct gn_guid *iid,
			    void **out)
{
	*out = NULL;
	profiler.asked_beside = self == &factories[1];
	if (outer)
		return GN_CLASS_E_NOAGGREGATION;
	/* Not initialized statically: that would put the tables, which are
	 * zeros, into the file. */
	profiler.slots = slots;
	return query(&profiler, iid, out);
}

static gn_hr factory_lock(void *self, int32_t lock)
{
	(void)self, (void)lock;
	return GN_S_OK;
}

static void *const factory_slots[] = {factory_query, keep, keep, factory_create,
				      factory_lock};
/* by index of the requested class */
static void *const *const factories[2] = {factory_slots, factory_slots};

EXPORT gn_hr DllGetClassObject(const struct gn_guid *clsid,
			       const struct gn_guid *iid, void **out);

EXPORT gn_hr DllGetClassObject(const struct gn_guid *clsid,
			       const struct gn_guid *iid, void **out)
{
	static const struct gn_guid ours[2] = {GN_CLR_CLSID_INIT,
					       GN_CLR_CLSID_BESIDE_INIT};

	*out = NULL;
	for (size_t i = 0; i < 2; i++)
		if (is_guid(clsid, &ours[i]))
			return factory_query((void *)&factories[i], iid, out);
	return GN_CLASS_E_NOTAVAILABLE;
}
