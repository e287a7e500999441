/* SPDX-License-Identifier: BSD-2-Clause */
/* Requested functions that could not be seen are reported at the end. */
#include "clr.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NOBODY "65534"

/* gnomon's output about COMMAND..., whose program ends well. */
static const char *told(struct live *t, const char *options,
			const struct live_args *command)
{
	struct live_end end;
	json_t *report;

	clr_trace(t, options, NULL, command, &end, &report);
	CHECK(t, end.code == 0 && report, "gnomon ended with %d: %s", end.code,
	      end.err);
	return end.err;
}

static void has(struct live *t, const char *err, const char *text)
{
	CHECK(t, strstr(err, text), "it does not say '%s': %s", text, err);
}

static void lacks(struct live *t, const char *err, const char *text)
{
	CHECK(t, !strstr(err, text), "it says '%s': %s", text, err);
}

static const char unhooked[] = "ran the .NET CLR without gnomon's hook-site "
			       "library";

void test_clean_environment(struct live *t)
{
	/* execve() without variables; gnomon's library is not asked */
	static const char *const bare =
		"syscall(59, $ARGV[0], pack('p*J', @ARGV, 0), 0)";
	struct live_args command = {.n = 0}, other = {.n = 0};
	const char *err;

	clr_need(t);
	live_add(t, &command, "env", "-i", getenv("DOTNET"),
		 live_fixture(t, "demo.dll"), "recursion", NULL);
	lacks(t, told(t, "", &command), unhooked);

	/* past the C library */
	command = (struct live_args){.n = 0};
	live_add(t, &command, "perl", "-e", bare, getenv("DOTNET"),
		 live_fixture(t, "demo.dll"), "recursion", NULL);
	err = told(t, "", &command);
	has(t, err, unhooked);
	has(t, err, "(dotnet)");

	/* a shell can start a .NET program */
	command = (struct live_args){.n = 0};
	live_add(t, &command, "sh", "-c", "env | grep PATH=", NULL);
	lacks(t, told(t, "", &command), unhooked);

	/* as sudo or su do */
	live_add(t, &other, "setpriv", "--reuid=" NOBODY, "--regid=" NOBODY,
		 "--clear-groups", "perl", "-e", bare, getenv("DOTNET"),
		 clr_copy_demo(t), "recursion", NULL);
	err = told(t, "", &other);
	has(t, err, unhooked);
	has(t, err, "it ran as user " NOBODY);
}

/* The program's own environment turns diagnostics off. */
void test_diagnostics_off_inside(struct live *t)
{
	static const char *const names[] = {
		"DOTNET_EnableDiagnostics",
		"COMPlus_EnableDiagnostics_Profiler"};

	clr_need(t);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct live_args command = {.n = 0};
		const char *err;

		live_add(t, &command, "env", live_text(t, "%s=0", names[i]),
			 NULL);
		clr_demo(t, &command, "recursion");
		err = told(t, i ? "--hooks uprobe" : "-f Demo.Recursion.*",
			   &command);
		has(t, err, unhooked);
		if (!i)
			has(t, err,
			    "no function matched 'Demo.Recursion.*'; managed "
			    "functions were not traced");
		has(t, err,
		    live_text(t, "(%s is 0 in its environment)", names[i]));
	}
}

void test_hidden_library(struct live *t)
{
	char *folder = strdup(getenv("CLR_LIBRARY")), *script;
	struct live_args command = {.n = 0};

	clr_need(t);
	CHECK(t, folder && chmod(t->dir, 0755) == 0, "no memory");
	*strrchr(folder, '/') = '\0';
	script = live_text(t,
			   "mount -t tmpfs none '%s' && exec '%s' '%s' "
			   "recursion",
			   folder, getenv("DOTNET"),
			   live_fixture(t, "demo.dll"));
	live_add(t, &command, "unshare", "-m", "sh", "-c", script, NULL);
	has(t, told(t, "", &command), unhooked);
}

static bool is_musl(struct live *t)
{
	FILE *f = fopen(getenv("DOTNET"), "re");
	char head[4096];
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;

	CHECK(t, n, "%s cannot be read", getenv("DOTNET"));
	fclose(f);
	return memmem(head, n, "/ld-musl-", 9);
}

/* A script starts a program with another C library. It is traced if both
 * libraries agree. Otherwise gnomon says why not, also in the report, and also
 * if only some globs matched nothing. */
void test_script_silent(struct live *t)
{
	struct live_args command = {.n = 0}, traced = {.n = 0};
	struct live_end end;
	const char *err;
	bool musl;

	clr_need(t);
	musl = is_musl(t);
	live_add(t, &command, "sh", "-c", "\"$@\"; exit 0", "sh", NULL);
	clr_demo(t, &command, "recursion");
	err = told(t, "-q -f Demo.Recursion.*", &command);
	if (!musl) {
		CHECK(t, !*err, "it says %s", err);
		return;
	}
	has(t, err, unhooked);
	has(t, err, "its C library is musl");
	has(t, err, "; attach to it (-p PID)");
	has(t, err, "no function matched 'Demo.Recursion.*'");
	live_add(t, &traced, t->gnomon, "run", "--", NULL);
	for (size_t i = 0; i < command.n; i++)
		live_add(t, &traced, command.word[i], NULL);
	live_run(t, &traced, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	has(t, end.out, "# runtime     process ");
	lacks(t, end.out, "Name some with -f");
	lacks(t, end.out, "Name functions with -f");
}

/* Each glob that matched nothing is reported, and no others. A runtime with
 * gnomon's library is not reported. A launcher has no symbols, but may have its
 * assembly's name. */
void test_unmatched_globs(struct live *t)
{
	struct live_args command = {.n = 0};
	const char *err;

	clr_need(t);
	clr_demo(t, &command, "recursion");
	err = told(t,
		   "-f no_such_one -f Demo.Recursion.* -f nothing:at_all -f "
		   "dotnet:no_method -f libcoreclr.so:no_function -f "
		   "!nothing_out",
		   &command);
	has(t, err, "no function matched 'no_such_one'; ");
	has(t, err, "no function matched 'nothing:at_all'; ");
	has(t, err, "no function matched 'dotnet:no_method'; gnomon list -p");
	has(t, err,
	    "no function matched 'libcoreclr.so:no_function': the library is "
	    "stripped");
	lacks(t, err, "Recursion");
	lacks(t, err, "nothing_out");
	lacks(t, err, unhooked);
	lacks(t, err, "abstract");
	err = told(t, "--clr light -f Demo.Recursion.* -f libc.so.6:nothing",
		   &command);
	has(t, err,
	    "no function matched 'Demo.Recursion.*'; --clr light traces no "
	    "methods; ");
	has(t, err, "no function matched 'libc.so.6:nothing'; ");
	lacks(t, err, "nothing'; --clr light");
}

/* A glob of an interface's method is not reported as misspelt. */
void test_abstract_glob(struct live *t)
{
	struct live_args command = {.n = 0};
	const char *err;

	clr_need(t);
	clr_demo(t, &command, "kinds");
	err = told(t, "-f Demo.IShape.Area", &command);
	has(t, err, "no function matched 'Demo.IShape.Area'; ");
	has(t, err,
	    "methods that -f names are abstract, such as those of interfaces; "
	    "name the methods that implement them");
}
