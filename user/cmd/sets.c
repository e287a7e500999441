/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/outfile.h"
#include "compare/pauses.h"

static int no_memory(void)
{
	gn_error("no memory for all captures; free some, or compare fewer");
	return GN_EXIT_FAILED;
}

static void look_at(struct gn_sets *s, const struct gn_args *args,
		    const char *path, const struct gn_model *m)
{
	if (gn_model_broken(m)) {
		s->unsound = "a self-check of a capture failed";
		s->broken = true;
		gn_error("%s fails a self-check, see gnomon report -i %s; "
			 "record it again",
			 path, path);
	} else if (gn_model_lossy(m) && !args->allow_loss) {
		s->unsound = "a capture lost records";
		gn_error("%s %s; %s, or accept it with --allow-loss", path,
			 m->truncated ? gn_model_truncation(m) : "lost records",
			 m->truncated ? "what followed is lost: record it again"
				      : "record fewer functions");
	}
}

/* Checks that the capture timed the same kernel work as those before it: what
 * is not timed counts as application time. */
static void look_how(struct gn_sets *s, const char *path,
		     const struct gn_model *m)
{
	static const struct {
		const char *key, *what;
	} work[] = {{"syscalls", "system calls"}, {"faults", "page faults"}};

	_Static_assert(sizeof(work) / sizeof(work[0]) == sizeof(s->timed),
		       "one for each");
	for (size_t i = 0; i < sizeof(s->timed); i++) {
		const char *value = gn_model_info(m, work[i].key);

		if (value && s->timed[i] && s->timed[i] != *value) {
			s->comparison.unlike =
				"not all captures were made with the same --os";
			gn_error("%s was made with another --os than those "
				 "before it: time in %s is app in only some of "
				 "them; record all with the same --os",
				 path, work[i].what);
		}
		if (value && !s->timed[i])
			s->timed[i] = *value;
	}
}

/* Checks that -f named the same functions: the time of an untraced function
 * is part of its callers' time, and the function seems new or gone. 0 or
 * -ENOMEM. */
static int look_for_what(struct gn_sets *s, const char *path,
			 const struct gn_model *m)
{
	const char *asked = gn_model_info(m, "functions.asked");

	if (!asked || s->asked_unlike)
		return 0;
	if (!s->asked) {
		s->asked = strdup(asked);
		return s->asked ? 0 : -ENOMEM;
	}
	if (strcmp(s->asked, asked) != 0) {
		s->asked_unlike = true;
		gn_error("%s was made with another -f than those before it: "
			 "the time of a function that only one of them names "
			 "is its callers' time in the other, so the function "
			 "seems new or gone; record all with the same -f",
			 path);
	}
	return 0;
}

static int read_one(struct gn_sets *s, const struct gn_args *args,
		    enum gn_side side, const char *path)
{
	struct gn_pauses pauses;
	struct gn_model *m;
	int status, err;

	gn_pauses_init(&pauses);
	status = gn_load_watched(path, args, &pauses.observer, &m);
	if (!status) {
		look_at(s, args, path, m);
		if (!s->comparison.unlike)
			look_how(s, path, m);
		err = look_for_what(s, path, m);
		if (!err)
			err = gn_comparison_add(&s->comparison, side, m,
						gn_pauses_longest(&pauses));
		if (err)
			status = no_memory();
		gn_model_free(m);
	}
	gn_pauses_free(&pauses);
	return status;
}

static int read_side(struct gn_sets *s, const struct gn_args *args,
		     enum gn_side side)
{
	const struct gn_traces *t = &s->of[side];
	bool shows = !args->quiet && isatty(STDERR_FILENO) && t->n > 1;
	int status = GN_EXIT_OK;

	for (size_t i = 0; i < t->n && !status; i++) {
		if (shows)
			fprintf(stderr, "\r\033[Kgnomon: reading %zu of %zu",
				i + 1, t->n);
		status = read_one(s, args, side, t->path[i]);
	}
	if (shows)
		fputs("\r\033[K", stderr);
	return status;
}

static int find(struct gn_traces *t, const char *const *names, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = gn_traces_add(t, names[i]);
	return err;
}

/* Whether a side has a file twice. That would make its noise seem smaller. */
static bool repeats(const struct gn_traces *t)
{
	struct stat a, b;

	for (size_t i = 1; i < t->n; i++) {
		if (stat(t->path[i], &a) || !S_ISREG(a.st_mode))
			continue;
		for (size_t k = 0; k < i; k++) {
			if (stat(t->path[k], &b) || a.st_dev != b.st_dev ||
			    a.st_ino != b.st_ino)
				continue;
			gn_error("%s and %s are the same capture; name it once",
				 t->path[k], t->path[i]);
			return true;
		}
	}
	return false;
}

static bool spares(const struct gn_sets *s, const char *output)
{
	for (int side = 0; side < GN_SIDE_COUNT; side++)
		for (size_t i = 0; i < s->of[side].n; i++)
			if (gn_overwrites(output, s->of[side].path[i]))
				return false;
	return true;
}

int gn_sets_read(struct gn_sets *s, const struct gn_args *args,
		 const char *const *base, size_t nbase, const char *const *new,
		 size_t nnew, const char *junit, bool paths)
{
	int status;

	*s = (struct gn_sets){0};
	if (find(&s->of[GN_BASE], base, nbase) ||
	    find(&s->of[GN_NEW], new, nnew) ||
	    gn_comparison_begin(&s->comparison, s->of[GN_BASE].n,
				s->of[GN_NEW].n) ||
	    (paths && gn_comparison_keep_paths(&s->comparison)))
		return no_memory();
	if (!spares(s, args->output) || !spares(s, junit) ||
	    repeats(&s->of[GN_BASE]) || repeats(&s->of[GN_NEW]))
		return GN_EXIT_USAGE;
	status = read_side(s, args, GN_BASE);
	if (!status)
		status = read_side(s, args, GN_NEW);
	if (!status && gn_comparison_end(&s->comparison))
		status = no_memory();
	return status;
}

void gn_sets_clear(struct gn_sets *s)
{
	gn_comparison_clear(&s->comparison);
	free(s->asked);
	for (int side = 0; side < GN_SIDE_COUNT; side++)
		gn_traces_free(&s->of[side]);
}
