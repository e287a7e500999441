/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/sleds.h"
#include "capture/sources.h"
#include "capture/session_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/clock.h"
#include "capture/meter.h"
#include "capture/drain.h"
#include "process/share.h"
#include "gnomon.skel.h"
#include "runtime/runtime.h"

#define DEFAULT_RING (64u << 20)

int gn_session_fail(struct gn_session *s, int err, int status, const char *fmt,
		    ...)
{
	struct rlimit limit;
	va_list ap;

	/* wherever it is that they run out */
	if (err == -EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		snprintf(s->error, sizeof(s->error),
			 "%llu descriptors are not enough for gnomon; raise "
			 "the limit (ulimit -n 1024)",
			 (unsigned long long)limit.rlim_max);
		s->status = status;
		return err;
	}
	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	s->status = status;
	return err;
}

const char *gn_session_warning(const struct gn_session *s)
{
	return s->warning;
}

const char *gn_session_error(const struct gn_session *s)
{
	return s->error;
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

bool gn_session_fast(const struct gn_session *s)
{
	return s->fast;
}

pid_t gn_session_child(const struct gn_session *s)
{
	/* a child that still waits at its gate is no command yet */
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
	return gn_session_fail(s, s->sink_error, 1,
			       "the records cannot be kept: %s; make room, or "
			       "write elsewhere (-o FILE)",
			       strerror(-s->sink_error));
}

int gn_session_put(struct gn_session *s, const struct gn_rec *rec, size_t size)
{
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

int gn_session_put_text(struct gn_session *s, enum gn_kind kind, uint32_t id,
			uint32_t ref, uint64_t key, uint8_t flags,
			const char *a, const char *b)
{
	_Alignas(8) char buf[GN_TEXT_MAX];
	size_t size = gn_text_record(buf, kind, id, ref, a, b);
	struct gn_rec *h = (struct gn_rec *)buf;

	h->key = key & 0xffffffffffff;
	h->flags = flags;
	return gn_session_put(s, h, size);
}

static int put_source(void *ctx, const struct gn_rec *rec, size_t size)
{
	return gn_session_put(ctx, rec, size);
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
	s->wake = -1;
	s->child = (struct gn_child){-1, -1, -1, -1, 0};
	s->links = gn_links_new();
	s->mute = opts->can_mute ? gn_mute_new() : NULL;
	/* the live view shows none */
	s->sources = opts->live ? NULL
				: gn_sources_new(put_source, s, !opts->command);
	s->unseen = gn_unseen_new(opts->user.uid, opts->npids > 0);
	/* with -p the user has chosen the processes */
	s->outside = opts->command && !opts->live ? gn_outside_new() : NULL;
	if (gn_specs_init(&s->specs) || !s->links || !s->unseen ||
	    (opts->can_mute && !s->mute) ||
	    (opts->command && !opts->live && !s->outside)) {
		gn_unseen_free(s->unseen);
		gn_outside_free(s->outside);
		gn_links_free(s->links, NULL);
		gn_mute_free(s->mute);
		gn_specs_free(&s->specs);
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
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
	gn_fast_free(s->fast);
	close_fd(gn_ring_ahead_end(s->ring_ahead));
	ring_buffer__free(s->ring);
	gn_programs_aside_free(s->aside);
	gnomon_bpf__destroy(s->skel);
	gn_later_free(s->later);
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
	free(s->command);
	free(s);
}
