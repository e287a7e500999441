/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/busy.h"

#include "output/columns.h"

bool gn_thread_idle(const struct gn_model_thread *t)
{
	return gn_time_is_idle(t->classes, t->elapsed);
}

uint64_t gn_busy_elapsed(const struct gn_model *m, size_t *idle)
{
	uint64_t all = 0, busy = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];

		all += t->elapsed;
		if (gn_thread_idle(t))
			n += gn_model_row_threads(t);
		else
			busy += t->elapsed;
	}
	if (idle)
		*idle = n < gn_model_threads(m) ? n : 0;
	return busy ? busy : all;
}

uint64_t gn_of_whole(const struct gn_model *m, enum gn_of of, int column)
{
	uint64_t whole = gn_column_whole(&m->session, column);

	if (!whole || of == GN_OF_THREADS)
		return whole;
	if (of == GN_OF_WALL)
		return m->end - m->start;
	return gn_column_elapsed(column) ? gn_busy_elapsed(m, NULL) : whole;
}
