/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readable record streams. A line is a record, a directive or a truth; `#`
 * begins a comment, "..." holds blanks.
 *
 *   function NAME [module=M] [return] [enter=PROBE] [leave=PROBE]
 *       a native function; `return`: its leaves come from return probes
 *   TIME tTID KIND [f=FUNC] [key=K] [os=NS] [os-event] [in-probe] [in-doubt]
 * [seq=N] ... FUNC is a NAME, RUNTIME:INDEX or 0; KIND is as in kind.h, with
 *       thread|exec|rename [pid=P] [parent=T] [comm=C]
 *       slice [start=T] [class=C] [reason=SYSCALL] [waker=T]    wake [woken=T]
 *       os-ns [ns=N]    stack [lo=A] [hi=A]
 *       cost probe=PROBE n=SAMPLES before=N after=N spread=N
 *            turn=N
 *       kernel [kernel-cpu=N] [kernel-delay=N] [cpu=N] [delay=N]
 *           [cpu-apart=N] [delay-apart=N] [irq=N] [stolen=N] [switches=N]
 *           [drift=N] [span=N]    sched: the first five, for old files
 *       name f=FUNC pid=P name=N [module=M]
 *       module id=I name=N    info name=K value=V    count id=I n=N
 *       session [end=T]
 *   lose tTID [N | slices=N]    so many numbers of the thread are skipped
 *   reuse tTID                  its numbers begin again
 *   expect [exact|interval|raw] OBJECT FIELD=VALUE ...    see expect.h
 */
#ifndef GNOMON_TESTS_PARSE_H
#define GNOMON_TESTS_PARSE_H

#include "expect.h"
#include "stream.h"

#define SCRIPT_FUNCTIONS 64
#define SCRIPT_EXPECTS	 128
#define SCRIPT_WORDS	 32

struct script {
	struct stream stream;
	char *text; /* contains all words */
	struct {
		const char *name;
		uint32_t func;
	} functions[SCRIPT_FUNCTIONS];
	size_t nfunctions;
	struct expect expects[SCRIPT_EXPECTS];
	size_t nexpects;
	size_t line; /* of the error */
	const char *error;
};

/* 0; -EINVAL with line and error set; or the errno of reading the file. */
int script_read(const char *path, struct script *s);
/* The same; prints the error to stderr. */
int script_load(const char *path, struct script *s);
void script_free(struct script *s);

#endif
