/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/unseen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/selected.h>
#include "capture/drain.h"
#include "capture/setter.h"
#include "capture/unseen_parts.h"
#include "process/inside.h"
#include "runtime/filter.h"
#include "runtime/preload.h"
#include "runtime/runtime.h"
#include "runtime/values.h"

#define TOLD_MOST    3	  /* programs that get a line of their own */
#define PROGRAMS_MAX 4096 /* programs that are followed */

/* A program that runs a runtime. An exec starts another one in the same
 * process. */
struct program {
	const struct gn_runtime *rt;
	uint32_t pid;
	bool over;   /* another program runs in the process */
	bool named;  /* its file has the name of the interpreter */
	bool begun;  /* gnomon's preloaded library found the interpreter */
	bool apart;  /* it does not see that library */
	bool runs;   /* the runtime was seen */
	bool before; /* it ran before gnomon came, which was reported */
	bool hooked;
	bool reports; /* its own probes have told that it began */
	bool probed;  /* its own probes report what hooks are asked for */
	bool library; /* its methods have hooks */
	bool other;   /* it runs as `uid`, not as the command's user */
	bool read;    /* its environment was read */
	bool musl;    /* its C library is musl, so it needs another library */
	const char *hindered; /* the variable that turns the library off */
	const char *unfit;    /* why it cannot have the library; or NULL */
	uint32_t uid;
	char comm[17];
};

struct gn_unseen {
	uint32_t uid; /* the command's user */
	bool attached;
	bool named; /* methods get hooks where the library is */
	struct program *program;
	size_t count;
	const struct gn_asked *asked; /* whose values are requested */
	size_t nasked;
	/* a runtime that gives none of the values that are requested of it */
	const struct gn_runtime *valueless;
	struct gn_unseen_methods methods;
	const struct gn_runtime *siteless; /* ran before, without own probes */
};

struct gn_unseen *gn_unseen_new(uint32_t uid, bool attached, bool named,
				const struct gn_asked *asked, size_t nasked)
{
	struct gn_unseen *u = calloc(1, sizeof(*u));

	if (u) {
		u->uid = uid;
		u->attached = attached;
		u->methods.attached = attached;
		u->named = named;
		u->asked = asked;
		u->nasked = nasked;
	}
	return u;
}

void gn_unseen_free(struct gn_unseen *u)
{
	if (!u)
		return;
	free(u->program);
	free(u);
}

static struct program *find(struct gn_unseen *u, uint32_t pid,
			    const struct gn_runtime *rt)
{
	for (size_t i = u->count; i-- > 0;) {
		struct program *p = &u->program[i];

		if (p->pid == pid && p->rt == rt && !p->over)
			return p;
	}
	return NULL;
}

/* NULL: too many, or no memory; then the program is not reported. */
static struct program *find_or_add(struct gn_unseen *u, uint32_t pid,
				   const struct gn_runtime *rt)
{
	struct program *p = find(u, pid, rt);

	if (p || u->count == PROGRAMS_MAX)
		return p;
	p = reallocarray(u->program, u->count + 1, sizeof(*p));
	if (!p)
		return NULL;
	u->program = p;
	p += u->count++;
	*p = (struct program){.rt = rt, .pid = pid};
	return p;
}

/* Reads the environment and finds the C library, if gnomon still has the
 * privileges. */
static void ask_environment(struct program *p)
{
	struct gn_inside_env env;

	gn_inside_env_open(&env, (pid_t)p->pid);
	p->read = env.text;
	p->musl = p->rt->library_musl && gn_runtime_has_musl((pid_t)p->pid);
	if (p->rt->hindered)
		p->hindered = p->rt->hindered(gn_inside_variable, &env);
	gn_inside_env_free(&env);
}

/* Looks at the process, if it lives. */
static void ask(struct program *p, uint32_t own)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", p->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "Name:%*[ \t]%16[^\n]", p->comm);
		if (sscanf(line, "Uid:%" SCNu32, &p->uid) == 1)
			p->other = p->uid != own;
	}
	if (f)
		fclose(f);
}

static const char *unfit(const struct gn_unseen *u, uint32_t pid)
{
	char exe[32];

	snprintf(exe, sizeof(exe), "/proc/%" PRIu32 "/exe", pid);
	return access(exe, R_OK) ? NULL : gn_preload_unfit(exe, u->uid);
}

