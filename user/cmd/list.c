/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon list: where probes can go in a file, a command or a process. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/libbpf.h>

#include "capture/denied.h"
#include "cmd/capture.h"
#include "cmd/listing.h"
#include "cmd/outfile.h"
#include "process/ended.h"
#include "trace/trace.h"

static const struct {
	const char *name;
	int (*write)(const struct gn_listing *l, bool verbose, FILE *f);
} formats[] = {
	{"table", gn_listing_table},
	{"csv", gn_listing_csv},
	{"json", gn_listing_json},
};

static const char *format_choice(size_t i)
{
	return i < sizeof(formats) / sizeof(*formats) ? formats[i].name : NULL;
}

struct list_args {
	struct gn_capture_args
		c; /* must be first: option tables hold offsets */
	bool usdt;
	int format; /* in formats[] */
};

static const struct gn_option options[] = {
	{'f', "function", GN_OPTION_LIST, offsetof(struct gn_args, functions),
	 "GLOB", "only these: GLOB, LIB:GLOB, usdt:LIB:NAME, !GLOB", NULL},
	{'p', "pid", GN_OPTION_PIDS, offsetof(struct gn_args, pids),
	 "PID[,PID]", "what running processes have mapped or loaded", NULL},
	{0, "usdt", GN_OPTION_FLAG, offsetof(struct list_args, usdt), NULL,
	 "also USDT probes, of libraries too", NULL},
	GN_OPT_LEAVE,
	GN_OPT_NO_FOLLOW,
	GN_OPT_USER,
	GN_OPT_ATTACH("kind of links"),
	{0, "format", GN_OPTION_CHOICE, offsetof(struct list_args, format),
	 NULL, "how it is written", format_choice},
	GN_OPT_OUTPUT("write the list there, not to stdout"),
	GN_OPT_QUIET("no summary on stderr"),
	GN_OPT_VERBOSE("instructions, and each leave site in a row"),
};

static const struct gn_verb_usage usage = {
	.name = "list",
	.synopsis = "[options] FILE | usdt:LIB:GLOB | -p PID | -- COMMAND",
	.summary =
		"Show where probes can go: each function's site, what a probe "
		"costs there,\nand how the function's end is seen. Nothing is "
		"run or attached.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_COMMAND,
	.examples = "  gnomon list ./app\n"
		    "  gnomon list -f 'libc.so.6:mem*' -- ./app\n"
		    "  sudo gnomon list --usdt -p 1234\n"
		    "  sudo gnomon list -p 1234 -f 'App:*'\n",
};

/* What to list, after the arguments were parsed. */
struct job {
	const struct list_args *args;
	struct gn_listing list;
	struct gn_filter *filter;
	const char **globs; /* of the filter */
	bool everything;    /* no -f names a function to include */
	bool script;	    /* the command is a script, not an ELF file */
	const char *word;   /* the file or command as given; NULL: PIDs */
	bool probes;	    /* `word` is usdt:LIB:... instead */
};

/* Whether the file is a library. Then it is not known which program maps it. */
static bool is_library(struct gn_elf *elf)
{
	return gn_elf_soname(elf) ||
	       (!gn_elf_interp(elf) && !gn_elf_entry(elf));
}

/* Refuses devices and pipes: opening one can block, or have an effect. */
static int check_regular(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? 0 : -ENOEXEC;
}

static bool begins_as_script(const char *path)
{
	char first[2] = {0};
	FILE *f = check_regular(path) ? NULL : fopen(path, "re");
	bool is = f && fread(first, 1, 2, f) == 2 && !memcmp(first, "#!", 2);

	if (f)
		fclose(f);
	return is;
}

/* Reports that a file cannot be opened as ELF. Returns the exit status. */
static int refuse_file(const struct job *j, const char *path, int err)
{
	if (err == -ENOMEM) {
		gn_error("no memory to read '%s'; free some", path);
		return GN_EXIT_FAILED;
	}
	if (err == -ENOENT)
		gn_error("there is no file '%s'; give a program's or library's "
			 "path, or a command after --",
			 path);
	else if (err == -EISDIR)
		gn_error("'%s' is a directory; give a program or a library",
			 path);
	else if (err == -ENOEXEC)
		gn_error("'%s' is not an ELF program or library for x86-64; "
			 "give one%s",
			 path,
			 begins_as_script(path) && !j->script
				 ? ", or the script after --"
				 : "");
	else
		gn_error("cannot read '%s': %s; %s", path, strerror(-err),
			 err == -EACCES || err == -EPERM
				 ? "read it as its owner or as root"
				 : "give a program or a library");
	return GN_EXIT_USAGE;
}

