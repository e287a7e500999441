// SPDX-License-Identifier: BSD-2-Clause
#include "api.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct gn_rb_api gn_rb;

bool gn_rb_find(void)
{
	bool all = true;

#define FIND(field, result, parameters, name, needed)       \
	*(void **)&gn_rb.field = dlsym(RTLD_DEFAULT, name); \
	all &= gn_rb.field || !(needed);
	GN_RB_LIST(FIND)
#undef FIND
	gn_rb.object_class = dlsym(RTLD_DEFAULT, "rb_cObject");
	gn_rb.module_class = dlsym(RTLD_DEFAULT, "rb_cModule");
	gn_rb.class_class = dlsym(RTLD_DEFAULT, "rb_cClass");
	return all && gn_rb.object_class && gn_rb.module_class &&
	       gn_rb.class_class;
}

static struct {
	unsigned int seen, alike;
	const void *context;
} check;

static bool is_alike(struct gn_rb_event *e)
{
	const struct gn_rb_context *c = e->context;
	uintptr_t stack, frame = e->frame;

	/* nothing is read through `context` unless the fields around it are
	 * right */
	if (gn_rb.event_flag(e) != e->event || gn_rb.event_self(e) != e->self ||
	    gn_rb.event_class(e) != e->class ||
	    gn_rb.symbol_id(gn_rb.event_method(e)) != e->id)
		return false;
	stack = (uintptr_t)c->stack;
	return frame > stack && frame - stack < c->size * sizeof(void *);
}

static void check_event(gn_rb_value data, struct gn_rb_event *e)
{
	(void)data;
	check.seen++;
	check.alike += is_alike(e);
	check.context = e->context;
}

/* The memory that the current thread has for the interpreter: some words, of
 * which one is the address of its context. */
static int find_context(struct dl_phdr_info *info, size_t size, void *out)
{
	const char *thread = __builtin_thread_pointer();
	const void *const *word = info->dlpi_tls_data;
	ptrdiff_t *found = out;

	(void)size;
	if (!word || !strstr(info->dlpi_name, "libruby"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		for (size_t k = 0;
		     p->p_type == PT_TLS && k < p->p_memsz / sizeof(*word); k++)
			if (word[k] == check.context)
				*found = (const char *)&word[k] - thread;
	}
	return 1;
}

ptrdiff_t gn_rb_context_at(void)
{
	ptrdiff_t found = 0;

	dl_iterate_phdr(find_context, &found);
	return found;
}

bool gn_rb_check(void)
{
	gn_rb_event_fn fn = (gn_rb_event_fn)(void (*)(void))check_event;
	gn_rb_id id = gn_rb.intern("nil?");

	gn_rb.nil = gn_rb.eval("nil");
	gn_rb.main = gn_rb.eval("self");
	/* a Ruby that has the function does not have the symbol */
	if (!gn_rb.attached)
		gn_rb.attached_id = gn_rb.intern("__attached__");
	gn_rb.refined_id = gn_rb.intern("__refined_class__");
	gn_rb.add_hook(fn, GN_RB_C_CALL | GN_RB_C_RETURN, GN_RB_FALSE,
		       GN_RB_HOOK_SAFE | GN_RB_HOOK_RAW);
	gn_rb.call(*gn_rb.object_class, id, 0, NULL);
	gn_rb.remove_hook(fn);
	return check.seen == 2 && check.alike == 2;
}
