/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages for a user who asks for help, or for something impossible. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd_run.h"
#include "gnomon/runtime_event_info.h"

static void help_fits_a_screen(void **state)
{
	static const char *const words[] = {"--help",	     "help",
					    "report --help", "help report",
					    "run --help",    "help --help"};
	size_t width;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct ran *r = gnomon(words[i]);

		assert_int_equal(r->status, 0);
		assert_string_equal(r->err, "");
		assert_non_null(strstr(r->out, "Examples:"));
		assert_non_null(strstr(r->out, "man gnomon"));
		assert_in_range(count_lines(r->out, &width), 1, 24);
		assert_in_range(width, 1, 80);
	}
}

static const char *read_manual(void)
{
	static char manual[1 << 17];
	FILE *f = fopen(GN_TESTS_DIR "/../docs/gnomon.1", "r");
	size_t n;

	assert_non_null(f);
	n = fread(manual, 1, sizeof(manual), f);
	fclose(f);
	assert_in_range(n, 1, sizeof(manual) - 1);
	manual[n] = '\0';
	return manual;
}

/* A line that begins with a dot is a two-letter macro or a comment: man(1)
 * drops any other. */
static void manual_shows_each_line(void **state)
{
	(void)state;
	for (const char *p = read_manual(); (p = strstr(p, "\n.")); p++) {
		char end = p[2] == '\\' ? ' ' : p[4];

		if (end != ' ' && end != '\n')
			fail_msg("%.40s", p + 1);
	}
}

/* Each option of a help text has an item in the manual, and each verb of the
 * first screen a section. */
static void manual_has_each_option(void **state)
{
	char *verbs = strdup(gnomon("--help")->out), name[64], wanted[128];
	const char *manual = read_manual();

	(void)state;
	/* verbs are the lines that begin with two blanks and a letter */
	for (char *p = verbs; (p = strstr(p, "\n  ")); p++) {
		if (sscanf(p, "\n  %63[a-z] ", name) != 1 ||
		    !strcmp(name, "sudo") || !strcmp(name, "gnomon") ||
		    !strcmp(name, "help"))
			continue;
		snprintf(wanted, sizeof(wanted), ".Ss gnomon %s\n", name);
		if (!strstr(manual, wanted))
			fail_msg("no '%s'", wanted);
		snprintf(wanted, sizeof(wanted), "%s --help", name);
		for (char *q = gnomon(wanted)->out; (q = strstr(q, "--"));
		     q += 2) {
			if (sscanf(q, "--%63[a-z-]", name) != 1)
				continue;
			snprintf(wanted, sizeof(wanted), "Fl -%s", name);
			if (!strstr(manual, wanted))
				fail_msg("no '%s'", wanted);
		}
	}
	free(verbs);
}

/* The same for each family of events. */
static void manual_has_each_event(void **state)
{
	const char *manual = read_manual(), *family;
	char wanted[128];

	(void)state;
	for (uint32_t bit = 0; (family = gn_family_text(bit)); bit++) {
		snprintf(wanted, sizeof(wanted), ".It Cm %s\n", family);
		if (!strstr(strstr(manual, ".It Fl -events"), wanted))
			fail_msg("no '%s'", wanted);
	}
}

static void usage_errors(void **state)
{
	(void)state;
	bad_usage("nonsense");
	bad_usage("help nonsense");
	bad_usage("help run nonsense");
	bad_usage("help --man run nonsense");
	bad_usage("report --nonsense");
	bad_usage("report file");
	bad_usage("report --by nothing");
	bad_usage("report --columns ''");
	bad_usage("report --columns nothing");
	bad_usage("report --columns ei,,ee");
	bad_usage("report --by waits --columns ei");
	bad_usage("report --tree");
	bad_usage("report --tree --format csv");
	bad_usage("report --label a=b");
	bad_usage("report --of wall --format csv");
	bad_usage("report --sort pid");
	bad_usage("report --events gc");
	bad_usage("report --schema -o schema.json");
	bad_usage("run -f ! -- true");
	bad_usage("list -f ! -- true");
	bad_usage("list -f lib: -- true");
	bad_usage("list -f usdt:x -- true");
	bad_usage("record -f ! -- true");
	bad_usage("top -b -f ! -- true");
	bad_usage("run -f usdt: -- true");
	bad_usage("run -f usdt:x -- true");
	bad_usage("run -f lib: -- true");
	bad_usage("run --ring-size 64G -- true");
	bad_usage("run --columns nothing -- true");
	bad_usage("report --format collapsed --columns ei");
	bad_usage("report --format collapsed --columns lock+");
	bad_usage("report --format collapsed --limit 3");
	bad_usage("report --format callgrind --by tree");
	bad_usage("report --format chrome --by tree");
	bad_usage("report --format chrome --columns ee");
	bad_usage("run --format chrome -- true");
	bad_usage("run --format chrome -o - -- true");
	bad_usage("\"$(printf '\\033[31m')\"");
	assert_null(strchr(gnomon("\"$(printf '\\033')\"")->err, '\033'));
	assert_int_equal(gnomon("")->status, 2);
}

