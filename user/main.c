/* SPDX-License-Identifier: BSD-2-Clause */
/* argv -> verb. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct verb verbs[] = {
	{"run", gn_cmd_run, "trace a command or a process, print the report"},
	{"record", gn_cmd_record, "trace into a file"},
	{"report", gn_cmd_report, "print what a trace file holds"},
	{"explain", gn_cmd_explain, "say what of a trace file matters"},
	{"diff", gn_cmd_diff, "say what changed between captures"},
	{"check", gn_cmd_check, "hold captures against a budget, for CI"},
	{"top", gn_cmd_top, "watch threads live"},
	{"list", gn_cmd_list, "show where probes can go"},
	{"doctor", gn_cmd_doctor, "say what this machine can and lacks"},
};

#define NVERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_help(FILE *f)
{
	fputs("usage: gnomon VERB [options] [-- COMMAND [ARGUMENT...]]\n"
	      "Exact times of functions on managed runtimes and in native "
	      "code.\n\n",
	      f);
	for (size_t i = 0; i < NVERBS; i++)
		fprintf(f, "  %-10s%s\n", verbs[i].name, verbs[i].help);
	fputs("  help      this, or with a verb: the verb's options\n"
	      "\nExamples:\n"
	      "  sudo gnomon run -- dotnet app.dll\n"
	      "  sudo gnomon run -f 'parse_*' -f 'libz.so*:*flate*' -- ./app "
	      "FILE\n"
	      "  sudo gnomon record -p 1234 -d 10s -o app.trace\n"
	      "  gnomon report -i app.trace --by tree --min-pct 1\n"
	      "\nExit status: the command's own; 1 gnomon failed; 2 bad usage "
	      "or input; 3 records\nwere lost; 4 a self-check failed, or "
	      "(check) "
	      "over budget. See man gnomon\n",
	      f);
}

/* Help and version that cannot be written are not a success. */
static int written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return GN_EXIT_OK;
	gn_error("cannot write: %s", strerror(errno));
	return GN_EXIT_FAILED;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < NVERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

static int unknown(const char *name)
{
	gn_error("there is no verb '%s'; see gnomon --help", name);
	return GN_EXIT_USAGE;
}

/* gnomon help [VERB] */
static int help(const char *name)
{
	char option[] = "--help";
	const struct verb *verb;

	if (name) {
		verb = find_verb(name);
		if (!verb)
			return unknown(name);
		return verb->run(2,
				 (char *[]){(char *)verb->name, option, NULL});
	}
	print_help(stdout);
	return written();
}

int main(int argc, char **argv)
{
	const struct verb *verb;

	/* which characters the terminal can show; numbers stay as they are */
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_help(stderr);
		return GN_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help(NULL);
	if (strcmp(argv[1], "help") == 0)
		return help(argc > 2 ? argv[2] : NULL);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("gnomon " GNOMON_VERSION);
		return written();
	}
	verb = find_verb(argv[1]);
	return verb ? verb->run(argc - 1, argv + 1) : unknown(argv[1]);
}
