/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/native.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/path.h>
#include "runtime/runtime.h"

struct walk {
	const struct gn_files *files;
	const struct gn_native_opts *opts;
	struct gn_elf **elf; /* per file; NULL: not opened, or not readable */
	/* Only those who run the program map it; anyone can map a library. */
	struct gn_planner *program;
	struct gn_planner *library;
	struct gn_planner *rets; /* for functions with sleds; or NULL */
	struct gn_sled *sled;	 /* of the current file, by address */
	size_t nsleds;
	/* globs of the current file's functions that are left out, or NULL */
	const char *const *around;
	gn_native_fn each;
	void *ctx;
	struct gn_native_stats *stats;
};

/* A library that cannot be read has no functions. A program that cannot be read
 * is an error. */
static int open_file(struct walk *w, size_t i)
{
	const struct gn_file *file = &w->files->file[i];
	char place[GN_FILE_PLACE];
	int err = -EACCES;

	if (w->elf[i])
		return 0;
	if (file->fd >= 0)
		err = gn_elf_open_as(gn_file_place(file->fd, place), file->path,
				     &w->elf[i]);
	if (err)
		w->elf[i] = NULL;
	/* a file that is not ELF, such as managed code, has nothing to read,
	 * nor has memory in which a runtime puts what it compiles */
	if (err && err != -ENOEXEC && strncmp(file->path, "/memfd:", 7) &&
	    !w->stats->unread)
		w->stats->unread = file->path;
	return err == -ENOMEM || !i ? err : 0;
}

static void open_world(struct walk *w, const char *why)
{
	gn_planner_open_world(w->program, why);
	gn_planner_open_world(w->library, why);
}

/* A static program has no libraries, so a missing list is no failure. Libraries
 * under musl are never listed: that is safe, and gets no message. */
static void look_at_list(struct walk *w)
{
	const char *linker = w->elf[0] ? gn_elf_interp(w->elf[0]) : NULL;

	if (!w->files->unlisted || !linker)
		return;
	if (!strstr(linker, "/ld-musl-"))
		w->stats->unlisted = w->files->file[0].path;
	open_world(w, "its libraries cannot be listed");
}

static int scan_files(struct walk *w)
{
	size_t n = 0;
	struct gn_elf **all = calloc(w->files->count + 1, sizeof(*all));
	int err = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; !err && i < w->files->count; i++) {
		err = open_file(w, i);
		if (w->elf[i])
			all[n++] = w->elf[i];
	}
	if (!err)
		err = gn_planner_scan(w->program, all, n);
	gn_planner_share(w->library, w->program);
	look_at_list(w);
	if (n < w->files->count)
		open_world(w, "a mapped file is not readable");
	if (w->files->loose_code)
		open_world(w, "it has code that is in no file");
	/* the dynamic linker does not list the libraries of LD_AUDIT */
	if (getenv("LD_AUDIT"))
		open_world(w, "LD_AUDIT adds libraries to it");
	free(all);
	return err;
}

/* Makes the planners. They look at the files only if leaves are to be
 * proved. */
static int make_planners(struct walk *w)
{
	int err;

	w->program = gn_planner_new(w->opts->leave);
	w->library = gn_planner_new(w->opts->leave);
	if (!w->program || !w->library)
		return -ENOMEM;
	if (w->opts->later) {
		open_world(w, "it is mapped while it is traced");
		return 0;
	}
	if (w->opts->leave == GN_LEAVE_AUTO) {
		err = scan_files(w);
		if (err)
			return err;
	}
	if (w->opts->library)
		gn_planner_open_world(w->library,
				      "any program can map the library");
	else if (!w->opts->return_is_private)
		gn_planner_open_world(w->library,
				      "other processes map the library");
	else if (w->opts->follow)
		gn_planner_open_world(w->library,
				      "children can map the library");
	return 0;
}

static struct gn_planner *planner_of(const struct walk *w, size_t file)
{
	return w->files->file[file].program && !w->opts->library ? w->program
								 : w->library;
}

static bool is_stepped(const struct gn_plan *plan)
{
	for (size_t i = 0; i < plan->nleaves; i++)
		if (plan->leaves[i].cost == GN_COST_STEPPED)
			return true;
	return false;
}

/* The function's sleds. */
static const struct gn_sled *
sleds_of(const struct walk *w, const struct gn_elf_symbol *sym, size_t *n)
{
	size_t lo = 0, hi = w->nsleds;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->sled[mid].addr < sym->addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < w->nsleds &&
		     w->sled[lo + *n].addr - sym->addr < sym->size;)
		++*n;
	return &w->sled[lo];
}

/* Plans a function with sleds. Its probes are at its own leaves then. `plan`
 * stays empty if no plan with sleds is possible. */
