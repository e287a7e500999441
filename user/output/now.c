/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/now.h"

#include "output/classes.h"

const struct gn_model_function *gn_now_find(const struct gn_model *m,
					    int32_t index)
{
	if (index < 0 || (size_t)index >= m->nfunctions)
		return NULL;
	return &m->functions[index];
}

const char *gn_now_function(const struct gn_model *m, int32_t index)
{
	const struct gn_model_function *f = gn_now_find(m, index);

	return f ? f->name : "";
}

int32_t gn_now_top(const struct gn_model_thread *t)
{
	if (!t || !t->live || !t->live->nstack)
		return -1;
	return t->live->stack[t->live->nstack - 1];
}

int32_t gn_now_most(const struct gn_model_thread *t)
{
	for (size_t i = 0; t && t->live && i < t->live->nshares; i++) {
		if (t->live->shares[i].function >= 0 &&
		    t->live->shares[i].elapsed)
			return t->live->shares[i].function;
	}
	return -1;
}

const char *gn_runtime_text(enum gn_runtime_id runtime)
{
	static const char *const texts[] = {
#define RUNTIME_TEXT(name, value, text) [GN_RUNTIME_##name] = text,
		GN_RUNTIME_LIST(RUNTIME_TEXT)
#undef RUNTIME_TEXT
	};

	return (unsigned)runtime < GN_RUNTIME_COUNT ? texts[runtime]
						    : "unknown";
}

/* The i-th function that tells what runs: first the functions by time, then the
 * stack from its top. */
static int32_t runs(const struct gn_model_live *live, size_t i)
{
	if (i < live->nshares)
		return live->shares[i].function;
	return live->stack[live->nstack + live->nshares - i - 1];
}

const char *gn_now_runtime(const struct gn_model *m,
			   const struct gn_model_thread *t)
{
	const struct gn_model_live *live = t ? t->live : NULL;
	const struct gn_model_function *f;
	const char *text = NULL;

	/* native code runs below every runtime, so it tells least */
	for (size_t i = 0; live && i < live->nshares + live->nstack; i++) {
		f = gn_now_find(m, runs(live, i));
		if (!f)
			continue;
		text = gn_runtime_text(f->runtime);
		if (f->runtime != GN_RUNTIME_NATIVE)
			return text;
	}
	/* no function is seen: use the runtime of the process */
	if (!text && live && t->runtime)
		text = gn_runtime_text((enum gn_runtime_id)t->runtime);
	return text;
}

const char *gn_now_state(const struct gn_model_thread *t)
{
	if (!t || !t->live)
		return "-";
	switch (t->live->state) {
	case GN_THREAD_RUNNING:
		return "R";
	case GN_THREAD_RUNNABLE:
		return "Q";
	case GN_THREAD_WAITING:
		return gn_class_short((int)t->live->doing);
	case GN_THREAD_ENDED:
		return "X";
	default:
		return "-";
	}
}

bool gn_now_does(enum gn_thread_state state)
{
	return state == GN_THREAD_RUNNING || state == GN_THREAD_WAITING;
}

const char *gn_now_doing(const struct gn_model_thread *t)
{
	return t && t->live && gn_now_does(t->live->state)
		       ? gn_class_text((int)t->live->doing)
		       : "";
}
