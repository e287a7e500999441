// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for CPython, which the preloaded library loads. It adds
 * an audit hook, which waits until the program runs code of its own: the main
 * script, or what it has an embedded interpreter run.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../fast.h"
#include "../preload/runtime.h"
#include "api.h"
#include "functions.h"
#include "greenlets.h"
#include "hook.h"
#include "states.h"

static struct {
	struct gn_preloaded asked;
	const struct gn_call_hooks *hooks; /* NULL: none was asked for yet */
	struct gn_py *(*init_posix)(void);
	bool listens; /* the audit hook is there */
	bool begun;   /* the program runs code */
	bool hooked;
} python;

/* The lock is in the state of the runtime: from 3.12 on in that of the main
 * interpreter, which is a part of it. */
static void tell_lock(void)
{
	void *runtime = dlsym(python.asked.loaded, "_PyRuntime");
	const ElfW(Sym) * symbol;
	Dl_info info;

	if (runtime &&
	    dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
		gn_site_call_lock(symbol->st_size, (uintptr_t)runtime);
}

static void begin_process(void)
{
	gn_call_follow_forks();
	python.hooks = gn_call_begin(python.asked.fast);
	gn_hook_begin(python.asked.loaded, python.hooks);
	gn_site_call_init(0);
	tell_lock();
}

static void begin_main(void)
{
	python.begun = true;
	if (!gn_functions_begin(python.asked.loaded, python.asked.filter)) {
		gn_site_call_selected(GN_SELECTED_PYTHONS_LEFT, 1);
		return;
	}
	if (!python.hooks)
		begin_process();
	python.hooked = true;
	gn_greenlets_begin(python.asked.loaded, python.hooks);
	gn_states_begin(python.asked.loaded);
}

static bool imports(const char *event, struct gn_py *args, const char *module)
{
	struct gn_py *name =
		strcmp(event, "import") ? NULL : gn_py.tuple_item(args, 0);
	const char *text = name ? gn_py.utf8(name, NULL) : NULL;

	if (name && !text)
		gn_py.clear_error();
	return text && !strcmp(text, module);
}

/* The last thing that an interpreter does as it begins is to import `site`.
 * What C code has it run after that is the program's. */
static bool is_own_code(const char *event, struct gn_py *args)
{
	return gn_states_in_main() && !gn_py.current_frame() &&
	       !imports(event, args, "site");
}

/* An interpreter that ends drops the audit hooks. The program can initialize it
 * again. */
static void end_main(void)
{
	python.listens = python.begun = python.hooked = false;
	gn_states_end();
}

static int audit(const char *event, struct gn_py *args, void *ctx)
{
	(void)ctx;
	if (!strcmp(event, "cpython._PySys_ClearAuditHooks")) {
		end_main();
		return 0;
	}
	if (!python.begun && is_own_code(event, args))
		begin_main();
	if (python.hooked &&
	    !strcmp(event, "cpython.PyInterpreterState_Clear") &&
	    gn_py.interpreter() == gn_py.main_interpreter())
		gn_states_count_missed();
	if (!strncmp(event, "_thread.start_", strlen("_thread.start_")))
		gn_states_python_starts();
	if (python.hooked && !strcmp(event, "sys.setprofile"))
		gn_hook_replaced();
	if (python.hooked) {
		gn_greenlets_see(event, args);
		gn_states_see_own();
	}
	return 0;
}

static bool listen(void)
{
	if (!python.listens)
		python.listens = !gn_py.audit(audit, NULL);
	return python.listens;
}

static struct gn_py *init_posix(void)
{
	if (!listen())
		gn_site_call_selected(GN_SELECTED_PYTHONS_LEFT, 1);
	return python.init_posix();
}

/* Each interpreter imports the module posix, which is a part of it, as it
 * begins. A hook that is there earlier is freed by another allocator than it
 * has come from if the program has debug hooks for them, and ends the program
 * (-X dev, PYTHONMALLOC=debug). */
static bool listen_later(void)
{
	struct gn_py_module *const *table =
		dlsym(python.asked.loaded, "PyImport_Inittab");

	for (struct gn_py_module *m = table ? *table : NULL; m && m->name; m++)
		if (!strcmp(m->name, "posix")) {
			python.init_posix = m->init;
			m->init = init_posix;
			return true;
		}
	return false;
}

void gn_preload_start(const struct gn_preloaded *asked,
		      struct gn_preload_calls *calls)
{
	python.asked = *asked;
	gn_fast_lives_at(asked->own_site);
	calls->thread = gn_states_thread_starts;
	/* without its lock, nothing can be added to one that runs */
	if (!gn_py_find(asked->loaded) || !listen_later() ||
	    (gn_py.is_initialized() && !(gn_states_in_main() && listen())))
		gn_site_call_selected(GN_SELECTED_PYTHONS_LEFT, 1);
}
