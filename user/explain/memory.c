/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule about a control group whose memory is full. */
#include <inttypes.h>

#include "explain/rules.h"
#include "output/header.h"
#include "output/text.h"

/* Time in page faults, and in waits in none of the program's system calls: for
 * pages, and where the kernel slows the group down. */
static uint64_t paging(const struct gn_model *m)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (w->class == GN_CLASS_FAULT ||
		    (w->reason == GN_NO_SYSCALL && !w->halt &&
		     (w->class == GN_CLASS_DISK || w->class == GN_CLASS_OTHER)))
			ns += w->ns;
	}
	return ns;
}

int gn_look_memory(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t full;

	if (!gn_info_number(f->m, "memory.full", &full) || !full)
		return 0;
	s->ns = paging(f->m);
	s->share = gn_share_of_work(f, s->ns);
	return 0;
}

void gn_say_memory(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	uint64_t bytes = 0, full = 0;

	gn_info_number(f->m, "memory.limit", &bytes);
	gn_info_number(f->m, "memory.full", &full);
	fprintf(out,
		"Memory was too small: the limit of the control group, %" PRIu64
		" MiB, was reached ",
		bytes >> 20);
	gn_put_count(out, full, "time", "times");
	fputs(", and the kernel took pages back each time (memory.max, "
	      "memory.high; a container's memory limit). Page faults, and "
	      "waits for pages, took ",
	      out);
	gn_put_ns(out, s->ns);
	fputs(" of thread time.", out);
}

void gn_next_memory(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	gn_next_faults(f, s, out);
}
