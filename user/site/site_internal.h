/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the site planner share. */
#ifndef GNOMON_SITE_SITE_INTERNAL_H
#define GNOMON_SITE_SITE_INTERNAL_H

#include "elf/grow.h"
#include "site/site.h"
#include "site/dataflow.h"

#define GN_PARTS_MAX  16
#define GN_TABLES_MAX 64	 /* more are read as far as they seem to go */
#define GN_BODY_MAX   (4u << 20) /* bytes of a function */
#define GN_INSNS_MAX  (1u << 20) /* that many bytes of usual code have fewer */
#define GN_EXITS_MAX  4096

/* A range of code that belongs to the function: its main part or a cold
 * one. */
struct gn_part {
	uint64_t begin, end;
	const uint8_t *bytes;
	size_t first, count; /* its instructions */
};

enum gn_mark {
	GN_MARK_LEADER = 0x01, /* a jump can come here */
	GN_MARK_TARGET = 0x02, /* a jump of this function refers to it */
	GN_MARK_SEEN = 0x04,
	GN_MARK_QUEUED = 0x08,
	GN_MARK_SEED = 0x10,   /* no known edge leads here */
	GN_MARK_TABLE = 0x20,  /* a jump table leads here */
	GN_MARK_FRAME = 0x40,  /* rbp points into the frame */
	GN_MARK_EXIT = 0x80,   /* the function is left here */
	GN_MARK_STRAY = 0x100, /* only seeds lead here */
};

#define GN_NO_DEPTH INT32_MIN

struct gn_mark_of {
	uint16_t flags;
	uint32_t state; /* of a leader: 1 + index in states, 0 = none yet */
	int32_t depth;	/* of rsp, to the entry's; GN_NO_DEPTH: not known */
};

/* An instruction by which the function is left. */
struct gn_exit {
	size_t insn;
	enum gn_site_kind kind; /* LEAVE or TAIL */
	uint64_t target;	/* 0: not known */
	const char *import;	/* or the imported function */
};

struct gn_edge {
	size_t to;
	struct gn_state state;
};

struct gn_call {
	uint64_t target;
	bool tail;
};

/* What a file's code refers to: tells functions from parts without symbols. */
struct gn_references;
struct gn_references *gn_references_new(const struct gn_elf *elf);
void gn_references_free(struct gn_references *f);

enum gn_place {
	GN_PLACE_UNKNOWN = 0,
	GN_PLACE_FUNCTION, /* it is called, or its address is taken */
	GN_PLACE_TAIL,	   /* several functions end in a jump to it, if their
			      frames are gone there */
	GN_PLACE_PART,	   /* it is only jumped to, and by one function */
	GN_PLACE_UNUSED,   /* nothing refers to its begin */
};
/* What is at an address where the unwind table says that something begins. The
 * first call reads all code of the file. -ENOMEM, else enum gn_place. */
int gn_references_place(struct gn_references *f, uint64_t addr);

/* A linear sweep over the code of a file. */
struct gn_sweep {
	const struct gn_elf *elf;
	const struct gn_elf_symbol *symbols;
	const uint64_t *starts;
	size_t nsymbols, nstarts, i, j, text;
	struct gn_elf_section_view view;
	uint64_t at, below,
		next; /* the current address, and the borders around it */
	const uint8_t *bytes; /* of the instruction, and how many follow */
	size_t size;
};
void gn_sweep_begin(struct gn_sweep *w, const struct gn_elf *elf);
/* The next instruction; false at the end. */
bool gn_sweep_next(struct gn_sweep *w, struct gn_skim *skim, uint64_t *addr);

/* A jump table, as far as it was read. */
struct gn_table {
	uint64_t begin, end;
};

/* A decoded function and what is known of it. Its memory is reused. */
struct gn_body {
	const struct gn_elf *elf;
	struct gn_references *references; /* or NULL */
	uint64_t addr, end;
	struct gn_part parts[GN_PARTS_MAX];
	size_t nparts;
	struct gn_insn *insns;
	struct gn_mark_of *marks;
	size_t ninsns, insns_room, marks_room;

