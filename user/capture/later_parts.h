/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of later.c share. */
#ifndef GNOMON_CAPTURE_LATER_PARTS_H
#define GNOMON_CAPTURE_LATER_PARTS_H

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "capture/later.h"
#include "capture/session_internal.h"
#include "process/mapped.h"
#include "runtime/native.h"

/* More news at once can only come from a hostile target. */
#define GN_NEWS_MAX 65536
/* With so many, one LOOK of a process is enough. */
#define GN_LOOKS_MAX 1024
/* How many programs without a requested function are remembered, so that they
 * are planned only once. */
#define GN_PLAIN_MAX 256
/* How many ended processes are remembered. */
#define GN_ENDED_MAX 256

/* What happened to a process. LOOK: it has mapped a library. GATE: it waits
 * before it starts a program. */
enum gn_later_kind {
	GN_NEWS_PROCESS,
	GN_NEWS_PROGRAM,
	GN_NEWS_LOOK,
	GN_NEWS_GATE,
	GN_NEWS_END
};

struct gn_later_news {
	enum gn_later_kind kind;
	pid_t pid;
	bool anew;	/* PROGRAM: the process has another leader */
	bool again;	/* LOOK: the process is not known yet */
	uint64_t since; /* when it happened */
	uint64_t due;	/* not handled before this time; 0: at once */
	/* LOOK: what it has mapped; all 0 and NULL: not known. Owns `path`, for
	 * which there can have been no room. GATE: the program. */
	struct gn_file_id file;
	char *path;
	int fd, gate; /* GATE: the program's file, and who waits; owned */
	/* PROGRAM: start of its file's name, may lack its NUL; empty: the
	 * command */
	char comm[16];
};

/* A program that ended before it was looked at. */
struct gn_later_gone {
	char comm[16];
	pid_t pid;
	uint64_t since, until;
};

/* A traced process that has ended. */
struct gn_later_ended {
	pid_t pid;
	uint64_t time, late_until;
};

struct gn_later_plain {
	struct gn_file_id id;
	/* as fstat() says: a changed file is looked at again */
	dev_t dev;
	ino_t ino;
	struct timespec changed;
};

/* A process that is traced. */
struct gn_later_process {
	pid_t pid;
	size_t linked;	     /* how many groups of probes were handled for it */
	uint64_t late_until; /* counted as late up to here, see UNPROBED */
	uint64_t headless; /* since when its leader has ended; 0: it has not */
};

struct gn_later {
	struct gn_session *session;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int event; /* wakes the session's thread for records */
	struct gn_mapped *mapped;
	int poll; /* an epoll of `event` and `mapped` */
	bool quit;
	_Atomic uint64_t stopped; /* when it was stopped; 0: it was not */

	/* under the lock */
	struct gn_later_process *process;
	size_t nprocesses, processes_room;
	struct gn_later_ended ended[GN_ENDED_MAX];
	unsigned nended;
	struct gn_later_news *news;
	size_t nnews, news_room;
	/* all records from before this time were taken; somebody waits for
	 * those from before `asked` */
	uint64_t caught_up, asked;
	char *out; /* records for the stream */
	size_t out_size, out_room;
	bool privates; /* some files' links are of single processes */
	struct gn_later_plain plain[GN_PLAIN_MAX];
	unsigned nplain;
	uint64_t late, late_ns;
	char other[GN_LATER_OTHER]; /* see gn_later_other(); "": none */
	/* when news first found no room, or gnomon first lacked something; 0 =
	 * never */
	uint64_t overrun;
	/* the first time of which an UNPROBED record, or a file, found no
	 * memory; 0 = never */
	uint64_t untold;
	/* programs that processes started, and those that were looked at before
	 * they began (gate.c) */
	unsigned programs, passed;
	struct gn_links *over;	    /* of processes that have ended */
	pthread_cond_t ends, ready; /* there are such; they were taken */
	/* the number of a file that has its MODULE record, and for which there
	 * was no memory then; 0: none */
	uint32_t lost;

	/* of the thread that removes links; `removes`: it runs */
	pthread_t remover;
	struct gn_links *removed;
	bool removes;

	/* used by the thread alone */
	struct gn_links *links;
	struct gn_files files; /* those that have functions */
	struct gn_probes probes;
	struct gn_functions functions;
	struct gn_native_stats stats;
	char *narrow;	/* the first 32-bit program that was found; or NULL */
	bool failed;	/* something was lacking */
	size_t refused; /* functions that the kernel refused, for any process */
	char cut_off[16]; /* see gn_later_cut_off(); empty: none was */
	struct gn_later_gone gone[GN_ENDED_MAX];
	unsigned ngone;
};

