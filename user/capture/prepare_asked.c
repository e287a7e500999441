/* SPDX-License-Identifier: BSD-2-Clause */
/* What -f and -a ask for of runtimes, and which hooks that needs. */
#include "capture/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gnomon/edits.h>
#include "names/text_stream.h"
#include "runtime/runtime.h"
#include "runtime/values.h"

bool gn_prepare_native_only(const char *glob)
{
	const char *colon = strchr(glob, ':');
	const char *so = strstr(glob, ".so");

	if (gn_filter_is_usdt(glob))
		return true;
	if (!colon || colon[1] == ':')
		return false;
	return (so && so < colon) || memchr(glob, '/', (size_t)(colon - glob));
}

bool gn_prepare_managed(const struct gn_session *s)
{
	for (size_t i = 0; !s->opts.no_managed && i < s->opts.nfunctions; i++)
		if (*s->opts.functions[i] != '!' &&
		    !gn_prepare_native_only(s->opts.functions[i]))
			return true;
	return false;
}

bool gn_prepare_asks_values(const struct gn_session *s)
{
	for (size_t i = 0; i < s->opts.nasked; i++)
		if (!gn_prepare_native_only(s->opts.asked[i].function))
			return true;
	return false;
}

bool gn_prepare_all(const struct gn_session *s)
{
	for (size_t i = 0; i < s->opts.nfunctions; i++)
		if (!strcmp(s->opts.functions[i], "*"))
			return true;
	return false;
}

const char *gn_session_elt(const struct gn_session *s)
{
	if (s->opts.clr_hooks == GN_CLR_HOOKS_ELT)
		return "--clr-hooks elt";
	if (!gn_prepare_managed(s))
		return "all functions are traced";
	if (s->opts.clr_hooks == GN_CLR_HOOKS_REJIT)
		return NULL;
	if (gn_prepare_all(s))
		return "all functions are traced";
	if (s->opts.inlining == GN_INLINING_KEEP)
		return "--inline keep";
	/* hooks in IL contain exception handlers, and the runtime reports
	 * those, too */
	if (s->opts.families & GN_FAMILY_HANDLERS)
		return "--events handlers";
	return s->opts.command ? gn_edits() : NULL;
}

bool gn_session_by_il(const struct gn_session *s)
{
	return s->active || !gn_session_elt(s);
}

bool gn_prepare_methods(const struct gn_session *s, const struct gn_runtime *rt)
{
	return rt->methods &&
	       (rt->hooks_all || (gn_prepare_managed(s) && !gn_prepare_all(s)));
}

char *gn_prepare_filter(const struct gn_session *s)
{
	bool any = false, dropped = false;
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	for (size_t i = 0; i < s->opts.nfunctions; i++) {
		const char *glob = s->opts.functions[i];

		if (gn_prepare_native_only(glob)) {
			dropped = dropped || *glob != '!';
			continue;
		}
		any = any || *glob != '!';
		fprintf(f, "%s%s", ftell(f) ? "\n" : "", glob);
	}
	if ((dropped && !any) || s->light)
		fprintf(f, "%s!*", ftell(f) ? "\n" : "");
	return gn_text_stream_close(&text);
}

static bool needs_il(const struct gn_asked *a)
{
	for (size_t k = 0; k < GN_VALUES_MAX && a->values.value[k].type; k++)
		if (!gn_asked_by_register(a->values.value[k].type))
			return true;
	return false;
}

int gn_prepare_check_values(struct gn_session *s)
{
	const char *elt =
		s->opts.clr_hooks == GN_CLR_HOOKS_ELT || !gn_session_by_il(s)
			? gn_session_elt(s)
			: NULL;

	for (size_t i = 0; elt && i < s->opts.nasked; i++) {
		const struct gn_asked *a = &s->opts.asked[i];

		if (needs_il(a) && !gn_prepare_native_only(a->function))
			return gn_session_fail(
				s, -EINVAL, 2,
				"values of '%s' of type f32, f64 or class need "
				"hooks in its IL, and there are none because "
				"of '%s'; leave that out",
				a->function, elt);
	}
	return 0;
}

static int letter_of(const struct gn_value_spec *v)
{
	return v->own			    ? GN_ASKED_OWN
	       : GN_VALUE_IS_FLOAT(v->type) ? GN_ASKED_FLOAT
	       : v->type == GN_VALUE_CLASS  ? GN_ASKED_CLASS
					    : GN_ASKED_WORD;
}

char *gn_prepare_values(const struct gn_session *s)
{
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	for (size_t i = 0; f && i < s->opts.nasked; i++) {
		const struct gn_asked *a = &s->opts.asked[i];

		/* USDT probes have more values, but those are not for a
		 * runtime */
		for (size_t k = 0; k < GN_VALUES_MAX; k++) {
			const struct gn_value_spec *v = &a->values.value[k];

			if (v->type && v->which == GN_VALUE_THIS)
				fputc(GN_ASKED_THIS, f);
			else if (v->type && v->which < GN_VALUES_MAX)
				fputc(letter_of(v) + v->which, f);
		}
		fprintf(f, " %s\n", a->function);
	}
	return f ? gn_text_stream_close(&text) : NULL;
}

/* Whether the last line excludes everything. */
bool gn_prepare_nothing(const struct gn_session *s)
{
	const char *filter = s->managed_filter;
	const char *last = strrchr(filter, '\n');

	return !strcmp(last ? last + 1 : filter, "!*");
}