static int plan_sleds(struct walk *w, size_t file,
		      const struct gn_elf_symbol *sym, struct gn_plan *plan)
{
	size_t n = 0;
	const struct gn_sled *sled = w->nsleds ? sleds_of(w, sym, &n) : NULL;
	int err;

	if (!n)
		return 0;
	if (!w->rets)
		w->rets = gn_planner_new(GN_LEAVE_RET);
	if (!w->rets)
		return -ENOMEM;
	err = gn_planner_plan(w->rets, w->elf[file], sym, plan);
	if (err)
		return err;
	if (!plan->refused && gn_planner_sleds_fit(w->rets, plan, sled, n)) {
		plan->sleds = sled;
		plan->nsleds = n;
	} else {
		gn_plan_clear(plan);
	}
	return 0;
}

/* Whether `probes` is the better plan. If the sleds do not report the end of a
 * call, probes at the function's own leaves do. If these are single-stepped, a
 * call costs ten times as much as with probes that are not. */
static bool is_better(const struct walk *w, const struct gn_plan *sleds,
		      const struct gn_plan *probes)
{
	if (!sleds->nsleds)
		return true;
	return !gn_plan_sleds_end(sleds) && !probes->refused &&
	       (w->opts->leave == GN_LEAVE_RETURN ||
		(is_stepped(sleds) && !is_stepped(probes)));
}

static int plan_function(struct walk *w, size_t file,
			 const struct gn_elf_symbol *sym, struct gn_plan *plan)
{
	struct gn_planner *p = planner_of(w, file);
	bool result = w->opts->result && w->opts->result(w->opts->results, file,
							 w->elf[file], sym);
	struct gn_plan probes;
	int err = result ? 0 : plan_sleds(w, file, sym, plan);

	gn_planner_at_exits(p, result);
	if (!err)
		err = gn_planner_plan(p, w->elf[file], sym, &probes);
	if (err)
		return err;
	if (is_better(w, plan, &probes)) {
		gn_plan_clear(plan);
		*plan = probes;
	} else {
		gn_plan_clear(&probes);
	}
	return 0;
}

/* Functions of an interpreter that call gnomon's hook: a function of the
 * program begins within such a call and goes on after it, or the other way
 * round. */
static bool is_around(const struct walk *w, const struct gn_elf_symbol *sym)
{
	for (size_t i = 0; w->around && w->around[i]; i++)
		if (!fnmatch(w->around[i], sym->name, 0))
			return true;
	return false;
}

static int one_function(struct walk *w, size_t file,
			const struct gn_elf_symbol *sym)
{
	struct gn_plan plan = {0};
	int err = w->program ? 0 : make_planners(w);

	if (!err && is_around(w, sym))
		plan = (struct gn_plan){.leave = GN_LEAVE_RET,
					.reason = "",
					.refused = "it calls gnomon's hook"};
	else if (!err)
		err = plan_function(w, file, sym, &plan);
	if (err)
		return err;
	w->stats->functions++;
	if (plan.refused)
		w->stats->refused++;
	else if (plan.leave == GN_LEAVE_RETURN)
		w->stats->by_return++;
	else
		w->stats->by_ret++;
	w->stats->stepped += !plan.refused && is_stepped(&plan);
	w->stats->dear += !plan.refused && is_stepped(&plan) && plan.dear;
	w->stats->begins += !plan.refused && plan.enter.cost == GN_COST_STEPPED;
	err = w->each(w->ctx, file, w->elf[file], sym, &plan);
	gn_plan_clear(&plan);
	return err;
}

static int one_usdt(void *ctx, size_t file, const struct gn_note *site,
		    size_t count)
{
	struct walk *w = ctx;

	w->stats->usdt++;
	return w->opts->usdt(w->ctx, file, w->elf[file], site, count);
}

/* Sleds that are not as compilers make them are ignored. */
static int read_sleds(struct walk *w, size_t file)
{
	char place[GN_FILE_PLACE];
	size_t broken;
	int err;

	free(w->sled);
	w->sled = NULL;
	w->nsleds = 0;
	if (!w->opts->sleds)
		return 0;
	err = gn_sleds_read(gn_file_place(w->files->file[file].fd, place),
			    &w->sled, &w->nsleds, &broken);
	return err == -ENOMEM ? err : 0;
}

