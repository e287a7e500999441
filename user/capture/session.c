/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session tells: its failure, its state, and records to the sink. */
#include "capture/session_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "capture/denied.h"
#include "capture/drain.h"

#define ENOUGH_FILES 1024ull /* for most captures */

int gn_session_fail(struct gn_session *s, int err, int status, const char *fmt,
		    ...)
{
	struct rlimit limit;
	va_list ap;

	/* wherever descriptors run out */
	if (err == -EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		snprintf(s->error, sizeof(s->error),
			 "%llu file descriptors are not enough for gnomon; "
			 "raise the limit (ulimit -n %llu)",
			 (unsigned long long)limit.rlim_max,
			 limit.rlim_max < ENOUGH_FILES
				 ? ENOUGH_FILES
				 : (unsigned long long)limit.rlim_max * 4);
		s->status = status;
		return err;
	}
	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	s->status = status;
	return err;
}

int gn_session_no_thread(struct gn_session *s, int err)
{
	return gn_session_fail(s, err, 1, "no thread can be started (%s); %s",
			       strerror(-err), gn_denied_start(err));
}

int gn_session_denied(struct gn_session *s, int err)
{
	struct gn_denied why;

	gn_denied_find(err, &why);
	return gn_session_fail(s, err, 1, "%s; %s", why.what, why.todo);
}

const char *gn_session_warning(const struct gn_session *s)
{
	return s->warning;
}

const char *gn_session_error(const struct gn_session *s)
{
	return s->error;
}

bool gn_session_unkept(const struct gn_session *s)
{
	return s->sink_error;
}

int gn_session_status(const struct gn_session *s)
{
	return s->status;
}

size_t gn_session_left(const struct gn_session *s)
{
	return s->left;
}

const char *gn_session_summary(const struct gn_session *s)
{
	return s->summary;
}

size_t gn_session_children(const struct gn_session *s, const char **of)
{
	*of = s->parents;
	return s->children;
}

bool gn_session_fast(const struct gn_session *s)
{
	return s->fast;
}

pid_t gn_session_child(const struct gn_session *s)
{
	/* a child that still waits at its gate is not the command yet */
	return s->child.pid > 0 && s->child.gate < 0 ? s->child.pid : 0;
}

/* Counts what is lost on the way to the sink. A sink that cannot go on ends the
 * capture at the next poll. */
static void lose(struct gn_session *s, int err, size_t n)
{
	s->sink_lost += n;
	if (err != -ENOBUFS && err != -EBADMSG)
		s->sink_error = err;
}

int gn_session_not_kept(struct gn_session *s)
{
	int err = s->sink_error;
	const char *why = err == -EPIPE	      ? "nobody reads them any more"
			  : err == -ETIMEDOUT ? "nobody reads them"
					      : strerror(-err);

	return gn_session_fail(s, err, 1,
			       "the records cannot be written: %s; make room, "
			       "or write elsewhere (-o FILE)",
			       why);
}

int gn_session_put(void *session, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = session;
	int err = s->sink_error ? -ENOBUFS
				: s->opts.sink(s->opts.sink_ctx, rec, size);

	if (err)
		lose(s, err, 1);
	return 0;
}

int gn_session_put_calls(struct gn_session *s, const struct gn_rec_func *recs,
			 size_t n)
{
	size_t taken = 0;
	int err = s->sink_error
			  ? -ENOBUFS
			  : s->opts.calls(s->opts.sink_ctx, recs, n, &taken);

	if (err)
		lose(s, err, n - taken);
	return 0;
}

int gn_session_put_info(struct gn_session *s, const char *key,
			const char *value)
{
	return gn_text_record_to(gn_session_put, s, GN_KIND_INFO, 0, 0, 0, 0,
				 key, value);
}

bool gn_session_uses(const struct gn_session *s, enum gn_prog prog)
{
	for (size_t i = 0; i < s->probes.count; i++)
		if (s->probes.group[i].prog == prog)
			return true;
	return false;
}

bool gn_session_awaits(const struct gn_session *s)
{
	return s->opts.follow && gn_filter_positive(s->filter);
}

bool gn_session_private(const struct gn_session *s, const struct gn_file *file,
			enum gn_prog prog)
{
	/* a process hits a set-up probe once, when it begins: no tax */
	return !s->opts.follow || (file->elsewhere && prog != GN_PROG_SETUP);
}

const pid_t *gn_session_first(const struct gn_session *s, size_t *n)
{
	*n = s->opts.command ? 1 : s->opts.npids;
	return s->opts.command ? &s->child.pid : s->opts.pids;
}
