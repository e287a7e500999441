/* SPDX-License-Identifier: BSD-2-Clause */
/* stapsdt notes (USDT probes) of an ELF file. The file is hostile. */
#ifndef GNOMON_ELF_NOTES_H
#define GNOMON_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/spec.h>

#define GN_NOTE_ARGS 12

struct gn_note {
	char provider[64];
	char name[64];
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

/* The notes of `path`; freed with free(). -ENOEXEC: not an ELF file;
 * -ENOENT: it has none. */
int gn_notes_read(const char *path, struct gn_note **out, size_t *count);

#endif