/* Takes the program's file and those that it maps. GN_EXIT_OK or the status. */
static int take_program(struct job *j, const char *path, bool command,
			const struct gn_user *user)
{
	struct gn_elf *elf;
	int err = check_regular(path);

	if (gn_overwrites(j->args->c.args.output, path))
		return GN_EXIT_USAGE;
	if (!err)
		err = gn_elf_open(path, &elf);
	if (err == -ENOEXEC && command && begins_as_script(path)) {
		j->script = true;
		err = gn_files_add(&j->list.files, path, true, NULL);
		return err ? refuse_file(j, path, err) : GN_EXIT_OK;
	}
	if (err)
		return refuse_file(j, path, err);
	j->list.library = !command && is_library(elf);
	gn_elf_close(elf);
	err = gn_files_of_program(path, user, &j->list.files);
	return err ? refuse_file(j, path, err) : GN_EXIT_OK;
}

static int find_command(struct job *j, const struct gn_user *user)
{
	const char *name = j->word;
	char path[PATH_MAX];
	int err = gn_target_resolve(name, path);

	if (!err)
		return take_program(j, path, true, user);
	if (err == -EACCES) {
		gn_error("'%s' is not an executable file; check it with "
			 "ls -ld",
			 name);
		return GN_EXIT_NOT_EXECUTABLE;
	}
	gn_error("command '%s' is not found; check its name or PATH", name);
	return GN_EXIT_NOT_FOUND;
}

static int find_processes(struct job *j)
{
	const struct gn_pids *pids = &j->args->c.args.pids;
	size_t left = pids->n;

	for (size_t i = 0; i < pids->n; i++) {
		pid_t pid = pids->pid[i];
		int err = gn_runtime_await(pid, NULL, NULL)
				  ?: gn_files_of_running(pid, &j->list.files);
		char why[GN_MISSING_MAX];

		if (!err)
			continue;
		/* the message of the last one says more */
		if (left > 1 && gn_process_ends(pid, GN_ENDS_MS)) {
			gn_error("process %d does not run; gnomon lists the "
				 "others",
				 (int)pid);
			left--;
			continue;
		}
		if (gn_files_missing(pid, err, why))
			gn_error("%s", why);
		else
			gn_error("process %d cannot be read (%s)%s", (int)pid,
				 strerror(-err), gn_denied_process(err));
		return GN_EXIT_FAILED;
	}
	return GN_EXIT_OK;
}

/* Takes usdt:LIB:PROVIDER:NAME, given instead of a file. GN_EXIT_OK or the
 * status. */
static int find_probes(struct job *j)
{
	struct gn_filter *filter = gn_filter_new(&j->word, 1);
	int err = filter ? gn_native_libraries(&j->list.files, NULL, filter)
			 : -ENOMEM;

	gn_filter_free(filter);
	j->probes = j->list.library = true;
	if (!err && j->list.files.count)
		return GN_EXIT_OK;
	gn_error(
		"the library of '%s' is not found; give its whole file name "
		"or its path, as in usdt:libc.so.6:NAME or usdt:/PATH/LIB:NAME",
		j->word);
	return GN_EXIT_USAGE;
}

/* Takes exactly one of FILE, COMMAND and PIDs. GN_EXIT_OK or the status. */
static int find_target(struct job *j, char **argv)
{
	const struct gn_args *a = &j->args->c.args;
	const struct gn_user *user = &j->args->c.user;

	if (!a->command && !a->pids.n) {
		gn_error("nothing to list; give a file, a command after -- or "
			 "a process with -p PID");
		return GN_EXIT_USAGE;
	}
	if (a->command && a->pids.n) {
		gn_error("both '%s' and -p are given; give one of them",
			 a->command[0]);
		return GN_EXIT_USAGE;
	}
	if (!a->command)
		return find_processes(j);
	j->word = a->command[0];
	/* argv[0] is the verb, so there is always an argument before it */
	if (a->command > argv && !strcmp(a->command[-1], "--"))
		return find_command(j, user);
	if (a->ncommand > 1) {
		gn_error("'%s' follows the file '%s'; give options before the "
			 "file, or a command after --",
			 a->command[1], j->word);
		return GN_EXIT_USAGE;
	}
	return gn_filter_is_usdt(j->word)
		       ? find_probes(j)
		       : take_program(j, j->word, false, user);
}

/* Makes the filter of -f. If that only excludes, all functions of the program
 * are included. The USDT probes come first. */
