/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what a reader must know about a capture, as INFO records. */
#include "capture/session_internal.h"
#include "capture/prepare.h"
#include "capture/running.h"
#include "capture/sleds.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <gnomon/control.h>
#include <gnomon/fast.h>
#include <gnomon/runtime_event.h>
#include "capture/clock.h"
#include "elf/elf_file.h"
#include "gnomon.skel.h"
#include "names/escape.h"
#include "names/text_stream.h"
#include "process/children.h"
#include "process/program.h"
#include "runtime/filter.h"
#include "runtime/runtime.h"

/* A record cuts texts at GN_TEXT_MAX bytes, and a class path can be longer. So
 * a word is cut after WORD_MOST bytes, and no word begins after WORDS_MOST. */
#define WORD_MOST  1000
#define WORDS_MOST (GN_TEXT_MAX - WORD_MOST - 200)

/* A process's number and a comma. */
#define PID_ROOM 13

/* of -p; a command is suggested for one */
#define PROGRAMS 16

/* Bytes that are not UTF-8 become \xNN, as in names: JSON cannot hold them. */
static void put_word(FILE *f, const char *word)
{
	long most = ftell(f) + WORD_MOST;
	size_t len;

	fputc('"', f);
	for (; *word; word += len) {
		int32_t c = gn_utf8_next(word, &len);

		if (ftell(f) > most) {
			fputs("...", f);
			break;
		}
		if (c < 0)
			fprintf(f, "\\\\x%02x", (unsigned char)*word);
		else if (c == '"' || c == '\\')
			fprintf(f, "\\%c", *word);
		else if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\u%04x", (unsigned int)c);
		else
			fwrite(word, 1, len, f);
	}
	fputc('"', f);
}

/* The command as a JSON array, which can hold any argument. */
static char *command_text(const struct gn_session *s)
{
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	fputc('[', f);
	for (char *const *a = s->opts.command; a && *a; a++) {
		if (a != s->opts.command)
			fputc(',', f);
		if (ftell(f) > WORDS_MOST) {
			fputs("\"...\"", f);
			break;
		}
		put_word(f, *a);
	}
	fputc(']', f);
	return gn_text_stream_close(&text);
}

/* A pattern without its '!' and its library's folder: two builds of a library
 * are in two folders. */
static const char *without_folder(const char *glob)
{
	const char *colon = strrchr(glob, ':');
	const char *slash =
		colon ? memrchr(glob, '/', (size_t)(colon - glob)) : NULL;

	return slash ? slash + 1 : glob + (*glob == '!');
}

static int by_name(const void *a, const void *b)
{
	return strcmp(without_folder(*(const char *const *)a),
		      without_folder(*(const char *const *)b));
}

/* Records what -f and -a name, one a line, sorted: captures are compared by
 * this text. */
