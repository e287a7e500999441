/* SPDX-License-Identifier: BSD-2-Clause */
/* The stapsdt notes (USDT probes) of an ELF file. The file is hostile. */
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
	char args[256];	    /* longer ones end in dots; `arg` has all */
	uint64_t addr;	    /* of the probe, as linked */
	uint64_t offset;    /* in the file, as for a uprobe */
	uint64_t semaphore; /* its offset in the file; 0: none */
	/* `args` as operands; GN_HOW_NONE: unreadable */
	struct gn_operand arg[GN_NOTE_ARGS];
	size_t nargs;
};

/*
 * Parses the text of a note's arguments, such as "8@%rdi -4@-24(%rbp)
 * 4@count(%rip) -8@$5". Returns the number of operands, GN_NOTE_ARGS at most.
 * Other forms become GN_HOW_NONE. `addr` is the probe's address. `symbol` looks
 * up the address, as linked, of a name in the text (NULL: no symbol is known).
 */
typedef bool (*gn_symbol_fn)(void *ctx, const char *name, uint64_t *addr);
size_t gn_note_args(const char *text, uint64_t addr, gn_symbol_fn symbol,
		    void *ctx, struct gn_operand *out);

/* Numbers of probes that were skipped, by reason. */
struct gn_notes_left {
	size_t long_names; /* names longer than a gn_note has room for */
	size_t broken;	   /* malformed notes */
	size_t too_many;   /* more than are read from a file */
};

/* The notes of `path`, to be freed with free(). Skipped ones are added to
 * `left`, unless that is NULL. -ENOEXEC: not an ELF file; -ENOENT: no note
 * remains. */
int gn_notes_read(const char *path, struct gn_note **out, size_t *count,
		  struct gn_notes_left *left);

void gn_notes_left_add(struct gn_notes_left *to,
		       const struct gn_notes_left *more);

/* "2 with names of more than 255 bytes, 1 that is broken"; NULL: none. */
#define GN_NOTES_LEFT_TEXT 192
const char *gn_notes_left_text(const struct gn_notes_left *left,
			       char text[GN_NOTES_LEFT_TEXT]);

#endif
