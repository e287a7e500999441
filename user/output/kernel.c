/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/text.h"

char *gn_kernel_text(const struct gn_model_thread *t, bool ns)
{
	const struct gn_kernel_account *k = &t->kernel;
	char cpu[3][GN_CELL], delay[3][GN_CELL] = {"unknown", "", "unknown"};
	char *text = NULL;

	gn_format_duration(cpu[0], k->cpu, ns);
	gn_format_duration(cpu[1], k->our_cpu, ns);
	gn_format_difference(cpu[2], k->cpu_rest, ns);
	gn_format_duration(delay[1], k->our_delay, ns);
	if (k->delay != UINT64_MAX) {
		gn_format_duration(delay[0], k->delay, ns);
		gn_format_difference(delay[2], k->delay_rest, ns);
	}
	if (asprintf(&text,
		     "thread %" PRIu32
		     " (%s): the kernel counted %s on a CPU and %s in the run "
		     "queue, gnomon %s and %s; %s and %s of the difference "
		     "have no known reason",
		     t->tid, t->name, cpu[0], delay[0], cpu[1], delay[1],
		     cpu[2], delay[2]) < 0)
		return NULL;
	return text;
}

static int print_thread(const struct gn_model_thread *t,
			const struct gn_output_opts *o, const char *label,
			FILE *f)
{
	char *text = gn_kernel_text(t, o->ns);
	char *escaped = text ? gn_escape(text, o->utf8) : NULL;

	if (escaped)
		fprintf(f, "%s# %-11s %s%s\n", o->color ? GN_ATTENTION : "",
			label, escaped, o->color ? GN_PLAIN : "");
	free(text);
	free(escaped);
	return escaped ? 0 : -ENOMEM;
}

int gn_kernel_print(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	char more[GN_CELL];
	size_t n = 0;

	for (size_t i = 0; i < m->nthreads; i++) {
		int err;

		if (!gn_kernel_differs(&m->threads[i].kernel) ||
		    n++ >= GN_KERNEL_LINES)
			continue;
		err = print_thread(&m->threads[i], o, n == 1 ? "FAILED" : "",
				   f);
		if (err)
			return err;
	}
	if (n > GN_KERNEL_LINES) {
		gn_format_count(more, n - GN_KERNEL_LINES);
		fprintf(f, "# %-11s and %s more\n", "", more);
	}
	return 0;
}
