/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results of .NET functions, compared with those that the program
 * prints: a line "value NAME|VALUES" for each call, and "exact NAME|VALUES" for
 * a call whose values are only right with hooks in the IL. */
#include "clr.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 17
#define EXACT  95

static const char asked[] =
	"-a Demo.Values.Numbers:arg1/i8,arg2/u16,arg3/i32,arg4,arg5/bool,"
	"arg6/i16,ret "
	"-a Demo.Values.Texts:arg1/str,arg2/str,ret/str "
	"-a Demo.Values.Mixed:arg1/i32,arg2/str,ret/bool "
	"-a Demo.Holder.Add:arg1/i32,arg2/str,arg3,ret/i32 "
	"-a Demo.Holder.Six:arg1/i32,arg2/i32,arg3/i32,arg4/i32,arg5/"
	"i32,arg6,ret "
	"-a Demo.Holder.set_Text:arg1/str -a Demo.Holder.get_Text:ret/str "
	"-a Demo.Values.Fact:arg1/i32,ret/i32 -a demo:*.Fails:arg1/i32,ret "
	"-a Demo.Values.Throws:arg1/i32,ret/str";

/* Values that are in no register, or not in the form of the source. */
static const char exact[] =
	"-a Demo.Exact.Levels:arg1,arg2/bool,ret -a Demo.Exact.Marks:arg1,ret "
	"-a Demo.Exact.Number*:arg1,ret "
	"-a Demo.Exact.Unsigned:arg1,arg2,arg3,arg4,arg5,arg6,ret "
	"-a Demo.Exact.Structs:arg1/i32,arg2/i32,arg3/i64,arg4,ret "
	"-a Demo.Two.Plus:arg1,arg2,ret -a Demo.Exact.Returns:arg1,ret/i64 "
	"-a Demo.Exact.ReturnsTwo:arg1,ret/i32 "
	"-a Demo.Exact.Whole*:arg1,arg2,arg3,ret -a Demo.Exact.Maybe:arg1,ret "
	"-a Demo.Exact.Soon*:arg1,ret -a Demo.Exact.Same*:arg1,ret "
	"-a Demo.Exact.Nothing:arg1/i32,ret "
	"-a Demo.Exact.Half:arg1/f64,arg1,ret/f64 "
	/* the same with the other type */
	"-a Demo.Exact.Scaled:arg1,arg1/f64,arg2/str,arg2/f32,ret/f64 "
	"-a Demo.Exact.Refs:arg1/ptr,arg2/ptr,arg3/ptr,arg4/ptr,ret/ptr "
	"-a Demo.Exact.Text*:arg1/str,ret/str "
	"-a Demo.Exact.Own*:arg1,arg2,arg3,arg4,arg5,ret "
	"-a Demo.Kept*.Swap:arg1/str,ret/str "
	"-a Demo.Case*.Pass:this,arg1/class,ret/class "
	"-a Demo.Case*.Give:this,arg1/class,ret/class "
	"-a Demo.Crate.Pass:this/class,arg1/class,ret/class "
	"-a Demo.Flat.Open:this,arg1/class,ret/class "
	"-a Demo.Objects.First*:arg1/class,arg2/class,ret/class "
	"-a Demo.Objects.Look:arg1/class "
	"-a Demo.Objects.Numbers:arg1/class,arg2/class,arg1/f64,ret/class "
	"-a Demo.Exact.Later:arg1/i32,arg2/str";

/* Each line that begins with the word describes a call that occurs once.
 * Returns the number of lines. */
static size_t check_lines(struct live *t, const char *out, const char *word,
			  json_t *calls)
{
	char *rest = live_text(t, "%s", out), *line, *values;
	size_t len = strlen(word), told = 0, n;

	while ((line = strsep(&rest, "\n"))) {
		values = strchr(line, '|');
		if (strncmp(line, word, len) || !values)
			continue;
		*values++ = '\0';
		line += len;
		told++;
		n = live_calls_with(t, calls, line, values);
		CHECK(t, n == 1, "%zu calls of %s with %s", n, line, values);
	}
	return told;
}

