// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sessions in a process that is already running. The first attach makes the
 * library the runtime's profiler for good: a detach would leave code in memory
 * that the runtime may still call. Each later attach finds the library there,
 * passes its request to it and cancels the new profiler at once.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../fast.h"
#include "clsid.h"
#include "events.h"
#include "compiled.h"
#include "filter.h"
#include "profiler.h"
#include "sites.h"
#include "tell.h"

#define SUSPEND_MS 1000
#define HIGH_FD	   512

typedef gn_hr (*suspend_fn)(void *);

/* No thread is in a hook while no thread runs managed code, except in those of
 * compilations. If the runtime is suspended already, as for a collection, tries
 * again for SUSPEND_MS. */
static void leave_fast(struct gn_clr *clr)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	void *info = clr->rejit.info;
	gn_hr hr = -1;

	if (!clr->fast)
		return;
	gn_fast_stop();
	clr->fast = false;
	if (clr->compiles_fast)
		return; /* it was started by a gnomon: the memory stays */
	for (int i = 0; i < SUSPEND_MS && hr < 0; i++) {
		hr = GN_COM(info, GN_INFO_SUSPEND, suspend_fn)(info);
		if (hr < 0)
			nanosleep(&ms, NULL);
	}
	if (hr < 0)
		return; /* the memory stays, and no hook writes to it */
	gn_fast_leave();
	GN_COM(info, GN_INFO_RESUME, suspend_fn)(info);
}

static void end(struct gn_clr *clr)
{
	gn_rejit_end(clr);
	leave_fast(clr);
}

static void serve(struct gn_clr *clr, const char *request)
{
	static const char trace[] = GN_CLR_REQUEST_TRACE;
	const char *rest = request + sizeof(trace) - 1, *values;
	char *filter;
	size_t n;

	if (!strncmp(request, trace, sizeof(trace) - 1)) {
		/* nobody waits any more */
		if (strtoll(rest, &filter, 10) < time(NULL))
			return;
		end(clr);
		atomic_fetch_add(&clr->session, 1);
		clr->families = (uint32_t)strtoul(filter, &filter, 16) &
				~GN_FAMILIES_AT_START;
		clr->fast = strtol(filter, &filter, 10) == 1;
		gn_clr_lives_at(clr, strtoul(filter, &filter, 10));
		n = strtoul(filter, &filter, 10);
		if (*filter != '\n' || n > strlen(filter + 1))
			return;
		values = filter + 1;
		rest = values + n;
		if (clr->beside && gn_filter_asks(rest))
			return;
		gn_clr_set_events(clr, clr->wants);
		gn_clr_tell_init(clr, GN_S_OK);
		gn_clr_tell_exceptions(clr);
		if (clr->families & GN_FAMILY_CODE)
			gn_compiled_tell(clr);
		clr->fast = clr->fast && gn_clr_start_fast();
		gn_rejit_begin(clr, rest, values, n);
	} else if (!strcmp(request, GN_CLR_REQUEST_END)) {
		end(clr);
		clr->families = 0;
		/* the next session must know what is unloaded until then */
		gn_clr_set_events(clr, clr->beside ? GN_WANT_UNLOADS
						   : GN_WANT_BETWEEN);
	}
}

gn_hr gn_clr_start_il(struct gn_clr *clr)
{
	clr->by_il = true;
	clr->precompiled.lenient = true;
	clr->functions = false; /* the runtime makes no hooks */
	clr->wants = GN_WANT_START | GN_WANT_IL | GN_WANT_STARTED_IL;
	gn_rejit_open(clr, clr->filter, clr->values,
		      clr->values ? strlen(clr->values) : 0);
	clr->rejit.from_start = true;
	gn_rejit_check(clr);
	return gn_clr_set_events(clr, clr->wants);
}

/*
 * musl identifies a library by its file, and a copy is unlinked at the end of
 * its session. Later sessions load it by this descriptor. Its number is high,
 * out of the program's way.
 */
static void keep_file(void)
{
#ifdef GNOMON_MUSL
	const char *slash;
	Dl_info info;
	int fd;

	if (!dladdr((void *)keep_file, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	if (!slash || !strcmp(slash + 1, GN_CLR_LIBRARY_MUSL))
		return; /* not a copy */
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD) >= 0)
		close(fd);
#endif
}

static gn_hr become_profiler(struct gn_clr *clr, void *unknown)
{
	gn_hr hr = gn_rejit_init(clr, unknown);

	if (hr < 0)
		return hr;
	clr->info = clr->info9 = clr->rejit.info;
	gn_clr_look_at_runtime(clr);
	keep_file();
	clr->by_il = true;
	clr->beside = clr->asked_beside;
	clr->wants =
		clr->beside ? GN_WANT_BESIDE : GN_WANT_ATTACHED | GN_WANT_IL;
	hr = gn_clr_set_events(clr, clr->wants);
	/* an unload may have begun before the runtime reports them */
	gn_unloads_note(&clr->unloads);
	return hr;
}

static gn_hr take_request(struct gn_clr *clr, void *unknown, void *data,
			  uint32_t size)
{
	char *request = size < GN_CLR_REQUEST_MAX ? calloc(1, size + 1) : NULL;
	bool first = !clr->info;
	gn_hr hr = GN_CORPROF_E_CANCEL_ACTIVATION;

	if (!request)
		return hr;
	memcpy(request, data, size);
	if (first && strcmp(request, GN_CLR_REQUEST_END) != 0)
		hr = become_profiler(clr, unknown);
	else if (!first && gn_rejit_is_free(clr))
		serve(clr, request);
	if (hr >= 0)
		clr->request = request;
	else
		free(request);
	return hr;
}

gn_hr gn_clr_initialize_attach(struct gn_clr *clr, void *unknown, void *data,
			       uint32_t size)
{
	gn_hr hr;

	GN_CLR_SITE(own_begin)();
	hr = take_request(clr, unknown, data, size);
	GN_CLR_SITE(own_end)();
	/* the runtime reports any other failure on the program's output */
	return hr < 0 ? GN_CORPROF_E_CANCEL_ACTIVATION : GN_S_OK;
}

gn_hr gn_clr_attach_complete(struct gn_clr *clr)
{
	GN_CLR_SITE(attach_complete)(clr);
	GN_CLR_SITE(own_begin)();
	if (clr->request)
		serve(clr, clr->request);
	free(clr->request);
	clr->request = NULL;
	GN_CLR_SITE(own_end)();
	return GN_S_OK;
}

/*
 * Whether the runtime may load the library beside the profiler that it has. It
 * may if the attach asks for that, or if that profiler is the library itself,
 * which then only takes a request. If the library is beside another profiler,
 * an attach that asks for the first place must fail: the place is taken.
 */
gn_hr gn_clr_notification_only(struct gn_clr *clr, int32_t *answer)
{
	*answer = clr->asked_beside || (clr->info && !clr->beside);
	return GN_S_OK;
}