static void put_asked(struct gn_session *s)
{
	size_t n = s->opts.nfunctions;
	const char **sorted = calloc(n + 1, sizeof(*sorted));
	struct gn_text_stream stream;
	FILE *f = sorted ? gn_text_stream_open(&stream) : NULL;
	char *text;

	if (!f) {
		free(sorted);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = s->opts.functions[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s\n", *sorted[i] == '!' ? "!" : "",
			without_folder(sorted[i]));
	text = gn_text_stream_close(&stream);
	if (text)
		gn_session_put_info(s, "functions.asked", text);
	free(text);
	free(sorted);
}

static void put_number(struct gn_session *s, const char *key, size_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", n);
	gn_session_put_info(s, key, text);
}

/* Why a program said that it has no fast hooks. */
static const char *none_text(uint64_t why)
{
	switch (why) {
	case GN_FAST_LIMITED:
		return "the program has a limit on file sizes or memory";
	case GN_FAST_FILTERED:
		return "the program has a seccomp filter, which can forbid "
		       "what fast hooks need";
	case GN_FAST_KEPT:
		return "the memory of an earlier session is still in the "
		       "program";
	case GN_FAST_PLACES:
		return "none of the program's sleds can be used: they differ "
		       "from those in its file, their functions are too short "
		       "for a jump, or there is no free memory near them";
	default:
		return NULL;
	}
}

void gn_session_put_fast(struct gn_session *s)
{
	struct gn_fast_facts f;

	if (s->not_fast && s->managed)
		gn_session_put_info(s, "fast.unfit", s->not_fast);
	if (s->sleds)
		put_number(s, "fast.sleds", s->sleds->count);
	if (!s->fast)
		return;
	gn_fast_tell(s->fast, &f);
	/* a process can also use its rings for compilations alone */
	if (!s->managed && !f.processes)
		return;
	if (none_text(f.none))
		gn_session_put_info(s, "fast.unfit", none_text(f.none));
	put_number(s, "fast.records", f.counts.records);
	put_number(s, "fast.processes", f.processes);
	put_number(s, "fast.threads", f.threads);
	put_number(s, "fast.forked", f.forked);
	put_number(s, "fast.bound_ns", f.bound_ns);
	put_number(s, "fast.drift_ppb", (size_t)(f.drift * 1e9 + 0.5));
	put_number(s, "fast.unordered", f.counts.unordered);
	put_number(s, "fast.dropped", f.counts.dropped);
	put_number(s, "fast.late", f.counts.late);
	put_number(s, "fast.hostile", f.counts.hostile);
	put_number(s, "fast.refused", f.refused);
	put_number(s, "fast.ringless", f.ringless);
	put_number(s, "fast.crowded", f.crowded);
	put_number(s, "fast.waits", f.counts.waits);
	put_number(s, "fast.waited_ns", f.counts.waited_ns);
}

void gn_session_look_at_groups(struct gn_session *s, pid_t pid)
{
	char groups[GN_GROUPS_TEXT];

	gn_groups_of(pid, groups);
	if (!*groups || !strcmp(groups, s->looked))
		return;
	strcpy(s->looked, groups);
	gn_cpu_limit(groups, GN_GROUPS_ROOT, &s->cpus);
	gn_memory_group(groups, GN_GROUPS_ROOT, &s->memory);
}

void gn_session_put_cpus(struct gn_session *s)
{
	uint64_t periods, throttled;

	if (s->allowed)
		put_number(s, "cpus.allowed", s->allowed);
	if (!s->cpus.milli)
		return;
	put_number(s, "cpus.milli", s->cpus.milli);
	if (access(s->cpus.folder, F_OK))
		return; /* the control group is gone */
	gn_cpu_periods(s->cpus.folder, &periods, &throttled);
	if (periods < s->cpus.periods || throttled < s->cpus.throttled)
		return; /* and has been made again */
	put_number(s, "cpus.periods", periods - s->cpus.periods);
	put_number(s, "cpus.throttled", throttled - s->cpus.throttled);
}

void gn_session_put_memory(struct gn_session *s)
{
	uint64_t full;

	if (!s->memory.folder || !gn_memory_full(s->memory.folder, &full) ||
	    full < s->memory.full)
		return;
	put_number(s, "memory.limit", s->memory.bytes);
	put_number(s, "memory.full", full - s->memory.full);
}

void gn_session_put_functions(struct gn_session *s)
{
	put_number(s, "functions.return", s->native.by_return);
	put_number(s, "functions.ret", s->native.by_ret);
	put_number(s, "functions.stepped", s->native.stepped);
	put_number(s, "functions.dear", s->native.dear);
	put_number(s, "functions.refused", s->native.refused + s->refused);
	if (s->refused)
		put_number(s, "functions.refused.kernel", s->refused);
	if (*s->functions.refused)
		gn_session_put_info(s, "functions.refused.first",
				    s->functions.refused);
}

void gn_session_put_light(struct gn_session *s)
{
	bool some = gn_running_count(s->active) || s->launch.env;

	if (some)
		gn_session_put_info(s, "clr", "light");
	if (gn_running_refused(s->active))
		gn_session_put_info(s, some ? "clr.without" : "clr",
				    s->warning);
}

struct first {
	struct gn_session *session;
	bool put;
};

static void put_first(void *ctx, const char *line)
{
	struct first *first = ctx;

	if (!first->put)
		gn_session_put_info(first->session, "clr.unhooked", line);
	first->put = true;
}

void gn_session_tell_unhooked(const struct gn_session *s, gn_unseen_fn tell,
			      void *ctx)
{
	/* the missing library is the reason */
	if (s->no_library)
		tell(ctx, s->warning);
	else
		gn_unseen_runtimes(s->unseen, tell, ctx);
}

static void put_silent(void *ctx, const char *line)
{
	gn_session_put_info(ctx, "runtime.silent", line);
}

/* A JVM that refused its options: its launcher has nothing to name with -f. */
static void tell_unstarted(const struct gn_session *s, gn_unseen_fn tell,
			   void *ctx)
{
	const struct gn_runtime *rt =
		s->opts.command ? gn_runtime_started_by(s->program) : NULL;
	char line[PATH_MAX + 64];

	if (!rt || !rt->methods || gn_unseen_began(s->unseen, rt))
		return;
	snprintf(line, sizeof(line), "'%s' did not start the %s", s->program,
		 rt->title);
	tell(ctx, line);
}

void gn_session_put_unhooked(struct gn_session *s)
{
	struct first first = {s, false};

	gn_session_tell_unhooked(s, put_first, &first);
	tell_unstarted(s, put_first, &first);
	gn_unseen_silent(s->unseen, put_silent, s);
}

void gn_session_put_attached(struct gn_session *s)
{
	put_number(s, "attached_ns", gn_now_ns() - s->skel->bss->control.start);
}

/* Records the names of the families in `set`, if there are any. */
static void put_families(struct gn_session *s, const char *key, uint32_t set)
{
	char words[160];

	gn_running_words(set, words, sizeof(words));
	if (*words)
		gn_session_put_info(s, key, words);
}

/* Records the first program that is .NET compiled to native code (Native AOT),
 * because its runtime reports nothing. */
static void put_aot(struct gn_session *s)
{
	char place[GN_FILE_PLACE];

	if (s->opts.command) {
		if (gn_elf_is_aot(s->program))
			gn_session_put_info(s, "native.aot", s->program);
		return;
	}
	for (size_t i = 0; i < s->files.count; i++) {
		const struct gn_file *file = &s->files.file[i];

		if (!file->program || file->fd < 0 ||
		    !gn_elf_is_aot(gn_file_place(file->fd, place)))
			continue;
		gn_session_put_info(s, "native.aot", file->path);
		return;
	}
}

/* Counts the children that the processes have already and that are not traced,
 * such as a server's workers, and records which processes these are. */
static void put_children(struct gn_session *s)
{
	const struct gn_session_opts *o = &s->opts;
	size_t len = 0;

	for (size_t i = 0; o->follow && i < o->npids; i++) {
		size_t n = gn_children_others(o->pids[i], o->pids, o->npids);

		s->children += n;
		if (n && len + PID_ROOM < sizeof(s->parents))
			len += (size_t)snprintf(s->parents + len, PID_ROOM,
						"%s%d", len ? "," : "",
						(int)o->pids[i]);
	}
	if (!s->children)
		return;
	put_number(s, "children", s->children);
	gn_session_put_info(s, "children.of", s->parents);
}

/* Reads the file that a process runs. Whether gnomon can name it by that path,
 * too: a container has other paths. */
static bool read_program(uint32_t pid, char path[PATH_MAX])
{
	struct stat own, named;
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	len = readlink(link, path, PATH_MAX - 1);
	path[len > 0 ? len : 0] = '\0';
	return len > 0 && !stat(link, &own) && !stat(path, &named) &&
	       own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

/* The programs of -p by their files, because /proc/PID/exe goes with the
 * process. */
static void put_programs(struct gn_session *s)
{
	char path[PATH_MAX], key[32];

	for (size_t i = 0; i < s->opts.npids && i < PROGRAMS; i++) {
		snprintf(key, sizeof(key), "program.%d", (int)s->opts.pids[i]);
		if (read_program((uint32_t)s->opts.pids[i], path))
			gn_session_put_info(s, key, path);
	}
}

void gn_session_put_started(struct gn_session *s, const struct gn_rec_thread *r)
{
	char path[PATH_MAX], key[64];

	for (size_t i = 0; i < s->nstarted; i++)
		if (!memcmp(s->started[i], r->comm, sizeof(r->comm)))
			return;
	if (s->nstarted == GN_STARTED_MAX || !read_program(r->pid, path))
		return;
	memcpy(s->started[s->nstarted++], r->comm, sizeof(r->comm));
	snprintf(key, sizeof(key), "program.started.%.16s", r->comm);
	gn_session_put_info(s, key, path);
}

/* The program that a launcher starts. */
static void put_launched(struct gn_session *s)
{
	char name[PATH_MAX], path[PATH_MAX];

	if (s->opts.command && gn_target_launched(s->opts.command, name) &&
	    realpath(name, path))
		gn_session_put_info(s, "program.launched", path);
}

/* A stripped program has no names to choose from. */
static void put_stripped(struct gn_session *s)
{
	char exe[32];
	bool go;

	if (!s->opts.command)
		snprintf(exe, sizeof(exe), "/proc/%d/exe",
			 (int)s->opts.pids[0]);
	if (gn_elf_is_stripped(s->opts.command ? s->program : exe, &go))
		gn_session_put_info(s, "program.stripped", go ? "go" : "1");
}

/* Functions of code that it interprets are in no file. */
static void put_language(struct gn_session *s)
{
	const char *language =
		s->opts.command ? gn_unseen_language_of(s->program) : NULL;

	if (language)
		gn_session_put_info(s, "program.language", language);
	if (s->sampled)
		gn_session_put_info(s, "program.sampled", s->sampled);
}

/* Whether only methods of JVMs have hooks in their code. */
static bool hooks_methods(const struct gn_session *s)
{
	return s->methods &&
	       !gn_running_others(s->active, gn_runtime_of(GN_RUNTIME_JAVA));
}

static void put_inlining(struct gn_session *s)
{
	bool kept = s->opts.inlining == GN_INLINING_AUTO
			    ? !gn_filter_positive(s->filter)
			    : s->opts.inlining == GN_INLINING_KEEP;

	/* no code is changed that is inlined */
	if (s->light || s->methods)
		return;
	if (s->launch.refuses)
		gn_session_put_info(s, "inlining", "refused");
	else if (s->launch.env)
		gn_session_put_info(s, "inlining", kept ? "kept" : "refused");
}

static void put_hooks(struct gn_session *s)
{
	if (s->light)
		gn_session_put_light(s);
	else if (hooks_methods(s))
		gn_session_put_info(s, "hooks",
				    s->active ? "bytecode"
					      : "bytecode at start");
	else if (s->managed_filter && gn_session_by_il(s))
		gn_session_put_info(s, "hooks",
				    s->active ? "il" : "il at start");
	else if (s->launch.env)
		gn_session_put_info(s, "hooks.elt", gn_session_elt(s));
}

static void put_selection(struct gn_session *s)
{
	if (!gn_filter_positive(s->filter)) {
		gn_session_put_info(
			s, "hint",
			s->no_runtime
				? s->warning
				: "no native functions were selected; select "
				  "some with -f GLOB (see gnomon list)");
		return;
	}
	gn_session_put_functions(s);
	/* what it judges matters only if gnomon chooses */
	if (s->opts.leave == GN_LEAVE_AUTO)
		gn_session_put_info(s, "functions.verdict", s->native.verdict);
	if (s->opts.leave == GN_LEAVE_RETURN)
		gn_session_put_info(s, "functions.leave", "return");
}

void gn_session_put_program(struct gn_session *s, uint32_t pid,
			    const char comm[16])
{
	char key[64], program[256];

	gn_program_of(pid, program, sizeof(program));
	if (!*program)
		return;
	snprintf(key, sizeof(key), "program.%" PRIu32 ".%.16s", pid, comm);
	gn_session_put_info(s, key, program);
}

void gn_session_put_facts(struct gn_session *s)
{
	char *command = command_text(s);
	struct utsname u;

	gn_session_put_info(s, "version", GNOMON_VERSION);
	gn_session_put_info(s, "command", command ? command : "[]");
	free(command);
	if (!uname(&u)) {
		gn_session_put_info(s, "machine", u.nodename);
		gn_session_put_info(s, "kernel", u.release);
		gn_session_put_info(s, "architecture", u.machine);
	}
	gn_session_put_info(s, "clock", "monotonic");
	gn_session_put_info(s, "options",
			    s->opts.options ? s->opts.options : "");
	put_children(s);
	put_programs(s);
	put_launched(s);
	put_stripped(s);
	put_language(s);
	put_asked(s);
	gn_session_put_info(s, "links", gn_attach_mode_name(s->mode));
	put_inlining(s);
	put_hooks(s);
	if (s->launch.env && s->opts.families & GN_FAMILY_TRANSITIONS)
		gn_session_put_info(s, "precompiled", "off");
	if (gn_prepare_all(s) || (s->launch.env && !s->opts.nfunctions))
		gn_session_put_info(s, "functions.asked", "all");
	put_families(s, "events.at_start",
		     gn_running_untold(s->active, s->opts.families));
	put_aot(s);
	put_families(s, "events.left", GN_FAMILIES_USUAL & ~s->opts.families);
	gn_session_put_info(s, "faults", s->faults ? "1" : "0");
	gn_session_put_info(s, "syscalls", s->opts.syscalls ? "1" : "0");
	if (s->opts.samples)
		put_number(s, "samples.rate", s->opts.samples);
	put_selection(s);
}