static int one_file(struct walk *w, size_t file)
{
	const char *path = w->files->file[file].path;
	const struct gn_runtime *rt = gn_runtime_with_interpreter(path);
	bool program = w->files->file[file].program;
	const struct gn_elf_symbol *syms, *taken = NULL; /* the last one */
	size_t n = gn_elf_symbols(w->elf[file], &syms);
	int err = read_sleds(w, file);

	w->around = rt ? rt->around : NULL;
	if (gn_elf_stripped(w->elf[file])) {
		bool mini = gn_elf_has_section(w->elf[file], ".gnu_debugdata");

		gn_filter_strip(w->opts->filter, path, program, mini);
		if (!w->stats->stripped) {
			w->stats->stripped = path;
			w->stats->symbols = gn_elf_is_go(w->elf[file])
						    ? GN_GO_TEXT
						    : GN_MINI_TEXT(mini);
			w->stats->stripped_program = program;
		}
	}
	if (!w->stats->aot && gn_elf_has_section(w->elf[file], GN_AOT_SECTION))
		w->stats->aot = path;
	for (size_t i = 0; !err && i < n; i++) {
		if (syms[i].is_ifunc)
			gn_filter_ifunc(w->opts->filter, path, program,
					syms[i].name);
		if (syms[i].is_cold || syms[i].is_ifunc ||
		    !gn_filter_function(w->opts->filter, path, program,
					syms[i].name, syms[i].demangled) ||
		    /* aliases follow one another */
		    (taken && taken->addr == syms[i].addr))
			continue;
		taken = &syms[i];
		err = one_function(w, file, taken);
	}
	return err;
}

static int walk_file(struct walk *w, size_t i)
{
	const struct gn_file *file = &w->files->file[i];
	struct gn_filter *filter = w->opts->filter;
	unsigned int takes = gn_filter_file(filter, file->path, file->program);
	int err = takes || !i ? open_file(w, i) : 0;

	if (err || !w->elf[i])
		return err;
	if (takes & GN_TAKES_FUNCTIONS)
		err = one_file(w, i);
	if (!err && takes & GN_TAKES_USDT && w->opts->usdt)
		err = gn_usdt_walk(w->files, i, filter, one_usdt, w,
				   &w->stats->left);
	return err;
}

/* What the handlers of C++, and catch_unwind() of Rust, call as they begin. */
static bool begins_handler(const struct gn_elf_symbol *sym)
{
	static const char cxx[] = "__cxa_begin_catch", rust[] = "::cleanup";
	size_t len = strlen(sym->demangled);

	if (!strcmp(sym->name, cxx))
		return true;
	return !strncmp(sym->demangled, "std::panicking::", 16) &&
	       !strcmp(sym->demangled + len - strlen(rust), rust);
}