/* Whether a process that lives does not see gnomon's preloaded library. */
static bool is_apart(uint32_t pid)
{
	int root = gn_inside_proc((pid_t)pid, "root", O_PATH | O_DIRECTORY);
	char path[PATH_MAX];
	int fd;

	if (root < 0)
		return false;
	fd = gn_runtime_library(&gn_runtime_preload, false, path, sizeof(path))
		     ? -EINVAL
		     : gn_inside_open(root, path, O_PATH);
	if (fd >= 0)
		close(fd);
	close(root);
	return fd == -ENOENT || fd == -ENOTDIR;
}

static void note_runtime(struct gn_unseen *u, const struct gn_rec_thread *r)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++) {
		char thread[sizeof(r->comm) + 1];
		struct program *p;

		snprintf(thread, sizeof(thread), "%.*s", (int)sizeof(r->comm),
			 r->comm);
		if (!gn_runtime_makes(rt, thread))
			continue;
		p = find_or_add(u, r->pid, rt);
		if (!p || p->runs)
			return;
		p->runs = true;
		ask(p, u->uid);
		if (!p->hooked && rt->library)
			ask_environment(p);
		if (u->named && rt->methods) {
			p->unfit = unfit(u, r->pid);
			p->apart = is_apart(r->pid);
		}
	}
}

static void note_library(struct gn_unseen *u, const struct gn_rec_thread *r)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++) {
		uint32_t id = GN_FUNC_RUNTIME(r->parent);
		bool methods = rt->methods && rt->methods->id == id;
		struct program *p = NULL;

		if (rt->id != id && !methods)
			continue;
		if (rt->library || rt->methods)
			p = find_or_add(u, r->pid, rt);
		if (p && !methods && rt->methods)
			p->reports = true;
		else if (p)
			p->hooked = true;
		if (p)
			p->library |= methods;
		u->methods.hooked = true;
		u->methods.lists |= rt->managed != NULL;
	}
}

/* What a program was can be known only after the next one has begun: of an
 * interpreter, only the last one in the process counts. */
static void end_program(struct gn_unseen *u, uint32_t pid)
{
	for (size_t i = 0; i < u->count; i++) {
		struct program *p = &u->program[i];

		if (p->pid != pid || p->over)
			continue;
		p->over = true;
		p->runs &= !p->rt->preloaded;
		p->named = false;
	}
}

/* Whether the new program is an interpreter, by its file, or by its name if it
 * has ended. */
static void note_exec(struct gn_unseen *u, const struct gn_rec_thread *r)
{
	char exe[32], path[PATH_MAX], comm[sizeof(r->comm) + 1];
	const struct gn_runtime *rt;
	struct program *p;
	ssize_t len;

	end_program(u, r->pid);
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(r->comm), r->comm);
	snprintf(exe, sizeof(exe), "/proc/%" PRIu32 "/exe", r->pid);
	len = readlink(exe, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	rt = gn_runtime_interpreter(len > 0 ? path : comm);
	p = rt ? find_or_add(u, r->pid, rt) : NULL;
	if (!p)
		return;
	p->runs = rt->preloaded;
	p->named = true;
	p->apart = is_apart(r->pid);
	p->unfit = r->f.h.flags & GN_F_SECURE ? gn_preload_privileged
		   : len > 0		      ? gn_preload_unfit(exe, u->uid)
					      : NULL;
	snprintf(p->comm, sizeof(p->comm), "%s", comm);
}

/* Notes a function of a runtime without a library. Names of monitors, which
 * have no parameters, are not functions. */
static void note_method(struct gn_unseen *u, const struct gn_runtime *rt,
			uint32_t pid, const char *name)
{
	struct program *p;

	if (!strchr(name, '('))
		return;
	p = find_or_add(u, pid, rt);
	if (!p)
		return;
	p->hooked = true;
	p->probed = u->named && rt->methods && !p->before;
}

/* Neither the probes of a JVM nor its hooks give values. */
static void note_valueless(struct gn_unseen *u, const struct gn_runtime *rt,
			   const char *name, const char *module)
{
	for (size_t i = 0; i < u->nasked && !u->valueless; i++)
		if (rt->matches(u->asked[i].function, name, module))
			u->valueless = rt;
}

static void note_name(struct gn_unseen *u, const struct gn_rec_text *r,
		      struct gn_filter *filter)
{
	const struct gn_runtime *rt = gn_runtime_of(GN_FUNC_RUNTIME(r->id));
	const char *text, *module;
	char room[GN_TWO_TEXTS];

	if (!rt || !gn_text_split(r, room, &text, &module))
		return;
	gn_filter_managed(filter, rt->matches, text, module);
	if (rt->own_thread)
		note_method(u, rt, r->ref, text);
	if (rt->own_thread || rt->id == GN_RUNTIME_JAVA)
		note_valueless(u, rt, text, module);
}

