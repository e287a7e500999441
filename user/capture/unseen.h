/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what was requested and not seen: programs that ran a runtime without
 * its hook-site library, and -f globs that matched nothing. It uses the records
 * as they are drained, so even the shortest program counts. A runtime is
 * recognised by the name of one of its threads (struct gn_runtime), its library
 * by the RUNTIME record that its load causes. A runtime that has no library
 * counts as traced when names of its functions come.
 */
#ifndef GNOMON_CAPTURE_UNSEEN_H
#define GNOMON_CAPTURE_UNSEEN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

struct gn_asked;
struct gn_files;
struct gn_filter;
struct gn_native_stats;
struct gn_runtime;
struct gn_setter_begun;
struct gn_setter_late;
struct gn_unseen;

/* A line for people: WHAT; WHAT TO DO. */
typedef void (*gn_unseen_fn)(void *ctx, const char *line);

/* `uid`: the command's user; `attached`: processes that ran before are traced,
 * not a command; `named`: -f names methods, which get hooks; `asked`, which is
 * not copied: whose values are requested. NULL: no memory. */
struct gn_unseen *gn_unseen_new(uint32_t uid, bool attached, bool named,
				const struct gn_asked *asked, size_t nasked);
void gn_unseen_free(struct gn_unseen *u);

/* Notes that a process that gnomon is attached to runs a runtime without a
 * library. */
void gn_unseen_running(struct gn_unseen *u, uint32_t pid,
		       const struct gn_runtime *rt);

/* Notes that such a runtime lacks sites of its own. */
void gn_unseen_siteless(struct gn_unseen *u, const struct gn_runtime *rt);

/* Notes in which processes a runtime without a library got its options too
 * late. */
void gn_unseen_late(struct gn_unseen *u, const struct gn_setter_late *late);

/* Notes in which processes such a runtime began, so that its own sites report
 * it. */
void gn_unseen_begun(struct gn_unseen *u, const struct gn_setter_begun *begun);

/* Takes each record of the kernel side, in order. `filter` learns which of its
 * globs match names of a runtime. */
void gn_unseen_record(struct gn_unseen *u, const struct gn_rec *rec,
		      struct gn_filter *filter);

/* Reports the runtimes. */
void gn_unseen_runtimes(const struct gn_unseen *u, gn_unseen_fn tell,
			void *ctx);

/* Whether a program of the capture ran the runtime. */
bool gn_unseen_began(const struct gn_unseen *u, const struct gn_runtime *rt);

/* Reports those whose functions have hooks, but that had no probes of their
 * own, which tell of all else. */
void gn_unseen_silent(const struct gn_unseen *u, gn_unseen_fn tell, void *ctx);

/* Whether a runtime of the capture has gnomon's hook-site library. */
bool gn_unseen_hooked(const struct gn_unseen *u);

/* A runtime that gives no values, though methods were seen whose values were
 * requested; NULL: there was none. */
const struct gn_runtime *gn_unseen_valueless(const struct gn_unseen *u);

/* What is reported about such a runtime. */
#define GN_VALUELESS_TEXT \
	"-a records only the calls of its methods, not their values"

/*
 * Writes a line for an interpreter, where -f may have named a function of a
 * script: the language that the program runs, by its name, and where its
 * interpreter is, which can be a library among `files`. False: the program is
 * not a known interpreter.
 */
#define GN_LANGUAGE_LINE (PATH_MAX + 3 * NAME_MAX)
bool gn_unseen_language(const char *program, const struct gn_files *files,
			char line[GN_LANGUAGE_LINE]);

/* The language that such a program runs, if it is no interpreter that gnomon
 * can trace; or NULL. */
const char *gn_unseen_language_of(const char *program);

/* Reports each glob that matched nothing. `files`: of the program. light:
 * methods are not traced. */
void gn_unseen_globs(const struct gn_unseen *u, const struct gn_filter *filter,
		     const struct gn_native_stats *native,
		     const struct gn_files *files, bool light,
		     gn_unseen_fn tell, void *ctx);

#endif
