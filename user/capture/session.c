/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/session_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/denied.h"
#include "capture/drain.h"
#include "capture/setter.h"
#include "capture/sleds.h"
#include "capture/sources.h"
#include "gnomon.skel.h"

#define DEFAULT_RING (64u << 20)
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

int gn_session_new(const struct gn_session_opts *opts, struct gn_session **out)
{
	struct gn_session *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->opts = *opts;
	if (!s->opts.ring_size)
		s->opts.ring_size = DEFAULT_RING;
	s->functions.next = 1;
	s->iter_start = -1;
	s->iter_stop = -1;
	s->ring_fd = -1;
	s->wake = -1;
	s->child = (struct gn_child){-1, -1, -1, -1, 0};
	s->links = gn_links_new();
	s->mute = opts->can_mute ? gn_mute_new() : NULL;
	/* the live view shows no source lines */
	s->sources =
		opts->live ? NULL
			   : gn_sources_new(gn_session_put, s, !opts->command);
	s->unseen = gn_unseen_new(opts->user.uid, opts->npids > 0, opts->asked,
				  opts->nasked);
	s->outside = opts->live ? NULL : gn_outside_new();
	if (gn_specs_init(&s->specs) || !s->links || !s->unseen ||
	    gn_written_new(s) || (opts->can_mute && !s->mute) ||
	    (!opts->live && (!s->outside || !s->sources))) {
		gn_unseen_free(s->unseen);
		gn_outside_free(s->outside);
		gn_sources_free(s->sources);
		gn_links_free(s->links, NULL);
		gn_written_free(s->written);
		gn_mute_free(s->mute);
		gn_specs_free(&s->specs);
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void gn_session_free(struct gn_session *s)
{
	if (!s)
		return;
	gn_priority_end(&s->priority);
	gn_running_end(s);
	gn_session_detach(s);
	gn_setter_stop(s);
	gn_running_free(s->active);
	free(s->managed_filter);
	free(s->managed_values);
	gn_mute_free(s->mute);
	gn_child_close(&s->child);
	for (size_t i = 0; s->pidfds && i < s->opts.npids; i++)
		close_fd(s->pidfds[i]);
	free(s->pidfds);
	close_fd(s->iter_start);
	close_fd(s->iter_stop);
	close_fd(s->wake);
	bpf_link__destroy(s->iter);
	bpf_link__destroy(s->signals);
	gn_fast_free(s->fast);
	if (s->ring_ahead)
		close_fd(gn_ring_ahead_end(s->ring_ahead));
	gn_attach_ahead_end(s->attach_ahead);
	gn_attach_ahead_end(s->nop5_ahead);
	ring_buffer__free(s->ring);
	gnomon_bpf__destroy(s->skel);
	gn_later_free(s->later);
	free(s->setups);
	gn_functions_clear(&s->functions);
	gn_sleds_free(s);
	gn_probes_free(&s->probes);
	gn_files_free(&s->files);
	gn_filter_free(s->filter);
	gn_values_free(s);
	gn_unseen_free(s->unseen);
	gn_sources_free(s->sources);
	gn_outside_free(s->outside);
	gn_sampler_free(s->sampler);
	gn_launch_clear(&s->launch);
	gn_specs_free(&s->specs);
	gn_unwanted_free(&s->unwanted);
	free(s->cpus.folder);
	free(s->command);
	free(s);
}
