/* SPDX-License-Identifier: BSD-2-Clause */
/* stapsdt notes (USDT probes) of an ELF file. The file is hostile. */
#ifndef GNOMON_ELF_NOTES_H
#define GNOMON_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/spec.h>

#define GN_NOTE_ARGS 12
#define GN_NOTE_NAME 256 /* bytes of a name and its NUL */

struct gn_note {
	char provider[GN_NOTE_NAME];
	char name[GN_NOTE_NAME];
	char args[256];	    /* longer ones end with dots; `arg` has all */
	uint64_t addr;	    /* of the probe, as linked */
	uint64_t offset;    /* in the file: what a uprobe takes */
	uint64_t semaphore; /* its offset in the file, 0 = it has none */
	/* `args` as operands; how NONE: it cannot be read */
	struct gn_operand arg[GN_NOTE_ARGS];
	size_t nargs;
};

/*
 * The operands of the text of a note's arguments, such as "8@%rdi -4@-24(%rbp)
 * 4@count(%rip) -8@$5": how many there are, GN_NOTE_ARGS at most. What is of
 * another form gets GN_HOW_NONE. `addr` is the probe's; `symbol` looks up what
 * a text names, as linked (NULL: no symbol is known).
 */
typedef bool (*gn_symbol_fn)(void *ctx, const char *name, uint64_t *addr);
size_t gn_note_args(const char *text, uint64_t addr, gn_symbol_fn symbol,
		    void *ctx, struct gn_operand *out);

/* Probes of which nothing is told, by the reason. */
struct gn_notes_left {
	size_t long_names; /* more than a gn_note has room for */
	size_t broken;	   /* not as a note has to be */
	size_t too_many;   /* the file has more than are read */
};

/* The notes of `path`; freed with free(). What is left out is added to `left`,
 * unless that is NULL. -ENOEXEC: not an ELF file; -ENOENT: no note is left. */
int gn_notes_read(const char *path, struct gn_note **out, size_t *count,
		  struct gn_notes_left *left);

void gn_notes_left_add(struct gn_notes_left *to,
		       const struct gn_notes_left *more);

/* "2 with names of more than 255 bytes, 1 that is broken"; NULL: none. */
#define GN_NOTES_LEFT_TEXT 192
const char *gn_notes_left_text(const struct gn_notes_left *left,
			       char text[GN_NOTES_LEFT_TEXT]);

#endif