static bool has_handlers(const char *path)
{
	static const char *const libraries[] = {"libstdc++.", "libc++abi.",
						"libc++.", "libstd-"};
	const char *name = gn_base_name(path);

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (!strncmp(name, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

static int one_landing(struct walk *w, size_t file,
		       const struct gn_elf_symbol *sym)
{
	struct gn_plan plan;
	int err;

	if (!w->rets)
		w->rets = gn_planner_new(GN_LEAVE_RET);
	if (!w->rets)
		return -ENOMEM;
	err = gn_planner_plan(w->rets, w->elf[file], sym, &plan);
	if (err)
		return err;
	if (!plan.refused)
		err = w->opts->landing(w->ctx, file, &plan.enter);
	gn_plan_clear(&plan);
	return err;
}

static int landings_of(struct walk *w, size_t file)
{
	const struct gn_elf_symbol *sym, *taken = NULL;
	size_t n;
	int err = 0;

	if (!w->elf[file] && has_handlers(w->files->file[file].path))
		err = open_file(w, file);
	n = w->elf[file] ? gn_elf_symbols(w->elf[file], &sym) : 0;
	for (size_t i = 0; !err && i < n; i++) {
		if (!begins_handler(&sym[i]) ||
		    (taken && taken->addr == sym[i].addr))
			continue;
		taken = &sym[i];
		err = one_landing(w, file, taken);
	}
	return err;
}

/* Where an exception goes on, the calls that it has left are over. */
static int walk_landings(struct walk *w)
{
	int err = 0;

	if (!w->opts->landing || !w->stats->functions)
		return 0;
	for (size_t i = 0; !err && i < w->files->count; i++)
		err = landings_of(w, i);
	return err;
}

/* For a script, the libraries are those of its interpreter and of what it
 * starts. What else these map is not known. */
static int walk_libraries(struct walk *w)
{
	const struct gn_native_opts *usual = w->opts;
	struct gn_native_opts opts = *usual;
	int err = 0;

	opts.later = true;
	w->opts = &opts;
	for (size_t i = 1; !err && i < w->files->count; i++)
		err = walk_file(w, i);
	w->opts = usual;
	return err ?: -ENOEXEC;
}

static int walk_files(struct walk *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->files->count; i++)
		err = walk_file(w, i);
	if (err == -ENOEXEC)
		err = walk_libraries(w);
	else if (w->program && w->library)
		snprintf(w->stats->verdict, sizeof(w->stats->verdict), "%s",
			 gn_planner_verdict(planner_of(w, 0)));
	return err;
}

int gn_native_walk(const struct gn_files *files,
		   const struct gn_native_opts *opts, gn_native_fn each,
		   void *ctx, struct gn_native_stats *stats)
{
	struct walk w = {.files = files,
			 .opts = opts,
			 .each = each,
			 .ctx = ctx,
			 .stats = stats};
	int err;

	memset(stats, 0, sizeof(*stats));
	w.elf = calloc(files->count + 1, sizeof(struct gn_elf *));
	if (!w.elf)
		return -ENOMEM;
	err = walk_files(&w);
	if (!err || err == -ENOEXEC)
		err = walk_landings(&w) ?: err;
	gn_planner_free(w.program);
	gn_planner_free(w.library);
	gn_planner_free(w.rets);
	free(w.sled);
	for (size_t i = 0; i < files->count; i++)
		if (w.elf[i])
			gn_elf_close(w.elf[i]);
	free(w.elf);
	return err;
}

void gn_native_add(struct gn_native_stats *to,
		   const struct gn_native_stats *from)
{
	to->functions += from->functions;
	to->usdt += from->usdt;
	to->by_return += from->by_return;
	to->by_ret += from->by_ret;
	to->stepped += from->stepped;
	to->dear += from->dear;
	to->begins += from->begins;
	to->refused += from->refused;
}

const char *gn_native_unknown(const struct gn_native_stats *stats,
			      char text[GN_NATIVE_TEXT])
{
	const char *path = stats->unlisted ?: stats->unread;
	const char *what =
		stats->unlisted
			? "the libraries of '%.*s' cannot be listed, so gnomon "
			  "assumes that they unwind stacks; run ld.so --list "
			  "on it as the command's user to see why"
			: "'%.*s' cannot be read, so gnomon does not know its "
			  "functions and assumes that they unwind stacks";

	if (!path)
		return NULL;
	snprintf(text, GN_NATIVE_TEXT, what, PATH_MAX, path);
	return text;
}

const char *gn_native_aot(const struct gn_native_stats *stats, const char *glob)
{
	return strchr(glob, ':') ? NULL : stats->aot;
}

const char *gn_native_stripped(const struct gn_native_stats *stats,
			       const char *glob)
{
	return stats->stripped_program && !strchr(glob, ':') ? stats->stripped
							     : NULL;
}

const char *gn_native_aot_todo(const struct gn_native_stats *stats)
{
	return stats->stripped == stats->aot
		       ? "without its symbols; put the .dbg file that dotnet "
			 "publish writes beside it"
		       : "its methods are called Assembly_Namespace_Type__"
			 "Method; give -f '*Type__Method*'";
}

static bool has_path(const struct gn_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(files->file[i].path, path))
			return true;
	return false;
}

/* Ignores a library that does not exist or is not one. A file is not `asked`
 * for if a traced process has another file at its path, as in a container or
 * after an update. */
static int add_path(struct gn_files *files, const char *path)
{
	size_t before = files->count, at;
	bool asked = !has_path(files, path);
	int err = gn_files_add(files, path, false, &at);

	if (files->count > before)
		files->file[at].asked = asked;
	return err == -ENOMEM || err == -E2BIG || err == -EMFILE ||
			       err == -ENFILE
		       ? err
		       : 0;
}

static int add_library(struct gn_files *files, const char *lib)
{
	static const char *const dirs[] = {"/lib/x86_64-linux-gnu", "/lib64",
					   "/usr/lib/x86_64-linux-gnu",
					   "/usr/lib", "/usr/local/lib"};
	char path[512];

	if (strpbrk(lib, "*?["))
		return 0;
	if (strchr(lib, '/'))
		return add_path(files, lib);
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(gn_base_name(files->file[i].path), lib))
			return 0;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], lib);
		if (!access(path, R_OK))
			return add_path(files, path);
	}
	return 0;
}

/* The planner of its sites reports a core that cannot be read. */
static int add_cores(struct gn_files *files, const char *program,
		     const struct gn_filter *f)
{
	const struct gn_runtime *rt;
	char core[PATH_MAX];
	int err = 0;

	for (size_t i = 0; err != -ENOMEM && (rt = gn_runtime_at(i)); i++)
		if (rt->find_core && gn_runtime_starts(rt, program) &&
		    !rt->find_core(program, core) &&
		    gn_filter_file(f, core, false))
			err = gn_files_add(files, core, false, NULL);
	return err == -ENOMEM ? err : 0;
}

int gn_native_libraries(struct gn_files *files, const char *program,
			const struct gn_filter *f)
{
	bool past = false;
	int err = program ? add_cores(files, program, f) : 0;

	for (size_t i = 0; !err; i++) {
		const char *lib = gn_filter_library(f, i, &past);

		if (past)
			break;
		if (lib)
			err = add_library(files, lib);
	}
	return err;
}