void gn_unseen_running(struct gn_unseen *u, uint32_t pid,
		       const struct gn_runtime *rt)
{
	struct program *p = find_or_add(u, pid, rt);

	if (p)
		p->before = true;
}

void gn_unseen_siteless(struct gn_unseen *u, const struct gn_runtime *rt)
{
	u->siteless = rt;
}

void gn_unseen_begun(struct gn_unseen *u, const struct gn_setter_begun *begun)
{
	for (size_t i = 0; i < u->count; i++) {
		struct program *p = &u->program[i];

		/* a JVM can still refuse its options */
		p->reports |= p->rt->hooks_all &&
			      gn_setter_noted(begun, (pid_t)p->pid, 0);
	}
}

/* No thread of such a runtime shows that it began. */
static void note_begun(struct gn_unseen *u, const struct gn_setter_reached *at)
{
	struct program *p =
		at->rt->own_thread ? NULL : find_or_add(u, at->pid, at->rt);

	if (p)
		p->runs = true;
}

void gn_unseen_late(struct gn_unseen *u, const struct gn_setter_late *late)
{
	for (size_t i = 0; i < u->count; i++)
		if (u->program[i].rt->options &&
		    gn_setter_was_late(late, u->program[i].pid,
				       u->program[i].rt))
			u->program[i].hooked = false;
	for (size_t i = 0; i < late->n && i < GN_LATE_MAX; i++)
		note_begun(u, &late->at[i]);
}

/* The first thread of a process reports the library. */
static void note_interpreter(struct gn_unseen *u, uint32_t pid)
{
	for (size_t i = 0; i < u->count; i++) {
		struct program *p = &u->program[i];

		if (p->pid != pid || p->over)
			continue;
		p->begun = true;
		p->hooked |= p->rt->preloaded;
	}
}

/* The thread that loads a JVM is mostly the first one, too. */
static void note_jvm(struct gn_unseen *u, uint32_t pid)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++) {
		struct program *p = rt->methods && !rt->hooks_all
					    ? find_or_add(u, pid, rt)
					    : NULL;

		if (p)
			p->hooked = true;
	}
}

static void note_selected(struct gn_unseen *u, const struct gn_rec_func *r)
{
	uint32_t what = GN_FUNC_INDEX(r->func);

	if (what == GN_SELECTED_INTERPRETERS)
		note_interpreter(u, r->h.tid);
	if (what == GN_SELECTED_JVMS)
		note_jvm(u, r->h.tid);

	u->methods.modules_left |= what == GN_SELECTED_MODULES_LEFT && r->h.key;
	u->methods.no_il |= what == GN_SELECTED_NO_IL && r->h.key;
	u->methods.abstract |= what == GN_SELECTED_ABSTRACT && r->h.key;
	u->methods.archives |= what == GN_SELECTED_JVMS_LEFT && r->h.key;
}

void gn_unseen_record(struct gn_unseen *u, const struct gn_rec *rec,
		      struct gn_filter *filter)
{
	const struct gn_rec_thread *thread = (const void *)rec;

	switch (rec->kind) {
	case GN_KIND_RENAME:
		note_runtime(u, thread);
		break;
	case GN_KIND_RUNTIME:
		note_library(u, thread);
		break;
	case GN_KIND_EXEC:
		note_exec(u, thread);
		break;
	case GN_KIND_SELECTED:
		note_selected(u, (const void *)rec);
		break;
	case GN_KIND_NAME:
		note_name(u, (const void *)rec, filter);
		break;
	default:
		break;
	}
}

/* Writes why it can have had no library: the known reason, else the possible
 * ones. */
static void put_reason(const struct gn_unseen *u, const struct program *p,
		       char *to, size_t size)
{
	if (p->hindered)
		snprintf(to, size, "%s is 0 in its environment", p->hindered);
	else if (u->attached)
		snprintf(to, size,
			 "a process that gnomon was attached to started it");
	else if (p->musl)
		snprintf(to, size,
			 "its C library is musl, and the command's is not");
	else if (p->other)
		snprintf(to, size,
			 "it ran as user %" PRIu32 ", who may not read that "
			 "library or got a clean environment",
			 p->uid);
	else
		snprintf(to, size,
			 "its environment names another profiler%s or was "
			 "cleaned by what started it past gnomon's library, "
			 "or it sees other mounts",
			 p->read ? "" : ", turns diagnostics off");
}

static const char *advice(const struct gn_unseen *u, const struct program *p)
{
	return p->hindered   ? "unset that variable"
	       : u->attached ? "give its PID to -p, too, or let gnomon start "
			       "the whole program"
	       : p->musl
		       ? "attach to it (-p PID), or let gnomon start it itself"
		       : "start gnomon there instead, or let it read "
			 "gnomon's library";
}

