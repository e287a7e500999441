/* SPDX-License-Identifier: BSD-2-Clause */
/* Python programs that switch between greenlets, in each version that has
 * them. */
#include "live_python.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool has(struct live *t, const char *python, const char *module)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, python, "-c", live_text(t, "import %s", module), NULL);
	live_run(t, &a, NULL, &end);
	return !end.code;
}

/* Each topic of the fixture says how often it calls what, and how long. */
static void compare(struct live *t, const char *module, const char *fixture,
		    const char *const *topics, const char *options,
		    unsigned int flags)
{
	size_t n = 0;

	for (char **p = live_pythons(t); *p; p++) {
		if (!has(t, *p, module))
			continue;
		n++;
		for (size_t i = 0; topics[i]; i++) {
			struct live_args command = {.n = 0};

			printf("%s: %s %s\n", t->name, *p, topics[i]);
			live_add(t, &command, *p,
				 live_text(t, "%s/%s", t->fixtures, fixture),
				 topics[i], NULL);
			live_pair_compare(t, &command, options, flags);
		}
	}
	if (!n)
		live_skip(t, "no Python has %s; run tools/setup test", module);
}

static const char *const all[] = {"nested",	"beside",     "deep",
				  "generators", "exceptions", "killed",
				  "threads",	NULL};

static void switches(struct live *t, const char *const *topics,
		     const char *options, unsigned int flags)
{
	compare(t, "greenlet", "greenlets.py", topics, options, flags);
}

void python_greenlets(struct live *t)
{
	switches(t, all, "", 0);
}

void python_greenlets_probes(struct live *t)
{
	switches(t, all, "--hooks uprobe", 0);
}

/* A package can have a copy of greenlet. */
void python_greenlets_own(struct live *t)
{
	static const char *const topics[] = {"nested", "killed", NULL};

	compare(t, "greenlet._greenlet", "greenlets_own.py", topics, "", 0);
}

/* Not all functions on the stacks are traced. */
void python_greenlets_filter(struct live *t)
{
	static const char *const topics[] = {"nested", "killed", "threads",
					     NULL};

	switches(t, topics, "-f plain -f steps", LIVE_SOME);
}

/* The time in which a greenlet rests is not its functions'. */
void python_greenlets_times(struct live *t)
{
	static const char *const topics[] = {"times", NULL};

	switches(t, topics, "", 0);
	switches(t, topics, "-f rests -f left -f right", 0);
}

static void gevents(struct live *t, const char *module, const char *tasks,
		    const char *server)
{
	const char *const topics[] = {tasks, server, NULL};

	compare(t, module, "gevents.py", topics, "", 0);
}

void python_gevent(struct live *t)
{
	gevents(t, "gevent", "gevent_tasks", "gevent_server");
}

/* Its threads remove what profile function they may have. */
void python_gevent_pool(struct live *t)
{
	gevents(t, "gevent", "gevent_pool", NULL);
}

void python_eventlet(struct live *t)
{
	gevents(t, "eventlet", "eventlet_tasks", "eventlet_server");
}

void python_sqlalchemy(struct live *t)
{
	gevents(t, "sqlalchemy", "sqlalchemy_tasks", NULL);
}

static uint64_t doubts(struct live *t, const char *python, const char *code)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	live_add(t, &command, python, "-c", code, NULL);
	live_pair(t, &command, "", &end, &report);
	return live_number(t, report, "code.selected.greenlets");
}

/* A module that gnomon does not know puts calls in doubt, and no other does. */
void python_greenlets_doubt(struct live *t)
{
	char *python = live_pythons(t)[0];

	CHECK(t,
	      doubts(t, python,
		     "import sys\n"
		     "sys.modules['greenlet'] = sys\n"
		     "sys._C_API = 1\n"
		     "for i in range(2):\n"
		     " sys.audit('import', 'greenlet', '/greenlet.so', None,"
		     " None, None)\n"
		     " len('')\n") == 1,
	      "another module is not in doubt");
	CHECK(t,
	      !has(t, python, "greenlet") ||
		      !doubts(t, python,
			      "import greenlet\n"
			      "greenlet.greenlet(len).switch('')\n"),
	      "greenlet is in doubt");
	CHECK(t,
	      !has(t, python, "greenlet._greenlet") ||
		      doubts(t, python,
			     live_text(t,
				       "import greenlet, runpy, sys\n"
				       "sys.argv = ['', 'nested']\n"
				       "runpy.run_path('%s/greenlets_own.py')",
				       t->fixtures)) == 1,
	      "a second greenlet is not in doubt");
}