/* Each error has its own message and its own remedy. */
static void says_which(void **state)
{
	char words[64];

	(void)state;
	refuses("report --sotr ae",
		"option '--sotr' is unknown; see 'gnomon report --help'");
	refuses("report --s ae", "option '--s' is ambiguous; see "
				 "'gnomon report --help'");
	refuses("run --h -- true", "option '--h' is ambiguous; see "
				   "'gnomon run --help'");
	refuses("report --tree=3",
		"--tree takes no argument; see 'gnomon report --help'");
	refuses("report a.trace",
		"argument 'a.trace' is not expected; a file is named with -i; "
		"see 'gnomon report --help'");
	refuses("./app", "there is no verb './app'; to trace a program: gnomon "
			 "run -- ./app");
	for (size_t i = 0; i < 3; i++) {
		static const char *const rows[] = {"-b", "--format rows", ""};

		snprintf(words, sizeof(words), "top %s --sort foo -- true",
			 rows[i]);
		refuses(words,
			"--sort cannot be 'foo'; give one of pid, tid, name, "
			"runtime, state, doing, seconds, cpu, app, jit, gc, "
			"suspend, runqueue, syscall, fault, disk, lock, event, "
			"poll, net, ipc, sleep, other, child, unclassified, "
			"calls, now, most");
	}
	refuses("report -o", "--output needs an argument; give --output FILE");
	refuses("report --of",
		"--of needs an argument; give one of threads, busy, wall");
}

/* Under any name of the terminal. */
static void not_for_a_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char words[128];

	(void)state;
	assert_true(master >= 0);
	assert_int_equal(grantpt(master) || unlockpt(master), 0);
	snprintf(words, sizeof(words), "report --format pprof -o %s",
		 ptsname(master));
	refuses(words, "pprof is not for a terminal; name a file with -o FILE");
	snprintf(words, sizeof(words), "record -o %s -- true", ptsname(master));
	refuses(words,
		"a trace is not for a terminal; name a file with -o FILE");
	close(master);
}

#define CALL_KEYS                                                   \
	"calls, unwound, ei, ee, ai, ae, min, avg, max, finished, " \
	"error+, error, name, module, lock, lock+ and the other "   \
	"classes, or leave --sort out"
#define OWNER_KEYS    "calls, unwound, ei, ee, ai, ae, error+, error, name, pid, "
#define OWNER_CLASSES "lock, lock+ and the other classes, or leave --sort out"

#define WAIT_KEYS "name, module, time, count, longest, or leave --sort out"

