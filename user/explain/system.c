/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the system's work for threads on CPUs. */
#include "explain/rules.h"
#include "output/header.h"
#include "output/syscalls.h"

#define SMALL_NS    5000
#define SMALL_COUNT 100

int gn_look_faults(const struct gn_facts *f, struct gn_subject *s)
{
	int err = gn_wait_sum(f->m, s->class, &s->wait);

	s->share = gn_share_of_cpu(f, s->wait.ns);
	s->rank = gn_share_of_work(f, s->wait.ns);
	return err;
}

/* Writes the cause of the function's page faults: those that waited for a disk
 * read from swap or from a file. */
static void put_read(FILE *out, const struct gn_facts *f, int32_t function)
{
	uint64_t ns = 0, count = 0;

	for (size_t i = 0; i < f->m->nwaits; i++) {
		const struct gn_model_wait *w = &f->m->waits[i];

		if (w->function == function && w->class == GN_CLASS_DISK &&
		    w->reason == GN_NO_SYSCALL) {
			ns += w->ns;
			count += w->count;
		}
	}
	if (!count) {
		fputs(". It touches memory that has no page yet, or no longer "
		      "has one.",
		      out);
		return;
	}
	fputs("; they waited ", out);
	gn_put_count(out, count, "time", "times");
	fputs(", ", out);
	gn_put_ns(out, ns);
	fputs(" in all, for pages to be read from a file or from swap.", out);
}

void gn_say_faults(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	fputs("Page faults took ", out);
	gn_put_of_cpu(out, f, s->wait.ns);
	fputs(": ", out);
	gn_put_count(out, s->wait.count, "fault", "faults");
	fputs(" of ", out);
	gn_put_ns(out, s->wait.count ? s->wait.ns / s->wait.count : 0);
	fputs(". Most", out);
	gn_put_where(out, f, s->wait.function, GN_CLASS_FAULT);
	fputs(": ", out);
	gn_put_count(out, s->wait.function_count, "fault", "faults");
	put_read(out, f, s->wait.function);
}

void gn_next_faults(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	(void)f;
	(void)s;
	fputs("--sort fault --columns default,fault --limit 10", out);
}

/* Whether the system call with the most time is called for next to nothing. */
static bool is_small(const struct gn_wait_sum *w)
{
	return w->reason_count >= SMALL_COUNT &&
	       w->reason_ns / w->reason_count <= SMALL_NS;
}

int gn_look_syscalls(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_wait_sum *w = &s->wait;
	int err = gn_wait_sum(f->m, s->class, &s->wait);

	if (is_small(w))
		s->share = gn_share(w->reason_ns, f->cpu);
	else if (w->reason_count && w->ns > f->cpu / 2)
		s->share = gn_share(w->ns, f->cpu);
	s->rank = gn_share_of_work(f, is_small(w) ? w->reason_ns : w->ns);
	return err;
}

static void put_calls(const struct gn_facts *f, const struct gn_wait_sum *w,
		      FILE *out)
{
	const char *name = gn_syscall_text(w->reason);

	gn_put_count(out, w->reason_count, "time", "times");
	if (name)
		fprintf(out, " %s", name);
	else
		fprintf(out, " system call %u", w->reason);
	fputs(", ", out);
	gn_put_ns(out, w->reason_ns / w->reason_count);
	fputs(" each, ", out);
	if (is_small(w)) {
		fputs("took ", out);
		gn_put_of_cpu(out, f, w->reason_ns);
	} else {
		gn_put_ns(out, w->reason_ns);
		fputs(" in all", out);
	}
	if (!f->m->nfunctions)
		return;
	fputs("; most calls' time is", out);
	gn_put_where(out, f, w->function, GN_CLASS_SYSCALL);
}

void gn_say_syscalls(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	const struct gn_wait_sum *w = &s->wait;

	if (is_small(w)) {
		fputs("System calls in small pieces: ", out);
		put_calls(f, w, out);
		fputs(". Fewer and larger ones cost less.", out);
		return;
	}
	fputs("System calls took ", out);
	gn_put_of_cpu(out, f, w->ns);
	fputs(". Most: ", out);
	put_calls(f, w, out);
	fputc('.', out);
}

void gn_next_syscalls(const struct gn_facts *f, const struct gn_subject *s,
		      FILE *out)
{
	if (f->m->nfunctions)
		gn_next_wait(f, s, out);
	else
		fputs("--by syscalls", out);
}
