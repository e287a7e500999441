/* SPDX-License-Identifier: BSD-2-Clause */
/* argv -> verb. */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/pages.h"
#include "trace/blocking.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct verb verbs[] = {
	{"run", gn_cmd_run, "trace a command or a process, print the report"},
	{"record", gn_cmd_record, "trace into a file"},
	{"report", gn_cmd_report, "print what a trace file holds"},
	{"explain", gn_cmd_explain, "say what matters in a trace file"},
	{"export", gn_cmd_export, "write several formats at once"},
	{"diff", gn_cmd_diff, "say what changed between captures"},
	{"check", gn_cmd_check, "compare captures with a budget, for CI"},
	{"top", gn_cmd_top, "watch threads live"},
	{"list", gn_cmd_list, "show where probes can go"},
	{"doctor", gn_cmd_doctor,
	 "say what works on this machine and what is missing"},
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
	/* other tracers take a program here */
	if (strchr(name, '/'))
		gn_error("there is no verb '%s'; to trace a program: gnomon "
			 "run -- %s",
			 name, name);
	else
		gn_error("there is no verb '%s'; see gnomon --help", name);
	return GN_EXIT_USAGE;
}

/* Runs a verb with one option, as if it were typed. */
static int ask(const struct verb *verb, char *option)
{
	return verb->run(2, (char *[]){(char *)verb->name, option, NULL});
}

static int ask_page(const struct verb *verb, const char *word)
{
	char option[32];

	snprintf(option, sizeof(option), GN_PAGE_OPTION "%s", word);
	return ask(verb, option);
}

/* gnomon help --completion SHELL: all verbs' parts. */
static int completion(const char *shell)
{
	enum gn_page page = gn_page_find(shell);
	const char *names[NVERBS];
	int status = GN_EXIT_OK;

	if (page == GN_PAGE_COUNT || page == GN_PAGE_MAN) {
		gn_error("there is no completion for '%s'; give bash, zsh or "
			 "fish",
			 shell);
		return GN_EXIT_USAGE;
	}
	for (size_t i = 0; i < NVERBS; i++)
		names[i] = verbs[i].name;
	gn_page_begin(page, names, NVERBS, stdout);
	for (size_t i = 0; i < NVERBS && !status; i++)
		status = ask_page(&verbs[i], shell);
	gn_page_end(page, stdout);
	return status ? status : gn_cmd_written();
}

static int lacks(const char *what)
{
	gn_error("%s", what);
	return GN_EXIT_USAGE;
}

/* Whether a word asks for help. */
static bool asks_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* gnomon help [VERB | --man VERB | --completion SHELL] */
static int help(int argc, char **argv)
{
	bool man = argc > 1 && strcmp(argv[0], "--man") == 0;
	int most = man || (argc && !strcmp(argv[0], "--completion")) ? 2 : 1;
	const char *name = argc ? argv[man] : NULL;
	char option[] = "--help";
	const struct verb *verb;

	if (argc > most) {
		gn_error("argument '%s' is not expected; see gnomon help",
			 argv[most]);
		return GN_EXIT_USAGE;
	}
	if (argc > 1 && strcmp(argv[0], "--completion") == 0)
		return completion(argv[1]);
	if (name && strcmp(name, "--completion") == 0)
		return lacks("--completion needs a shell; give bash, zsh or "
			     "fish");
	if (name && strcmp(name, "--man") == 0)
		return lacks("--man needs a verb; give one, as in 'gnomon help "
			     "--man run'");
	if (name && strcmp(name, "help") != 0 && !asks_help(name)) {
		verb = find_verb(name);
		if (!verb)
			return unknown(name);
		return man ? ask_page(verb, "man") : ask(verb, option);
	}
	print_help(stdout);
	return gn_cmd_written();
}

/* Fills closed standard streams, so that no file of gnomon's gets their
 * numbers: output to the stream would be written into that file. The command
 * still gets the stream closed. */
static void fill_streams(void)
{
	int fd;

	do
		fd = open("/", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A set-user-ID or set-group-ID gnomon would let everybody write any file and
 * run any command as another user. */
static bool is_setuid(void)
{
	return getuid() != geteuid() || getgid() != getegid();
}

/* Only returns. */
static void take_limit(int sig)
{
	(void)sig;
}

/* A write beyond RLIMIT_FSIZE, even to gnomon's own memory (memfd), must fail
 * and not end gnomon. Unlike SIG_IGN, a handler ends with an exec: the command
 * gets the signal as gnomon found it. */
static void outlive_limit(void)
{
	struct sigaction own = {.sa_handler = take_limit,
				.sa_flags = SA_RESTART};
	struct sigaction before;

	if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &own, NULL);
}

/*
 * Makes the C library map each large block by itself: such a block grows
 * without a copy, and its zeros need no writing. By default, the library puts
 * large blocks into its heap once one has been freed: then a traced program
 * waits while gnomon copies hundreds of megabytes.
 */
static void map_large_blocks(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	/* the C library no longer adapts this to what is freed */
	mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

int main(int argc, char **argv)
{
	const struct verb *verb;

	fill_streams();
	gn_make_blocking(STDOUT_FILENO);
	gn_make_blocking(STDERR_FILENO);
	outlive_limit();
	map_large_blocks();
	/* which characters the terminal can show; numbers stay as they are */
	setlocale(LC_CTYPE, "");
	if (is_setuid()) {
		gn_error("the program has a set-user-ID or set-group-ID bit; "
			 "remove it (chmod ug-s), and use sudo");
		return GN_EXIT_FAILED;
	}
	if (argc < 2) {
		print_help(stderr);
		return GN_EXIT_USAGE;
	}
	if (asks_help(argv[1]))
		return help(0, NULL);
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 2, argv + 2);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("gnomon " GNOMON_VERSION);
		return gn_cmd_written();
	}
	verb = find_verb(argv[1]);
	return verb ? verb->run(argc - 1, argv + 1) : unknown(argv[1]);
}
