/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon doctor: what this machine has, what it lacks, and how to get that. */
#include "cmd/doctor.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "cmd/checkup.h"
#include "cmd/cmd.h"
#include "output/emit.h"
#include "output/text.h"
#include "output/wrap.h"
#include "trace/trace.h"

enum format { FORMAT_TABLE, FORMAT_JSON };

static const char *format_choice(size_t i)
{
	static const char *const names[] = {"table", "json"};

	return GN_CHOICE(names, i);
}

struct doctor_args {
	struct gn_args args; /* must be first: option tables hold offsets */
	int format;
};

static const struct gn_option options[] = {
	{0, "format", GN_OPTION_CHOICE, offsetof(struct doctor_args, format),
	 NULL, "how it is written", format_choice},
};

static const struct gn_verb_usage usage = {
	.name = "doctor",
	.synopsis = "[options]",
	.summary = "Try what tracing needs on this machine; say what is "
		   "missing, and how to get\nit. Exit status: 0 when gnomon "
		   "can trace here, 1 when not.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_NONE,
	.examples = "  sudo gnomon doctor\n"
		    "  sudo gnomon doctor --format json\n",
};

static const char *state_text(enum gn_found state)
{
	static const char *const texts[] = {
#define TEXT(name, text, color) [GN_FOUND_##name] = text,
		GN_FOUND_LIST(TEXT)
#undef TEXT
	};

	return texts[state];
}

static const char *state_color(enum gn_found state)
{
	static const char *const colors[] = {
#define COLOR(name, text, color) [GN_FOUND_##name] = color,
		GN_FOUND_LIST(COLOR)
#undef COLOR
	};

	return colors[state];
}

/* False if something that is needed is missing, or could not be tried. */
static bool can_trace(const struct gn_checkup *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].state == GN_FOUND_MISSING)
			return false;
	return !c->barred;
}

static const char *verdict(const struct gn_checkup *c)
{
	if (can_trace(c))
		return "gnomon can trace on this machine.";
	if (c->barred)
		return "gnomon cannot trace as it was started here, and not "
		       "all could be tried: see what is missing.";
	return "gnomon cannot trace on this machine: see what is missing.";
}

static int print_row(const struct gn_finding *r, const struct gn_output_opts *o,
		     FILE *f)
{
	char *detail = gn_escape(r->detail, true), title[64];
	struct gn_wrap w = {
		.first = title,
		.rest = "                                 ",
		.broken = "",
		.used = 10, /* the state, with the blanks around it */
		/* do not wrap in a file: its lines are searched */
		.width = isatty(fileno(f)) ? (size_t)o->width : SIZE_MAX,
	};

	if (!detail)
		return -ENOMEM;
	if (o->color)
		fprintf(f, "  \033[%sm%-8s\033[0m", state_color(r->state),
			state_text(r->state));
	else
		fprintf(f, "  %-8s", state_text(r->state));
	snprintf(title, sizeof(title), *detail ? "%-22s " : "%s", r->title);
	gn_wrap(f, detail, &w);
	free(detail);
	w.first = w.rest = "            ";
	w.used = 0;
	if (r->advice && r->state != GN_FOUND_OK)
		gn_wrap(f, r->advice, &w);
	return gn_stream_status(f);
}

static int print_table(const struct gn_checkup *c,
		       const struct gn_output_opts *o, FILE *f)
{
	const char *group = NULL;
	int err = 0;

	for (size_t i = 0; !err && i < c->n; i++) {
		if (c->row[i].group != group) {
			group = c->row[i].group;
			fprintf(f, "%s\n", group);
		}
		err = print_row(&c->row[i], o, f);
	}
	fprintf(f, "\n%s\n", verdict(c));
	return err ?: gn_stream_status(f);
}

static int print_json(const struct gn_checkup *c, FILE *f)
{
	struct gn_emit e = {.f = f};

	gn_emit_open(&e, NULL, '{');
	gn_emit_u64(&e, "version", 1);
	gn_emit_text(&e, "gnomon", GNOMON_VERSION);
	gn_emit_bool(&e, "can_trace", can_trace(c));
	gn_emit_open(&e, "checks", '[');
	for (size_t i = 0; i < c->n; i++) {
		const struct gn_finding *r = &c->row[i];

		gn_emit_line(&e);
		gn_emit_open(&e, NULL, '{');
		gn_emit_text(&e, "group", r->group);
		gn_emit_text(&e, "id", r->id);
		gn_emit_text(&e, "state",
			     r->state == GN_FOUND_FACT ? "fact"
						       : state_text(r->state));
		gn_emit_text(&e, "detail", r->detail);
		if (r->advice && r->state != GN_FOUND_OK)
			gn_emit_text(&e, "advice", r->advice);
		gn_emit_close(&e, '}');
	}
	gn_emit_close(&e, ']');
	gn_emit_close(&e, '}');
	fputc('\n', f);
	return gn_stream_status(f);
}

static int print(const struct gn_checkup *c, const struct doctor_args *args)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct gn_report_opts opts;
	int err;

	sigaction(SIGPIPE, &ignore, NULL);
	gn_report_opts_init(&opts, &args->args, stdout);
	errno = 0;
	if (args->format == FORMAT_JSON)
		err = print_json(c, stdout);
	else
		err = print_table(c, &opts.out, stdout);
	if (!err && fflush(stdout))
		err = errno > 0 ? -errno : -EIO;
	if (!err || err == -EPIPE)
		return GN_EXIT_OK;
	gn_error("cannot write stdout: %s; write it elsewhere",
		 gn_trace_strerror(err));
	return GN_EXIT_FAILED;
}

int gn_cmd_doctor(int argc, char **argv)
{
	struct doctor_args args = {0};
	struct gn_checkup c = {0};
	int status;

	gn_args_init(&args.args);
	if (!gn_cmd_parse(&usage, argc, argv, &args.args, &status))
		goto out;
	/* trials fail by design */
	libbpf_set_print(NULL);
	gn_checkup_kernel(&c);
	gn_checkup_limits(&c);
	gn_checkup_runtimes(&c);
	if (c.no_memory) {
		gn_error("no memory; free some");
		status = GN_EXIT_FAILED;
		goto out;
	}
	status = print(&c, &args);
	if (!status && !can_trace(&c))
		status = GN_EXIT_FAILED;
out:
	gn_checkup_clear(&c);
	gn_args_clear(&args.args);
	return status;
}
