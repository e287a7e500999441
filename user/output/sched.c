/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/text.h"

#define UNKNOWN_DELAY UINT64_MAX

char *gn_sched_text(const struct gn_model_thread *t, bool ns)
{
	char cpu[2][GN_CELL], delay[2][GN_CELL] = {"unknown"};
	char *text = NULL;

	gn_format_duration(cpu[0], t->kernel_cpu, ns);
	gn_format_duration(cpu[1], t->cpu, ns);
	if (t->kernel_delay != UNKNOWN_DELAY)
		gn_format_duration(delay[0], t->kernel_delay, ns);
	gn_format_duration(delay[1], t->delay, ns);
	if (asprintf(&text,
		     "thread %" PRIu32 " (%s): by the kernel %s on a CPU and "
		     "%s in the run queue; by gnomon %s and %s",
		     t->tid, t->name, cpu[0], delay[0], cpu[1], delay[1]) < 0)
		return NULL;
	return text;
}

static int print_thread(const struct gn_model_thread *t,
			const struct gn_output_opts *o, const char *label,
			FILE *f)
{
	char *text = gn_sched_text(t, o->ns);
	char *escaped = text ? gn_escape(text, o->utf8) : NULL;

	if (escaped)
		fprintf(f, "%s# %-11s %s%s\n", o->color ? GN_ATTENTION : "",
			label, escaped, o->color ? GN_PLAIN : "");
	free(text);
	free(escaped);
	return escaped ? 0 : -ENOMEM;
}

int gn_sched_print(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f)
{
	char more[GN_CELL];
	size_t n = 0;

	for (size_t i = 0; i < m->nthreads; i++) {
		int err;

		if (!gn_model_thread_differs(&m->threads[i]) ||
		    n++ >= GN_SCHED_LINES)
			continue;
		err = print_thread(&m->threads[i], o, n == 1 ? "FAILED" : "",
				   f);
		if (err)
			return err;
	}
	if (n > GN_SCHED_LINES) {
		gn_format_count(more, n - GN_SCHED_LINES);
		fprintf(f, "# %-11s and %s more\n", "", more);
	}
	return 0;
}