/* Why the preloaded library did not get into it. */
static const char *why_alone(const struct gn_unseen *u, const struct program *p)
{
	if (p->unfit)
		return p->unfit;
	if (u->attached)
		return "a process that gnomon was attached to started it";
	if (p->apart)
		return "it sees other files than gnomon, as in a container";
	if (p->rt->hooks_all)
		return "it has threads, or it or what started it is static, "
		       "has another C library or privileges, or sees other "
		       "files";
	return p->rt->methods ? "it or what started it is static, has another "
				"C library or privileges, sees other files, or "
				"is linked to libjvm.so"
			      : "it or what started it is static, has another "
				"C library or privileges, or sees other files";
}

/* What a JVM whose methods -f names needs to get hooks. */
static const char *method_advice(const struct gn_unseen *u,
				 const struct program *p)
{
	return p->unfit ? "attach to it (-p PID), or use another build of it"
	       : u->attached ? "let gnomon start the whole program, or give "
			       "the JVM's own PID to -p"
			     : "give its own command to gnomon, or attach to "
			       "it (-p PID)";
}

static void tell_program(const struct gn_unseen *u, const struct program *p,
			 gn_unseen_fn tell, void *ctx)
{
	char line[512], why[160];
	int n;

	put_reason(u, p, why, sizeof(why));
	n = snprintf(line, sizeof(line), "process %" PRIu32 "%s%s%s ran the %s",
		     p->pid, p->comm[0] ? " (" : "", p->comm,
		     p->comm[0] ? ")" : "", p->rt->title);
	if (u->named && p->rt->methods)
		snprintf(line + n, sizeof(line) - (size_t)n,
			 " without gnomon's hook-site library, so its methods "
			 "were not traced (%s); %s",
			 why_alone(u, p), method_advice(u, p));
	else if (p->rt->lacking)
		snprintf(line + n, sizeof(line) - (size_t)n, "%s",
			 p->rt->lacking);
	else
		snprintf(line + n, sizeof(line) - (size_t)n,
			 " without gnomon's hook-site library, so its managed "
			 "functions were not traced (%s); %s",
			 why, advice(u, p));
	tell(ctx, line);
}

/* Whether the name of its file is all that shows the interpreter: it has
 * neither the library nor its own probes. */
static bool is_mute(const struct program *p)
{
	return p->named && !p->runs && !p->begun && !p->reports;
}

static bool is_unhooked(const struct program *p)
{
	return (p->runs || is_mute(p)) && !p->hooked;
}

/* Whether tell_interpreter() tells of it. */
static bool is_interpreter(const struct program *p)
{
	return p->rt->preloaded || is_mute(p);
}

/* Whether one line tells of both. */
static bool are_alike(const struct program *a, const struct program *b)
{
	return is_unhooked(a) && is_unhooked(b) && a->rt == b->rt &&
	       is_mute(a) == is_mute(b) && a->unfit == b->unfit &&
	       a->apart == b->apart && !strcmp(a->comm, b->comm);
}

static void tell_interpreter(const struct gn_unseen *u, size_t i,
			     gn_unseen_fn tell, void *ctx)
{
	const struct program *p = &u->program[i];
	char line[512], many[48] = "";
	size_t n = 1;

	while (++i < u->count)
		n += are_alike(p, &u->program[i]);
	if (n > 1)
		snprintf(many, sizeof(many), " (%zu processes)", n);
	snprintf(line, sizeof(line),
		 "%s%s ran without gnomon's hook-site library, so its %s "
		 "functions were not traced (%s); %s",
		 p->comm, many, p->rt->language, why_alone(u, p),
		 p->unfit      ? "use another build of it"
		 : u->attached ? "let gnomon start the whole program"
		 : p->apart    ? "let gnomon start it in there"
			       : "give its own command to gnomon");
	tell(ctx, line);
}

/* Whether a line has told of a program of an interpreter. */
static bool is_told(const struct gn_unseen *u, size_t i)
{
	for (size_t k = 0; k < i && is_interpreter(&u->program[i]); k++)
		if (are_alike(&u->program[k], &u->program[i]))
			return true;
	return false;
}

/* The first program whose own probes report methods that -f names, with hooks
 * or without, or NULL; `many`: text on how many there are. */
static const struct program *find_probed(const struct gn_unseen *u,
					 bool library, char many[48])
{
	const struct program *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < u->count; i++) {
		const struct program *p = &u->program[i];

		if (!p->probed || p->library != library)
			continue;
		n++;
		first = first ?: p;
	}
	*many = '\0';
	if (n > 1)
		snprintf(many, 48, " (%zu processes)", n);
	return first;
}