/* later_plan.c, later_news.c. If gnomon lacks something, calls from `since` on
 * are missing for good. */
void gn_later_fail(struct gn_later *l, int err, uint64_t since);
bool gn_later_stopping(struct gn_later *l);

/* later_gate.c. Gives the program its probes, and opens the gate. */
void gn_later_pass(struct gn_later *l, struct gn_later_news *n);
/* After the stop: nobody waits any more. */
void gn_later_let_go(struct gn_later *l);

/* later_files.c. Gives a program that is not started yet its probes. May take
 * over `file`. */
void gn_later_take_program(struct gn_later *l, struct gn_file *file,
			   const struct gn_later_news *n);
/* Gives the files that a process has mapped their probes. */
void gn_later_take_files(struct gn_later *l, const struct gn_later_news *n);
/* The same for a LOOK, if the process is a traced one. */
void gn_later_look_at(struct gn_later *l, struct gn_later_news *n);
/* Counts a library that a traced process had mapped and that could not be
 * probed, because the process has ended or has unmapped it. */
void gn_later_miss_library(struct gn_later *l, const struct gn_later_news *n);
/* The files that a process has mapped. 0 or -errno. */
int gn_later_files_of(pid_t pid, struct gn_files *files);

/* later_links.c. Writes the records of a file's functions, whose groups of
 * probes are those from `from` on, then attaches them. */
void gn_later_attach(struct gn_later *l, struct gn_file *file, size_t from);
/* Attaches the links of single processes that this process does not have yet.
 */
void gn_later_link(struct gn_later *l, pid_t pid);
/* The same for all, because another thread became the leader of its process,
 * and the links belonged to the old leader. */
void gn_later_link_anew(struct gn_later *l, pid_t pid);
/* Removes the process's own links. */
void gn_later_unlink(struct gn_later *l, pid_t pid);
/* Records that the process (0: any) could have called every function that has
 * links of single processes. */
void gn_later_miss(struct gn_later *l, pid_t pid, uint64_t since);
/* Whether the session has links of single processes. */
bool gn_later_has_privates(const struct gn_session *s);

/* later_ended.c. Removes the links of a process that has ended, without waiting
 * for it. new(): 0 or -ENOMEM. free() waits for what it has begun, and moves
 * the rest to `links` (NULL: removes it). */
int gn_later_ended_new(struct gn_later *l);
void gn_later_unlink_ended(struct gn_later *l, pid_t pid);
void gn_later_ended_free(struct gn_later *l, struct gn_links *links);

/* later_news.c. Call these with the lock held. find(): NULL: the process is not
 * traced. add(): 1; 0: it was there already; or -ENOMEM. */
struct gn_later_process *gn_later_find(struct gn_later *l, pid_t pid);
int gn_later_add(struct gn_later *l, pid_t pid, size_t linked);
void gn_later_tell(struct gn_later *l, const struct gn_later_news *n);
/* The same for a GATE, or LOOK again: the stream is read first. */
void gn_later_ask(struct gn_later *l, const struct gn_later_news *n);
/* Frees what the news owns; who waits for it goes on. */
void gn_later_forget(struct gn_later_news *n);
void gn_later_look(struct gn_later *l, const struct gn_mapped_file *mapped,
		   pid_t pid);
/* With the lock held: from then on calls are missing, up to the end. */
void gn_later_overrun(struct gn_later *l, uint64_t since);
/* Queues a LOOK for each library that was mapped and can have functions. */
void gn_later_take_mapped(struct gn_later *l);
/* Takes the next item that is due: new processes come first, ends last. False:
 * none is due; `due` is then the time of the next one. */
bool gn_later_next(struct gn_later *l, struct gn_later_news *out,
		   uint64_t *due);
void gn_later_await(struct gn_later *l, uint64_t due);
/* Without the lock, for END: go_on() if only the leader has ended, end() if the
 * other threads have ended, too. */
void gn_later_go_on(struct gn_later *l, const struct gn_later_news *end);
void gn_later_end(struct gn_later *l, const struct gn_later_news *end);

/*
 * Without the lock. Returns the first group of probes that the process does not
 * have; all groups up to `all` are handled now. SIZE_MAX: it is not traced any
 * more.
 */