static void check_told(struct live *t, const char *out, json_t *calls,
		       bool by_il)
{
	size_t n = check_lines(t, out, "value ", calls);

	CHECK(t, n == VALUES, "the program told %zu calls", n);
	n = by_il ? check_lines(t, out, "exact ", calls) : EXACT;
	CHECK(t, n == EXACT, "the program told %zu exact calls", n);
}

/* The lines without addresses: what the program computes. */
static char *computed(struct live *t, const char *out)
{
	char *rest = live_text(t, "%s", out), *line;
	char *all = live_text(t, "%s", "");

	while ((line = strsep(&rest, "\n")))
		if (!strstr(line, "ptr "))
			all = live_text(t, "%s%s\n", all, line);
	return all;
}

/* If the runtime makes the hooks, values without a register are refused. */
static void check_refused(struct live *t, const char *options)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", "true", NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(t, &end, 2, "need hooks in its IL");
}

void test_clr_values(struct live *t)
{
	bool elt = strstr(t->name, "elt");
	struct live_args command = {.n = 0};
	struct live_end plain, end;
	json_t *calls;

	clr_need(t);
	clr_demo(t, &command, "values");
	live_run(t, &command, NULL, &plain);
	calls = live_calls(t,
			   live_text(t, "%s %s %s",
				     elt ? "--clr-hooks elt" : "", asked,
				     elt ? "" : exact),
			   &command, &end);
	CHECK(t, !strcmp(computed(t, plain.out), computed(t, end.out)),
	      "the program says something else");
	check_told(t, end.out, calls, !elt);
	if (!elt)
		return;
	check_refused(t, "--clr-hooks elt -a Demo.Exact.Half:arg1/f64");
	check_refused(t, "--inline keep -a Demo.Exact.Half:ret/f32");
	check_refused(t, "-f * -a Demo.Exact.Half:arg1,arg1/f64");
}

/* One session: the program's output in it, and all reported calls. */
static char *session(struct live *t, const struct live_talk *served,
		     const char *options, json_t **calls)
{
	char *path = live_path(t, "calls.ndjson"), *said;
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	int code;

	live_add(t, &a, t->gnomon, "run", "--raw", "--by", "calls", "--format",
		 "ndjson", "-o", path, "-p",
		 live_text(t, "%d", (int)served->pid), NULL);
	live_split(t, &a, options);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	said = clr_serve(t, served, "values");
	CHECK(t, kill(gnomon.pid, SIGINT) == 0, "gnomon has ended by itself");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	*calls = live_calls_read(t, path);
	return said;
}

/* With the first compiled version of the methods, with other values of the same
 * methods, and after the compiler has finished with them. */
void test_clr_values_attached(struct live *t)
{
	char *all = live_text(t, "%s %s", asked, exact), *said, *plain;
	struct live_args a = {.n = 0};
	struct live_talk served;
	json_t *calls;

	clr_need(t);
	clr_demo(t, &a, "served");
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	plain = clr_serve(t, &served, "values");
	said = session(t, &served, all, &calls);
	check_told(t, said, calls, true);
	CHECK(t, !strcmp(computed(t, plain), computed(t, said)),
	      "the program says something else");
	session(t, &served, "-a Demo.Values.Fact:ret/i32", &calls);
	CHECK(t,
	      live_calls_with(t, calls, "Demo.Values.Fact(int)", " = i32 6") ==
		      1,
	      "the second session has not its own values");
	for (int i = 0; i < 100; i++)
		clr_serve(t, &served, "values");
	said = session(t, &served, all, &calls);
	check_told(t, said, calls, true);
	CHECK(t,
	      !strcmp(computed(t, plain),
		      computed(t, clr_serve(t, &served, "values"))),
	      "the program says something else afterwards");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