	struct gn_state *states;
	size_t nstates, states_room;
	size_t *queue;
	size_t nqueue, queue_room;
	struct gn_edge *deferred;
	size_t ndeferred, deferred_room;
	struct gn_table tables[GN_TABLES_MAX];
	size_t ntables;
	bool again;  /* leaders or parts were found: follow it once more */
	size_t work; /* steps that were made */

	struct gn_exit *exits;
	size_t nexits, exits_room;
	struct gn_call *calls; /* direct: callees and targets of tail jumps */
	size_t ncalls, calls_room;

	uint8_t drap;
	bool frame_pointer; /* rbp is used as a frame pointer only */
	bool strays;	    /* there is code that only seeds lead to */
	bool strays_run;    /* such code can run; else no probe is put there */
	bool labels; /* it takes addresses of its own, not for known tables */

	/* NULL, or why it cannot be so */
	const char *whole;  /* all instructions are known */
	const char *leaves; /* each leave is one of exits */
	const char *closed; /* control goes to direct callees only */
	const char *benign; /* the return address is used by ret only */
	const char *frame;  /* rsp only ever points into the function's frame */
	bool tails_hidden;  /* some tail jump goes to unknown code */
	/* indirect jumps within it whose targets are not known, by rsp */
	bool jumps_unknown;
	bool jumps_anywhere; /* with rsp not known either */
	int64_t jumps_rsp[4];
	size_t njumps_rsp;
};

/* Decodes and follows the function at [addr, addr + size): -ENOMEM, else 0,
 * the findings in the body. `references` may be NULL. */
int gn_body_read(struct gn_body *b, const struct gn_elf *elf,
		 struct gn_references *references, uint64_t addr,
		 uint64_t size);
/* Counts steps; false when there were more than any sane function needs. */
bool gn_body_work(struct gn_body *b, size_t steps);
/* Adds the cold part at `target`, if its name says that it is one. */
bool gn_body_add_cold(struct gn_body *b, uint64_t target);
/* What code without a name at addr is: enum gn_place; -ENOMEM. */
int gn_body_place(const struct gn_body *b, uint64_t addr);
void gn_body_free(struct gn_body *b);

/* Decodes the parts; sets whole. */
int gn_body_decode(struct gn_body *b);
/* Adds [begin, end) as a part; false if it is no code or there are too many. */
bool gn_body_add_part(struct gn_body *b, uint64_t begin, uint64_t end);
/* The index of the instruction at addr, or SIZE_MAX. */
size_t gn_body_find(const struct gn_body *b, uint64_t addr);
bool gn_body_holds(const struct gn_body *b, uint64_t addr);
/* Instruction i, with state s, is a jump to a block without code: clang -O0 has
 * such ones behind calls that throw, and lays the block where the function
 * ends. Nothing comes there. */
bool gn_body_jumps_nowhere(const struct gn_body *b, size_t i,
			   const struct gn_state *s);
/* The bytes from an instruction on, and how many the part has of them. */
const uint8_t *gn_body_bytes(const struct gn_body *b, uint64_t addr,
			     size_t *size);
/* Follows the decoded code, then finds out what it does. */
int gn_body_follow(struct gn_body *b);
int gn_body_effects(struct gn_body *b);
/* Drops the exits that are in dead code or data. */
void gn_body_strays(struct gn_body *b);

/* Where an indirect jump goes. */
enum gn_jump_class {
	GN_JUMP_TAIL,	 /* to another function */
	GN_JUMP_TABLE,	 /* to the entries of the table at `table` */
	GN_JUMP_INSIDE,	 /* within the function, not known where */
	GN_JUMP_UNKNOWN, /* it cannot be told */
};
struct gn_jump {
	enum gn_jump_class class;
	uint64_t table;
	uint64_t base;	    /* what its 4-byte entries are added to */
	uint8_t width;	    /* of its entries: 4 or 8 bytes */
	const char *import; /* TAIL through the offset table */
};
struct gn_jump gn_jump_class(const struct gn_body *b, const struct gn_state *s,
			     const struct gn_insn *in);
/* Whether the function, once it was followed, takes addresses in itself other
 * than its begin and those of the tables that were read. */
