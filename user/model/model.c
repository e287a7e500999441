// SPDX-License-Identifier: BSD-2-Clause
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/pool.h"

static void free_own(struct gn_model_own *own)
{
	if (!own)
		return;
	gn_pool_texts_drop(own->texts);
	free(own->live);
	free(own->stacks);
	free(own->shares);
	free(own);
}

void gn_model_free(struct gn_model *m)
{
	if (!m)
		return;
	free(m->info);
	free(m->functions);
	free(m->modules);
	free(m->threads);
	free(m->processes);
	free(m->nodes);
	free(m->edges);
	free(m->waits);
	for (size_t i = 0; i < m->nasyncs; i++)
		free(m->asyncs[i].awaits);
	free(m->asyncs);
	free(m->events);
	free(m->exceptions);
	free(m->allocations);
	free(m->syscalls);
	free(m->thread_syscalls);
	free(m->samples);
	free(m->sample_nodes);
	free(m->code.inlined);
	free(m->code.unhooked);
	free_own(m->own);
	free(m);
}

/* `other`: another number of the same runtime. */
static bool is_only_of(const struct gn_model *m, enum gn_runtime_id id,
		       enum gn_runtime_id other)
{
	bool is = false;

	for (size_t i = 0; i < m->nfunctions; i++) {
		uint32_t of = m->functions[i].runtime;

		if (of != id && of != other && of != GN_RUNTIME_NATIVE)
			return false;
		is |= of == id || of == other;
	}
	return is;
}

bool gn_model_of_jvm(const struct gn_model *m)
{
	return is_only_of(m, GN_RUNTIME_HOTSPOT, GN_RUNTIME_JAVA);
}

bool gn_model_of_php(const struct gn_model *m)
{
	return is_only_of(m, GN_RUNTIME_PHP, GN_RUNTIME_ZEND);
}

bool gn_model_without_clr(const struct gn_model *m)
{
	bool managed = false;

	for (size_t i = 0; i < m->nfunctions; i++) {
		if (m->functions[i].runtime == GN_RUNTIME_CLR)
			return false;
		managed |= m->functions[i].runtime != GN_RUNTIME_NATIVE;
	}
	return managed;
}

const char *gn_model_info(const struct gn_model *m, const char *key)
{
	size_t i;

	for (i = m->ninfo; i-- > 0;)
		if (!strcmp(m->info[i].key, key))
			return m->info[i].value;
	return NULL;
}

uint64_t gn_model_counted(const struct gn_model *m)
{
	uint64_t sum = 0;

#define CAUSE(name, value, text, loss, meaning)                                \
	if (loss &&                                                            \
	    __builtin_add_overflow(sum, m->counters[GN_COUNTER_##name], &sum)) \
		return UINT64_MAX;
	GN_COUNTER_LIST(CAUSE)
#undef CAUSE
	return sum;
}

uint64_t gn_model_losses(const struct gn_model *m)
{
	uint64_t counted = gn_model_counted(m);

	return m->lost > counted ? m->lost : counted;
}

bool gn_model_attached(const struct gn_model *m)
{
	const char *command = gn_model_info(m, "command");

	return command && !strcmp(command, "[]");
}

bool gn_model_lossy(const struct gn_model *m)
{
	return m->lost || m->truncated || gn_model_counted(m);
}

const char *gn_model_truncation(const struct gn_model *m)
{
	return m->damaged ? "is damaged" : "has no end";
}

bool gn_model_broken(const struct gn_model *m)
{
#define BROKEN(field, text, error)      \
	if ((error) && m->checks.field) \
		return true;
	GN_CHECK_LIST(BROKEN)
#undef BROKEN
	return false;
}

bool gn_model_thread_doubtful(const struct gn_model_thread *t)
{
	return gn_doubtful(t->in_doubt, t->entered);
}

uint64_t gn_model_threads(const struct gn_model *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->nthreads; i++)
		n += gn_model_row_threads(&m->threads[i]);
	return n;
}

bool gn_time_is_idle(const uint64_t classes[GN_CLASS_COUNT], uint64_t elapsed)
{
	uint64_t busy = classes[GN_CLASS_RUNQUEUE] + classes[GN_CLASS_DISK] +
			classes[GN_CLASS_LOCK] + classes[GN_CLASS_UNCLASSIFIED];

	for (int c = 0; c < GN_CLASS_COUNT; c++)
		busy += gn_class_on_cpu((enum gn_class)c) ? classes[c] : 0;
	return busy <= elapsed / 50;
}

double gn_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
