/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a model can be trusted: as an exit status, and in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "output/header.h"
#include "output/kernel.h"
#include "output/text.h"

int gn_report_status(const struct gn_model *m, bool allow_loss)
{
	if (gn_model_broken(m))
		return GN_EXIT_BROKEN;
	if (gn_model_lossy(m) && !allow_loss)
		return GN_EXIT_LOST;
	return GN_EXIT_OK;
}

/* "times should agree with the kernel's account, threads apart: 1 (thread 7
 * ...)". NULL: no memory. */
static char *failed_checks(const struct gn_model *m)
{
	const char *between = "";
	char *thread = NULL;
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
#define FAILED(field, what, error)                          \
	if ((error) && m->checks.field) {                   \
		fprintf(f, "%s%s: %" PRIu64, between, what, \
			(uint64_t)m->checks.field);         \
		between = "; ";                             \
	}
	GN_CHECK_LIST(FAILED)
#undef FAILED
	for (size_t i = 0; i < m->nthreads && !thread; i++)
		if (gn_kernel_differs(&m->threads[i].kernel))
			thread = gn_kernel_text(&m->threads[i], false);
	if (thread)
		fprintf(f, " (%s)", thread);
	free(thread);
	return gn_text_stream_close(&text);
}

/* Whether all failed checks are effects of return probes on a program that
 * --leave return does not suit. */
static bool breaks_returns(const struct gn_model *m)
{
	uint64_t failed = 0;

#define ADD(field, what, error) failed += (error) && m->checks.field;
	GN_CHECK_LIST(ADD)
#undef ADD
	return failed == 1 && m->checks.doubtful_threads &&
	       gn_model_info(m, "functions.leave");
}

static void warn_broken(const struct gn_model *m)
{
	char *failed = failed_checks(m);

	gn_error("a self-check failed, the numbers cannot be trusted: %s; %s",
		 failed ? failed : "no memory to say which",
		 breaks_returns(m) ? "likely because of --leave return, which "
				     "does not work for programs that unwind, "
				     "jump or switch stacks: leave it out"
				   : "please report it with the trace");
	free(failed);
}

/* "12 records were lost (ring-full 12)". NULL: no memory. */
static char *lost_text(const struct gn_model *m)
{
	uint64_t lost = gn_model_losses(m);
	char n[GN_CELL];
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	gn_format_count(n, lost);
	fprintf(f, "%s %s lost", n,
		gn_word(lost, "record was", "records were"));
	gn_loss_causes(m, f);
	return gn_text_stream_close(&text);
}

static void warn_lost(const struct gn_model *m, bool allow_loss)
{
	const char *why = gn_model_info(m, "loss");
	char *lost = lost_text(m);

	gn_error("%s, the report is incomplete: %s%s",
		 lost ? lost : "records were lost",
		 why ? why : "record fewer functions",
		 allow_loss ? "" : ", or accept it with --allow-loss");
	free(lost);
}

void gn_report_warn(const struct gn_model *m, bool allow_loss)
{
	if (gn_model_broken(m))
		warn_broken(m);
	if (m->truncated)
		gn_error("the trace %s, what followed is lost; the report "
			 "holds what came before",
			 gn_model_truncation(m));
	if (gn_model_lossy(m) && (m->lost || !m->truncated))
		warn_lost(m, allow_loss);
}