static int make_filter(struct job *j)
{
	const struct gn_list *f = &j->args->c.args.functions;
	struct gn_filter *given;

	given = gn_filter_new(f->item, f->n);
	if (!given)
		return -ENOMEM;
	j->everything = !j->probes && !gn_filter_positive(given);
	j->filter = given;
	if (!j->everything && !j->probes)
		return 0;
	gn_filter_free(given);
	j->filter = NULL;
	j->globs = calloc(f->n + 1, sizeof(*j->globs));
	if (!j->globs)
		return -ENOMEM;
	j->globs[0] = j->probes ? j->word : "*";
	for (size_t i = 0; i < f->n; i++)
		j->globs[i + 1] = f->item[i];
	j->filter = gn_filter_new(j->globs, f->n + 1);
	return j->filter ? 0 : -ENOMEM;
}

/* Finds which links gnomon would make: some plans depend on that. */
static void find_links(struct job *j)
{
	int mode = j->args->c.attach;

	j->list.links_known = mode != GN_ATTACH_AUTO;
	if (mode == GN_ATTACH_AUTO) {
		libbpf_set_print(NULL);
		mode = gn_attach_probe_mode();
		j->list.links_known = mode >= 0;
	}
	/* the oldest kind of link is the safe assumption */
	j->list.links = mode < 0 ? GN_ATTACH_SINGLE : (enum gn_attach_mode)mode;
}

static int collect_functions(struct job *j)
{
	struct gn_native_opts opts = {
		.filter = j->filter,
		.leave = (enum gn_leave_mode)j->args->c.args.leave,
		.return_is_private = j->list.links == GN_ATTACH_SESSION,
		.follow = j->args->c.args.follow,
		.library = j->list.library,
		.sleds = !j->args->c.args.pids.n,
	};
	const char *program =
		j->word && !j->list.library ? j->list.files.file[0].path : NULL;
	int err = 0;

	if (j->script)
		return 0;
	/* for a hook-site library, list its sites */
	if (j->everything && j->list.library && j->list.nruntimes)
		return 0;
	if (!j->everything)
		err = gn_native_libraries(&j->list.files, program, j->filter);
	err = err ?: gn_listing_functions(&j->list, &opts);
	return err ?: gn_listing_sleds(&j->list);
}

/* Whether USDT probes are wanted: by --usdt, or by name with -f. */
static bool wants_usdt(const struct job *j)
{
	const struct gn_list *f = &j->args->c.args.functions;
	bool wants = j->args->usdt || j->probes;

	for (size_t i = 0; i < f->n; i++)
		wants = wants || gn_filter_is_usdt(f->item[i]);
	return wants;
}

static int collect(struct job *j)
{
	int err = make_filter(j);

	if (!err && !j->probes)
		err = gn_listing_runtimes(&j->list, j->script,
					  "if the script starts it",
					  j->list.library);
	if (!err)
		err = collect_functions(j);
	if (!err)
		err = gn_listing_managed(&j->list, &j->args->c.args, j->filter,
					 j->everything);
	if (!err && wants_usdt(j) && !j->script)
		err = gn_listing_usdt(&j->list, j->filter, j->everything);
	if (!err)
		return GN_EXIT_OK;
	if (err == -ENOEXEC && !j->word)
		gn_error("'%s' is not an ELF program for x86-64; give the PID "
			 "of a 64-bit process",
			 j->list.files.file[0].path);
	else
		gn_error("the functions of '%s' cannot be read (%s); give "
			 "another file",
			 j->list.files.file[0].path, strerror(-err));
	return err == -ENOEXEC ? GN_EXIT_USAGE : GN_EXIT_FAILED;
}

/* A link can be what runs, but LIB must be the name of a file. */
static void say_lacks(const struct job *j, const char *glob)
{
	const char *program = gn_files_program(&j->list.files);

	gn_error("no function matches '%s': no file with functions that its "
		 "LIB matches is %s; a library can also be a part of the "
		 "program itself%s%s",
		 glob, j->args->c.args.pids.n ? "mapped" : "needed",
		 program ? ": " : "", program ?: "");
}

