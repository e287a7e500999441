/* SPDX-License-Identifier: BSD-2-Clause */
/* JVMs that write an archive of their classes, for other JVMs to begin with. */
#include "java.h"

#include <stdlib.h>
#include <string.h>

/* The fixtures in one file: a JVM takes no folder of classes into an archive.
 */
static void make_jar(struct live *t, const char *java, const char *jar)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a,
		 live_text(t, "%.*sjar", (int)(strlen(java) - strlen("java")),
			   java),
		 "--create", "--file", jar, "-C", t->fixtures, ".", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "no archive of the fixtures: %s", end.err);
}

static void run(struct live *t, const char *jar, const char *option,
		const char *report, struct live_end *end)
{
	struct live_args a = {.n = 0};
	char *size;

	if (report)
		live_add(t, &a, t->gnomon, "run", "-f", "Recursion.*", "-o",
			 report, "--", NULL);
	live_add(t, &a, getenv("JAVA"), option, "-Xlog:disable",
		 "-Xlog:all=warning:stdout", "-cp", jar, "Demo", "recursion",
		 NULL);
	live_run(t, &a, NULL, end);
	/* the size of a cache is not always the same */
	size = strstr(end->out, "AOTCache creation is complete");
	if (size)
		*size = '\0';
	CHECK(t, end->code == 0, "%s: ended with %d: %s", option, end->code,
	      end->err);
}

/* Each option with and without gnomon: the program prints the same, gnomon says
 * why it has no hooks, and JVMs that begin with the archive run as usual. */
static void archived(struct live *t, const char *make, const char *use)
{
	char *jar = live_path(t, "demo.jar");
	struct live_end plain, traced, later;
	char *file = live_path(t, "archive"), *report = live_path(t, "report");

	make_jar(t, getenv("JAVA"), jar);
	run(t, jar, live_text(t, "%s=%s", make, file), NULL, &plain);
	run(t, jar, live_text(t, "%s=%s", make, file), report, &traced);
	live_same(t, "the program's output", traced.out, plain.out);
	CHECK(t, !strstr(traced.err, "without gnomon's hook-site library"),
	      "it is told of a JVM that never ran a program: %s", traced.err);
	CHECK(t,
	      strstr(live_read(t, report, NULL),
		     "UNTRACED    1 JVM without hooks"),
	      "it is not told");
	CHECK(t, strstr(traced.err, "gets no hooks"),
	      "why nothing matched is not told: %s", traced.err);
	run(t, jar, live_text(t, "%s=%s", use, file), NULL, &later);
	CHECK(t, strstr(plain.out, later.out) == plain.out,
	      "with the archive it prints %s", later.out);
}

void java_archive(struct live *t)
{
	java_need(t);
	archived(t, "-XX:ArchiveClassesAtExit", "-XX:SharedArchiveFile");
	java_need_later(t);
	archived(t, "-XX:AOTCacheOutput", "-XX:AOTCache");
}
