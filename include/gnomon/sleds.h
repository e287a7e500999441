/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of a program's sleds for the hook-site library in it. gnomon makes
 * the table before it starts the program, in a sealed memfd that the program
 * inherits. The environment holds the descriptor's number.
 *
 * All addresses are as linked. The entries of one function are adjacent: the
 * library takes all of them or none.
 */
#ifndef GNOMON_SLEDS_H
#define GNOMON_SLEDS_H

#include <assert.h>
#include <stdint.h>

#define GN_SLEDS_LIBRARY  "libgnomon-native.so"
#define GN_SLEDS_PROVIDER "gnomon_native"
/* The descriptor of the table, a space, and the number of gnomon's own site
 * (GN_SITE_OWN_MOST). */
#define GN_SLEDS_ENV   "GNOMON_SLEDS"
#define GN_SLEDS_MAGIC 0x3173646c736e67 /* "gnslds1" */
#define GN_SLEDS_MAX   (4u << 20)

/* Bytes that are overwritten at a sled's entry or end, and compared first. */
#define GN_SLED_BYTES 5
/* The sled of a tail jump ends right before the jump. */
#define GN_SLED_TAIL 11

/*
 * The code at a place and how it is patched. In every case the first byte alone
 * decides what runs, so another uprobe there can come and go: the bytes that it
 * restores fit those that we left behind them.
 */
enum gn_sled_form {
	GN_SLED_ENTER_JUMP, /* jmp +9 over a nop */
	GN_SLED_TAIL_JUMP,  /* the same, before a tail jump */
	GN_SLED_LEAVE_RET,  /* ret and a nop */
	GN_SLED_ENTER_NOPS, /* five one-byte nops */
	GN_SLED_ENTER_NOP5, /* nopl disp8(%rax,%rax) */
	GN_SLED_FORMS,
	/* a probe's place, whose original first byte is put back */
	GN_SLED_PROBE = GN_SLED_FORMS,
};

struct gn_sled_entry {
	uint64_t addr;
	uint32_t func; /* index of the function */
	uint16_t file;
	uint8_t form; /* enum gn_sled_form */
	/* PROBE: the first byte of the instruction there; a sled: 1 if a probe
	 * is there */
	uint8_t byte;
};

struct gn_sled_head {
	uint64_t magic;
	uint32_t entries;
	uint32_t files;
	/* entries follow, then the files' paths as the dynamic linker has
	 * them, each with its NUL; the program's own is empty */
};

static_assert(sizeof(struct gn_sled_entry) == 16, "entry");
static_assert(sizeof(struct gn_sled_head) == 16, "head");

#endif