/* Says why no function matches the glob. */
static void say_unmatched(const struct job *j, const char *glob)
{
	const struct gn_listing *l = &j->list;
	char other[256];
	const char *elsewhere;
	size_t n;

	if (gn_filter_names_ifunc(j->filter, glob, other, sizeof(other)))
		gn_error(GN_IFUNC_TEXT, glob, other);
	else if (gn_filter_is_list(glob))
		gn_error(GN_LIST_TEXT, glob);
	else if (l->nmodules)
		gn_error("no function matches '%s'; list without -f shows the "
			 "modules, and -f 'LIB:*' a module's functions",
			 glob);
	else if (j->everything && l->stats.stripped)
		gn_error("'%s' has no function symbols, because it is "
			 "stripped; install its debug symbols%s",
			 l->stats.stripped, l->stats.symbols);
	else if (j->everything)
		gn_error("'%s' has no functions; list its libraries with -f "
			 "LIB:GLOB",
			 l->files.file[0].path);
	else if (gn_filter_lacks(j->filter, glob))
		say_lacks(j, glob);
	else if ((elsewhere = gn_native_elsewhere(&l->files, glob, &n)))
		gn_error(GN_ELSEWHERE_TEXT, glob, GN_ITSELF_TEXT(&l->stats), n,
			 elsewhere, glob);
	else if (gn_native_aot(&l->stats, glob))
		gn_error(GN_AOT_TEXT, glob, l->stats.aot,
			 gn_native_aot_todo(&l->stats));
	else if (l->stats.stripped)
		gn_error("no function matches '%s': '%s' is stripped; install "
			 "its debug symbols%s",
			 glob, l->stats.stripped, l->stats.symbols);
	else
		gn_error("no function matches '%s'; list without -f shows "
			 "which there are; LIB:GLOB searches a library",
			 glob);
}

/* Reports what was asked for and not found. GN_EXIT_OK or the status. */
static int check_found(const struct job *j)
{
	const struct gn_listing *l = &j->list;
	const char *glob = gn_filter_unmatched(j->filter);

	if (!glob ||
	    (j->everything && (l->nruntimes || l->nusdt || l->nmodules)))
		return GN_EXIT_OK;
	if (gn_filter_is_usdt(glob)) {
		gn_error("no USDT probe matches '%s'; gnomon list --usdt -- "
			 "COMMAND shows which there are",
			 glob);
		return GN_EXIT_USAGE;
	}
	if (l->npacked && !l->nmodules && !j->everything) {
		gn_error("functions of %s are not listed, since it is packed "
			 "into the program (a single file); gnomon run -p PID "
			 "-f '%s' traces those that match",
			 l->running->title, glob);
		return GN_EXIT_USAGE;
	}
	if (l->nruntimes && !l->running) {
		if (!j->args->c.args.quiet)
			gn_error("managed functions are matched when "
				 "the runtime compiles or calls them");
		return GN_EXIT_OK;
	}
	say_unmatched(j, glob);
	return GN_EXIT_USAGE;
}

static void tell_left(const struct job *j)
{
	char text[GN_NOTES_LEFT_TEXT], whose[GN_NATIVE_TEXT];
	const char *left = gn_notes_left_text(&j->list.left, text);
	const char *unknown = gn_native_unknown(&j->list.stats, whose);

	if (j->args->c.args.quiet)
		return;
	if (left)
		gn_error("USDT probes are left out: %s", left);
	if (unknown)
		gn_error("%s", unknown);
}

/* Writes the list to stdout or the file. GN_EXIT_OK or the status. */
static int print(const struct job *j)
{
	const struct gn_args *args = &j->args->c.args;
	struct gn_textfile out;
	int status = gn_textfile_begin(&out, args->output);

	if (status)
		return status;
	signal(SIGPIPE, SIG_IGN);
	errno = 0;
	return gn_textfile_end(
		&out, args->output,
		formats[j->args->format].write(&j->list, args->verbose, out.f));
}

static int list(const struct list_args *args, char **argv)
{
	struct job j = {.args = args};
	int status, found;
	rlim_t was;

	gn_files_raise(&was);
	status = find_target(&j, argv);
	if (!status) {
		find_links(&j);
		status = collect(&j);
	}
	if (status)
		goto out;
	tell_left(&j);
	found = check_found(&j);
	/* an empty list is an error */
	if (!found || j.list.nfunctions || j.list.nusdt || j.list.nmanaged) {
		status = print(&j);
		if (!status && !args->c.args.quiet)
			gn_listing_summary(&j.list,
					   args->c.args.leave ==
						   GN_LEAVE_CHOICE_AUTO);
	}
	status = status ? status : found;
out:
	gn_filter_free(j.filter);
	free(j.globs);
	gn_listing_clear(&j.list);
	return status;
}

int gn_cmd_list(int argc, char **argv)
{
	struct list_args args = {0};
	int status;

	gn_args_init(&args.c.args);
	if (gn_cmd_parse(&usage, argc, argv, &args.c.args, &status) &&
	    gn_capture_functions(&args.c.args.functions, &status) &&
	    gn_capture_user(&args.c, &status))
		status = list(&args, argv);
	gn_args_clear(&args.c.args);
	return status;
}