/* The rows of each --by have only some of the keys. */
static void sort_keys(void **state)
{
	(void)state;
	refuses("report --by waits --sort ae",
		"--by waits has no ae to sort by; give " WAIT_KEYS);
	refuses("report --by waits --sort lock --format csv",
		"--by waits has no lock to sort by; give " WAIT_KEYS);
	refuses("report --by async --sort elapsed-inclusive",
		"--by async has no elapsed-inclusive to sort by; give "
		"name, module, time, mean, running, count, faulted, open, "
		"at-most, or leave --sort out");
	refuses("report --sort pid",
		"--by function has no pid to sort by; give " CALL_KEYS);
	refuses("report --by tree --sort gaps",
		"--by tree has no gaps to sort by; give " CALL_KEYS);
	refuses("report --by thread --sort module",
		"--by thread has no module to sort by; give " OWNER_KEYS
		"gaps, " OWNER_CLASSES);
	refuses("report --by process --sort gaps",
		"--by process has no gaps to sort by; give " OWNER_KEYS
			OWNER_CLASSES);
	bad_usage("report --by callers --sort gaps");
	bad_usage("report --by module --sort pid");
	bad_usage("report --by thread --sort avg");
	bad_usage("report --by process --sort finished");
	refuses("report --by gc --sort ae",
		"--by gc has no ae to sort by; give at, generation, reason, "
		"pause, stopping, suspensions, last_tid, last_thread, elapsed, "
		"cpu, pid, tid, thread, or leave --sort out");
	refuses("report --by syscalls --sort nonsense",
		"--by syscalls has no nonsense to sort by; give calls, errors, "
		"open, elapsed, cpu, off_cpu, mean, shortest, longest, name, "
		"or leave --sort out");
	refuses("report --by syscalls --columns name,ae",
		"--columns of --by syscalls cannot be 'name,ae'; give default, "
		"all, or some of calls, errors, open, elapsed, cpu, off_cpu, "
		"mean, shortest, longest, name");
	bad_usage("run --by waits --sort ae -- true");
}

/* `none` of --os must be alone; --events must fit --by. */
static void kinds_of_events(void **state)
{
	static const char *const lists[] = {
		"none,faults", "faults,none", ",",	 "faults,,wakers",
		"Faults",      "fault",	      "faultsx", "faults,"};
	char words[128], line[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(words, sizeof(words), "run --os %s -- true", lists[i]);
		snprintf(line, sizeof(line),
			 "--os cannot be '%s'; give some of faults, syscalls, "
			 "wakers, wakeups with commas, or none alone",
			 lists[i]);
		refuses(words, line);
	}
	refuses("run --by gc --events jit -- true",
		"--by gc shows nothing of --events jit; leave --events out");
	refuses("run --by loads --events gc,jit -- true",
		"--by loads shows nothing of --events gc,jit; leave --events "
		"out");
	bad_usage("run --os '' -- true");
	bad_usage("record --os none,faults -- true");
	bad_usage("top -b --os none,faults -- true");
}

static void version(void **state)
{
	struct ran *r = gnomon("--version");

	(void)state;
	assert_int_equal(r->status, 0);
	assert_memory_equal(r->out, "gnomon ", 7);
	/* a word that is also in the list of verbs */
	r = gnomon("help help");
	assert_int_equal(r->status, 0);
}

static void bad_files(void **state)
{
	char garbage[4096];

	(void)state;
	memset(garbage, 'x', sizeof(garbage));
	put_file("empty", "", 0);
	put_file("garbage", garbage, sizeof(garbage));
	put_file("short", "x", 1);
	bad_usage("report -i missing");
	bad_usage("report -i empty");
	bad_usage("report -i garbage");
	bad_usage("report -i short");
	bad_usage("report -i .");
	bad_usage("report -i none/file");
	bad_usage("report -i /dev/null");
	bad_usage("report"); /* there is no gnomon.trace here */
}

/* An input is never overwritten. */
static void inputs_stay(void **state)
{
	(void)state;
	put_file("garbage", "x", 1);
	bad_usage("report -i garbage -o garbage");
	bad_usage("report -i - -o garbage <garbage");
	bad_usage("explain -i garbage -o garbage");
	bad_usage("diff -o garbage garbage garbage");
	bad_usage("check --budget garbage -i missing -o garbage");
	put_file("garbage.json", "x", 1);
	bad_usage("export -i garbage.json -o garbage --format json");
}

/* The file of top must be new, so a failed try that showed nothing removes
 * it. */
static void nothing_is_left(void **state)
{
	(void)state;
	assert_int_not_equal(gnomon("top -b -o rows -- ./missing")->status, 0);
	assert_int_equal(access(path_of("rows"), F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CMD_TEST(help_fits_a_screen),
		CMD_TEST(manual_has_each_option),
		CMD_TEST(manual_has_each_event),
		CMD_TEST(manual_shows_each_line),
		CMD_TEST(usage_errors),
		CMD_TEST(says_which),
		CMD_TEST(not_for_a_terminal),
		CMD_TEST(sort_keys),
		CMD_TEST(kinds_of_events),
		CMD_TEST(version),
		CMD_TEST(bad_files),
		CMD_TEST(inputs_stay),
		CMD_TEST(nothing_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