size_t gn_later_take_groups(struct gn_later *l, pid_t pid, size_t all);
bool gn_later_traced(void *later, pid_t pid);
/* With the lock held: late_until of the process that had the number at `at`,
 * NULL if it is not known. *end becomes the end of that process if that was
 * earlier. */
uint64_t *gn_later_until(struct gn_later *l, pid_t pid, uint64_t at,
			 uint64_t *end);
/* Whether a traced process had the number at that time, and has ended. */
bool gn_later_was_traced(struct gn_later *l, pid_t pid, uint64_t at);

/* later_late.c. The time now, but not later than the stop. */
uint64_t gn_later_until_now(const struct gn_later *l);
/* Counts a process that could have called functions before they were attached,
 * from `since` to `until` or its end. Time in which several files had no probes
 * counts once. */
void gn_later_count_late(struct gn_later *l, pid_t pid, uint64_t since,
			 uint64_t until);
/* The same for the kept file of that index; also emits its UNPROBED record. */
void gn_later_miss_file(struct gn_later *l, size_t index, pid_t pid,
			uint64_t since, uint64_t until);
/* The time up to which a process, which had the number at `since`, was recorded
 * as running without probes. 0: it was not, or that is not known. */
uint64_t gn_later_told(struct gn_later *l, pid_t pid, uint64_t since);
/* The process maps a kept file, which another process mapped first. `told`:
 * what gn_later_told() returned before any of the process's files was looked
 * at. */
void gn_later_again(struct gn_later *l, size_t index,
		    const struct gn_later_news *n, uint64_t told);
/* Notes in `named` whether the file's path leads to it. */
void gn_later_note_name(struct gn_file *file);
/* The same for a file of either list, which has that MODULE record. */
void gn_later_miss_module(struct gn_later *l, const struct gn_file *file,
			  uint32_t module, pid_t pid, uint64_t since,
			  uint64_t until);
/* Whether the file's path leads to it. */
bool gn_later_is_there(const struct gn_file *file);
/* The number of the MODULE record of a kept file; the session's come first. */
uint32_t gn_later_module(const struct gn_later *l, size_t index);

/* later_gone.c. A program ended, or the session did, before gnomon could look
 * at what it had mapped. Its name says which file it ran: one that has probes
 * by now, one that gets some later, or one that took the path of such a file.
 */
void gn_later_ended_early(struct gn_later *l, const struct gn_later_news *n);
/* The stop came before a program's file had its probes. Programs that ran it
 * without are counted, such as those that did not wait longer at the gate. */
void gn_later_cut_off(struct gn_later *l, const char *path);
/* The kept file has its probes: counts programs that ended before that. */
void gn_later_miss_gone(struct gn_later *l, size_t index);

/* later_stream.c. Adds a record for the stream. 0, -ECANCELED: the capture
 * ends, or -ENOMEM. */
int gn_later_put(void *later, const struct gn_rec *rec, size_t size);
/* Emits a record that calls of a file's functions are missing. `by_path`: see
 * GN_F_BY_PATH. Also works after the stop. */
void gn_later_put_unprobed(struct gn_later *l, uint32_t module, bool by_path,
			   pid_t pid, uint64_t since, uint64_t until);
/* After the stop, in the session's thread: if such a record found no memory,
 * hands the stream one of each file instead. */
void gn_later_tell_untold(struct gn_later *l);
/* A file with that number has its MODULE record, and gets no probes. */
void gn_later_lose(struct gn_later *l, uint32_t module, uint64_t since);
/* Waits until the stream has what was put; false: it never will. */
bool gn_later_await_stream(struct gn_later *l);

/*
 * later_plan.c. gn_later_lacks(): whether an error says that gnomon lacks
 * something. gn_later_plan() adds the probes of a file's functions. 1; 0: it
 * has none; -ECANCELED: it has some, and the capture ends; -errno: gnomon lacks
 * something for it.
 */
bool gn_later_lacks(int err);
int gn_later_plan(struct gn_later *l, struct gn_file *file,
		  struct gn_probes *probes);
bool gn_later_is_plain(struct gn_later *l, const struct stat *st);
void gn_later_note_plain(struct gn_later *l, const struct gn_file_id *id,
			 const struct stat *st);
/* A file that was written since it had probes does not count. */
bool gn_later_has_file(const struct gn_later *l, const struct gn_files *files,
		       const struct gn_file_id *id);
/* Whether the file's functions are probed, or it has none. */
bool gn_later_knows_file(const struct gn_later *l, const struct gn_file_id *id);

#endif
