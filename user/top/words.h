/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of batch mode and JSON. */
#ifndef GNOMON_TOP_WORDS_H
#define GNOMON_TOP_WORDS_H

#include "top/top.h"

/* Room for a time in gn_top_time_text(). */
#define GN_TOP_TIME 32

/* "unknown", "running", "runnable", "waiting", "ended". */
const char *gn_top_state_word(enum gn_thread_state state);

/* "running", "ended", "killed". */
const char *gn_top_target_word(enum gn_top_target target);

/* 2026-05-01T12:34:56.789Z of nanoseconds of CLOCK_REALTIME: in UTC, so that
 * the machine's time zone does not matter. Cut off, not rounded. */
void gn_top_time_text(char buf[GN_TOP_TIME], uint64_t wall);

/*
 * `text` as one word, which every program that splits lines at blanks keeps
 * whole: blanks, backslashes, and what does not print are \xNN for a byte,
 * \u{N} for a character; nothing at all is "-", a "-" is \x2d. So different
 * texts are different words. `utf8` false: only ASCII comes out. Freed by the
 * caller; NULL when there is no memory.
 */
char *gn_top_word(const char *text, bool utf8);

#endif