bool gn_body_takes_labels(const struct gn_body *b);
/* The i-th entry as an address; false past the table's end. */
bool gn_jump_entry(const struct gn_body *b, const struct gn_jump *jump,
		   size_t i, uint64_t *target);

/* Symbols as functions. NULL when there is none. */
const struct gn_elf_symbol *gn_symbol_at(const struct gn_elf *elf,
					 uint64_t addr);
const struct gn_elf_symbol *gn_symbol_over(const struct gn_elf *elf,
					   uint64_t addr);
/* The next address above addr at which a symbol begins; UINT64_MAX: none. */
uint64_t gn_symbol_next(const struct gn_elf *elf, uint64_t addr);
/* Whether the code at addr is a PLT entry. *import: of which symbol, or
 * NULL. */
bool gn_plt_entry(const struct gn_elf *elf, uint64_t addr, const char **import);
/* The entry of addr in the unwinder's table; false: it has none. */
bool gn_start_at(const struct gn_elf *elf, uint64_t addr, size_t *index);
/* The last entry that is not above addr, of code without a name: false where
 * there is none, or a symbol begins there or between. */
bool gn_start_over(const struct gn_elf *elf, uint64_t addr, size_t *index);
/* Where the code of an entry ends: by the table, or where other code begins.
 * The unwind table knows nothing of what a C library brings (crti.o). */
uint64_t gn_start_end(const struct gn_elf *elf, size_t index);

/* Is the imported function one of libc's benign ones: it calls nothing back,
 * does not unwind and does not look at its return address? */
bool gn_benign_import(const char *name);

/* Proofs about the functions of one file, cached. */
struct gn_proof;
struct gn_proof *gn_proof_new(const struct gn_elf *elf);
void gn_proof_free(struct gn_proof *p);
const struct gn_elf *gn_proof_elf(const struct gn_proof *p);
struct gn_references *gn_proof_facts(struct gn_proof *p);
/* Whether `size` more bytes of the file may be decoded for a plan. */
bool gn_proof_afford(struct gn_proof *p, uint64_t size);
/* Takes the steps of a body from those that the file may cost. */
void gn_proof_charge(struct gn_proof *p, const struct gn_body *b);
/* 1 = true, 0 = not proved and *why says why, -ENOMEM. `b` is the function's
 * own body, `scratch` is overwritten. */
int gn_proof_closed(struct gn_proof *p, const struct gn_body *b,
		    struct gn_body *scratch, const char **why);
int gn_proof_benign(struct gn_proof *p, const struct gn_body *b,
		    struct gn_body *scratch, const char **why);

/* When a use harms. */
enum gn_use_when {
	GN_USE_BY_CALL = 1, /* in a function that calls it, directly or not */
	GN_USE_ANY_TIME, /* at any instruction of any thread, or by code that is
			    loaded later */
};
struct gn_use {
	const char *symbol, *what;
	enum gn_use_when when;
};
/* All of them, sorted by symbol; the one of a symbol, or NULL. */
const struct gn_use *gn_uses(size_t *n);
const struct gn_use *gn_use_of(const char *symbol);

/* What forbids return probes, and in which file. */
struct gn_fault {
	const char *what; /* a sentence's end; NULL: nothing was found */
	char file[64];
};

/* What was found in all the files that a process maps. */
struct gn_world {
	bool scanned;
	struct gn_fault by_call, any_time; /* by enum gn_use_when */
};
/* Imports are looked at before code, which takes longer. */
int gn_world_scan(struct gn_world *w, struct gn_elf *const *elf, size_t n,
		  struct gn_body *scratch);

/* Chooses the enter site; sets plan->refused if there is none. `leave` is the
 * mode: RETURN wants the return address on top of the stack. */
void gn_enter_choose(const struct gn_body *b, enum gn_leave_mode leave,
		     struct gn_plan *plan);
/* Adds the leave sites, which need no return probe; sets plan->refused when one
 * cannot be. The enter site is known. -ENOMEM. */
int gn_leaves_choose(const struct gn_body *b, bool at_exits,
		     struct gn_plan *plan);
/* Fills in a site from its address: file offset, cost, text; -ENOENT. */
int gn_site_fill(const struct gn_elf *elf, struct gn_site *site);

#endif