/* Tells of JVMs whose user has turned their probes on, although their methods
 * have hooks. */
static void tell_twice(const struct gn_unseen *u, gn_unseen_fn tell, void *ctx)
{
	char line[512], many[48];
	const struct program *first = find_probed(u, true, many);

	if (!first)
		return;
	snprintf(line, sizeof(line),
		 "%s%s ran the %s with an option for its own probes "
		 "(-XX:+DTraceMethodProbes or -XX:+ExtendedDTraceProbes): each "
		 "call is counted twice, by them and by hooks, and all methods "
		 "were much slower; start it without that option",
		 first->comm[0] ? first->comm : "a program", many,
		 first->rt->title);
	tell(ctx, line);
}

/* Tells of JVMs whose methods -f names, and that were slow for want of hooks.
 */
static void tell_probed(const struct gn_unseen *u, gn_unseen_fn tell, void *ctx)
{
	char line[512], many[48];
	const struct program *first = find_probed(u, false, many);

	if (!first)
		return;
	snprintf(line, sizeof(line),
		 "%s%s ran the %s without gnomon's hook-site library (%s): its "
		 "own probes reported the methods, and all methods were much "
		 "slower; %s",
		 first->comm[0] ? first->comm : "a program", many,
		 first->rt->title, why_alone(u, first),
		 method_advice(u, first));
	tell(ctx, line);
}

bool gn_unseen_began(const struct gn_unseen *u, const struct gn_runtime *rt)
{
	for (size_t i = 0; i < u->count; i++) {
		const struct program *p = &u->program[i];

		/* a PHP without probes has only hooks */
		if (p->rt == rt &&
		    (p->runs || p->reports || (rt->hooks_all && p->hooked)))
			return true;
	}
	return false;
}

/* Whether hooks are all that it has. */
static bool is_silent(const struct program *p)
{
	return p->runs && p->hooked && !p->reports && !p->before &&
	       p->rt->methods && !p->rt->hooks_all;
}

void gn_unseen_silent(const struct gn_unseen *u, gn_unseen_fn tell, void *ctx)
{
	const struct gn_runtime *rt = u->siteless;
	const char *name = "a process of -p";
	char line[512], many[48] = "";
	size_t n = 0;

	for (size_t i = 0; i < u->count; i++) {
		if (!is_silent(&u->program[i]))
			continue;
		if (!n++ && u->program[i].comm[0])
			name = u->program[i].comm;
		rt = u->program[i].rt;
	}
	if (!rt)
		return;
	if (n > 1)
		snprintf(many, sizeof(many), " (%zu processes)", n);
	snprintf(line, sizeof(line),
		 "%s%s ran the %s without its own probes, so its collections, "
		 "compilations and waits for monitors are not known, and count "
		 "as what its threads did then (its libjvm.so lacks USDT "
		 "probes%s)",
		 name, many, rt->title,
		 n ? ", or is not in /usr/lib/jvm, nor that of JAVA_HOME or "
		     "of the java in PATH"
		   : "");
	tell(ctx, line);
}

void gn_unseen_runtimes(const struct gn_unseen *u, gn_unseen_fn tell, void *ctx)
{
	char line[128];
	size_t n = 0;

	for (size_t i = 0; i < u->count; i++) {
		const struct program *p = &u->program[i];

		if (!is_unhooked(p) || is_told(u, i) || n++ >= TOLD_MOST)
			continue;
		if (is_interpreter(p))
			tell_interpreter(u, i, tell, ctx);
		else
			tell_program(u, p, tell, ctx);
	}
	tell_probed(u, tell, ctx);
	tell_twice(u, tell, ctx);
	if (n <= TOLD_MOST)
		return;
	snprintf(line, sizeof(line),
		 "%zu more processes ran a runtime without that library, for "
		 "similar reasons",
		 n - TOLD_MOST);
	tell(ctx, line);
}

bool gn_unseen_hooked(const struct gn_unseen *u)
{
	return u->methods.hooked;
}

const struct gn_runtime *gn_unseen_valueless(const struct gn_unseen *u)
{
	return u->valueless;
}

struct gn_unseen_methods gn_unseen_methods(const struct gn_unseen *u)
{
	struct gn_unseen_methods m = u->methods;

	for (size_t i = 0; i < u->count; i++)
		m.unhooked |= (u->program[i].runs || u->program[i].before) &&
			      !u->program[i].hooked;
	return m;
}
