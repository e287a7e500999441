/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define PROGRESS_NS 500000000u

void gn_progress_init(struct gn_progress *p, bool quiet)
{
	*p = (struct gn_progress){.on = !quiet && isatty(STDERR_FILENO)};
}

void gn_progress_restart(struct gn_progress *p, uint64_t now)
{
	p->began = now;
}

/* Whether it is time to show the progress. */
static bool is_due(struct gn_progress *p, uint64_t now)
{
	if (!p->began)
		p->began = now;
	if (!p->on || now - p->began < PROGRESS_NS ||
	    now - p->shown_at < PROGRESS_NS)
		return false;
	p->shown_at = now;
	return true;
}

void gn_progress_wait(struct gn_progress *p, uint64_t now, const char *doing)
{
	if (is_due(p, now))
		fprintf(stderr, "\r\033[Kgnomon: %s, %.1f s", doing,
			(double)(now - p->began) / 1e9);
}

void gn_progress_show(struct gn_progress *p, uint64_t now, const char *doing,
		      const char *unit, uint64_t done, uint64_t total,
		      uint64_t scale)
{
	double seconds;

	if (!is_due(p, now))
		return;
	seconds = (double)(now - p->began) / 1e9;
	fprintf(stderr, "\r\033[Kgnomon: %s %" PRIu64, doing, done / scale);
	if (total)
		fprintf(stderr, " of %" PRIu64, total / scale);
	fprintf(stderr, " %s, %.0f a second", unit,
		(double)done / (double)scale / seconds);
	if (done && done < total)
		fprintf(stderr, ", %.0f s left",
			(double)(total - done) * seconds / (double)done);
}

void gn_progress_end(struct gn_progress *p)
{
	if (p->shown_at)
		fputs("\r\033[K", stderr);
	p->shown_at = p->began = 0;
}
