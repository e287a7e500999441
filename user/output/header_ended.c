// SPDX-License-Identifier: BSD-2-Clause
/* Reports which processes ended while they were traced, and how. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "output/header.h"
#include "output/text.h"

#define ENDED_NAMED 3

/* Whether to report how a process ended. Signals are always reported. An exit
 * status is reported only if gnomon attached: the processes of a command report
 * to the command, and the command exits as it does without gnomon. */
static bool worth_telling(const struct gn_model *m,
			  const struct gn_model_process *p, bool attached)
{
	return p->ended && (WIFSIGNALED(p->exit) ||
			    (attached && (p->exit || m->nprocesses == 1)));
}

static void put_signal(int exit, bool starved, FILE *f)
{
	const char *name = sigabbrev_np(WTERMSIG(exit));

	if (name)
		fprintf(f, "was killed by SIG%s", name);
	else
		fprintf(f, "was killed by signal %d", WTERMSIG(exit));
	if (WCOREDUMP(exit))
		fputs(" (core dumped)", f);
	if (starved)
		fputs(" because memory ran out", f);
}

static int put_one(const struct gn_model *m, const struct gn_model_process *p,
		   const struct gn_output_opts *o, const char *label, FILE *f)
{
	char *name = gn_escape(p->name, o->utf8);
	char after[GN_CELL];

	if (!name)
		return -ENOMEM;
	gn_format_duration(after,
			   p->ended_at > m->start ? p->ended_at - m->start : 0,
			   o->ns);
	fprintf(f, "# %-11s %s (%" PRIu32 ") ", label, name, p->pid);
	free(name);
	if (WIFSIGNALED(p->exit))
		put_signal(p->exit, p->starved, f);
	else
		fprintf(f, "exited with status %d", WEXITSTATUS(p->exit));
	fprintf(f, ", %s after the capture began\n", after);
	if (p->starved)
		fprintf(f,
			"# %-11s dmesg says whose limit it was: the machine's "
			"or a control group's\n",
			"");
	return 0;
}

int gn_header_ended(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	const char *command = gn_model_info(m, "command");
	bool attached = command && !strcmp(command, "[]");
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < m->nprocesses && !err; i++)
		if (worth_telling(m, &m->processes[i], attached) &&
		    n++ < ENDED_NAMED)
			err = put_one(m, &m->processes[i], o,
				      n == 1 ? "ended" : "", f);
	if (n > ENDED_NAMED)
		fprintf(f, "# %-11s and %zu more (--format json)\n", "",
			n - ENDED_NAMED);
	return err;
}
