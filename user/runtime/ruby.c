/* SPDX-License-Identifier: BSD-2-Clause */
/* Ruby (CRuby), by its event hooks, which a preloaded library adds. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/preload.h>
#include "hooksite/ruby/filter.h"
#include "elf/exported.h"
#include "runtime/call_sites.h"
#include "runtime/ruby_context.h"
#include "runtime/runtime.h"

static const struct gn_runtime_site sites[] = {
	GN_CALL_SITES,
	{"gc_begin", NULL, GN_PROG_MANAGED, GN_KIND_GC_BEGIN, .func = 0},
	{"gc_end", NULL, GN_PROG_MANAGED, GN_KIND_GC_END, .func = 0},
};

/* A wait in the block of synchronize has the block on top. */
static const struct gn_role_glob role_globs[] = {
	{"Thread::Mutex#lock", GN_ROLE_LOCK},
	{"Thread::Mutex#synchronize", GN_ROLE_LOCK},
	{"Monitor#enter", GN_ROLE_LOCK},
	{"Monitor#synchronize", GN_ROLE_LOCK},
	{"Thread::Queue#pop", GN_ROLE_IDLE},
	{NULL, GN_ROLE_NONE},
};

static const struct gn_role_list roles = {.globs = role_globs};

#define INSTALLED "/usr/bin/ruby"

static int find(const char *home, gn_runtime_found_fn each, void *ctx)
{
	glob_t found;
	int err = 0;

	(void)home;
	if (glob(INSTALLED "[0-9]*", 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !err; i++)
		err = each(ctx, found.gl_pathv[i],
			   found.gl_pathv[i] + strlen(INSTALLED));
	globfree(&found);
	return err;
}

/* The file's first address, as linked, is that of its first byte. */
static bool find_lock(const char *path, uint64_t start, struct gn_lock *lock)
{
	uint64_t addr, size, first, module;
	int32_t version[2];
	int64_t context;

	if (gn_ruby_version(path, version))
		return false;
	lock->size = gn_lock_of_ruby(version[0], version[1]);
	if (lock->size == GN_LOCK_RUBY_BEFORE)
		return true;
	if (gn_ruby_context(path, &context, &module) ||
	    context != (int32_t)context ||
	    gn_exported_variable(path, GN_RUBY_VERSION, &addr, &size, &first)) {
		lock->size = 0;
		return false;
	}
	lock->at = start + module - first;
	lock->context = (int32_t)context;
	return true;
}

static const char *const limits[] = {
	"methods are seen only if the interpreter starts under gnomon, from "
	"the main script on, in the main Ractor, and only if it has a shared "
	"libruby",
	"what Ruby itself reports no events of is not seen: send, Proc#call, "
	"the accessors of a Struct, and what runs within a TracePoint or "
	"set_trace_func of the program",
	NULL,
};

static const char *const script_words[] = {"ruby", NULL};

static const char *const interpreters[] = {"ruby", NULL};

/* A method begins, ends or is unwound within them. Of one that an exception
 * leaves, the first run of the interpreter's loop ends before the method. */
static const char *const around[] = {
	"exec_hooks_*",
	"hook_before_rewind*",
	"rb_exec_event_hooks*",
	"rb_vm_pop_cfunc_frame*",
	"rb_vm_rewind_cfp*",
	"vm_exec_core*",
	"vm_exec_handle_exception*",
	"vm_exec_loop*",
	"vm_trace*",
	NULL,
};

extern const struct gn_runtime gn_runtime_ruby;
const struct gn_runtime gn_runtime_ruby = {
	.id = GN_RUNTIME_RUBY,
	.title = "Ruby",
	.provider = "gnomon_ruby",
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.library = GN_RUBY_LIBRARY,
	.preloaded = true,
	.interpreters = interpreters,
	.language = "Ruby",
	.sampled = true,
	.interpreter = "libruby*.so*",
	.around = around,
	.marker = "ruby_run_node",
	.script_words = script_words,
	.roles = &roles,
	.find = find,
	.matches = gn_ruby_filter,
	.embedded = "methods are not seen in a Ruby that a program has as a "
		    "library; --snapshot 99 samples them (Ruby 3.1 to 3.3)",
	.lock = {.find = find_lock},
	.attached =
		"only its threads and time classes are seen, not its "
		"methods; --snapshot 99 samples them (Ruby 3.1 to 3.3), and if "
		"gnomon starts it, it sees calls",
	.limits = limits,
	.get = "install ruby",
};
