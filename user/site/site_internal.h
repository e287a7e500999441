/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the site planner. */
#ifndef GNOMON_SITE_SITE_INTERNAL_H
#define GNOMON_SITE_SITE_INTERNAL_H

#include <gnomon/grow.h>
#include "site/site.h"
#include "site/dataflow.h"

#define GN_PARTS_MAX  16
#define GN_TABLES_MAX 64 /* further tables are read without a known end */
#define GN_BODY_MAX   (4u << 20) /* bytes of a function */
#define GN_INSNS_MAX  (1u << 20) /* usual code of that many bytes has fewer */
#define GN_EXITS_MAX  4096

/* A range of code that belongs to the function: its main part or a cold one. */
struct gn_part {
	uint64_t begin, end;
	const uint8_t *bytes;
	size_t first, count; /* of its instructions */
};

enum gn_mark {
	GN_MARK_LEADER = 0x01, /* a jump can come here */
	GN_MARK_TARGET = 0x02, /* a jump of this function leads here */
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
	uint32_t state; /* of a leader: index in states + 1; 0: none yet */
	int32_t depth;	/* of rsp, from the entry's; GN_NO_DEPTH: not known */
};

/* An instruction at which the function is left. */
struct gn_exit {
	size_t insn;
	enum gn_site_kind kind; /* LEAVE or TAIL */
	uint64_t target;	/* 0: not known */
	const char *import;	/* name of the imported function, or NULL */
};

struct gn_edge {
	size_t to;
	struct gn_state state;
};

struct gn_call {
	uint64_t target;
	bool tail;
};

/* What a file's code refers to. Separates functions from parts without
 * symbols. */
struct gn_references;
struct gn_references *gn_references_new(const struct gn_elf *elf);
void gn_references_free(struct gn_references *f);

enum gn_place {
	GN_PLACE_UNKNOWN = 0,
	GN_PLACE_FUNCTION, /* it is called, or its address is taken */
	GN_PLACE_TAIL,	 /* several functions end in a jump to it, provided that
			    their frames are gone there */
	GN_PLACE_PART,	 /* only jumped to, and by one function */
	GN_PLACE_UNUSED, /* nothing refers to its beginning */
};
/* Returns what is at an address where, by the unwind table, code begins. The
 * first call reads all code of the file. enum gn_place or -ENOMEM. */
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
	const uint8_t *bytes; /* the instruction's, and how many follow */
	size_t size;
};
void gn_sweep_begin(struct gn_sweep *w, const struct gn_elf *elf);
/* The next instruction; false at the end. */
bool gn_sweep_next(struct gn_sweep *w, struct gn_skim *skim, uint64_t *addr);

/* A jump table, as far as it has been read. */
struct gn_table {
	uint64_t begin, end;
};

/* A decoded function and the findings about it. Its memory is reused. */
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
	bool again;  /* new leaders or parts were found: follow it again */
	size_t work; /* number of steps so far */

	struct gn_exit *exits;
	size_t nexits, exits_room;
	struct gn_call *calls; /* direct callees, and targets of tail jumps */
	size_t ncalls, calls_room;

	uint8_t drap;
	bool frame_pointer; /* rbp is used as a frame pointer only */
	bool strays;	    /* some code is reached by seeds only */
	bool strays_run;    /* such code may run; else it gets no probes */
	bool labels; /* it takes its own addresses, not for known tables */

	/* NULL: this holds; else why it may not */
	const char *whole;  /* all instructions are known */
	const char *leaves; /* `exits` has every way to leave */
	const char *closed; /* control only goes to direct callees */
	const char *benign; /* only ret uses the return address */
	const char *frame;  /* rsp always points into the function's frame */
	bool tails_hidden;  /* some tail jump leads to unknown code */
	/* indirect jumps within the function to unknown targets, by rsp */
	bool jumps_unknown;
	bool jumps_anywhere; /* some have an unknown rsp, too */
	int64_t jumps_rsp[4];
	size_t njumps_rsp;
};

/* Decodes and follows the function at [addr, addr + size). 0, with the findings
 * in the body, or -ENOMEM. `references` may be NULL. */
int gn_body_read(struct gn_body *b, const struct gn_elf *elf,
		 struct gn_references *references, uint64_t addr,
		 uint64_t size);
/* Counts steps. False: more than any sane function needs. */
bool gn_body_work(struct gn_body *b, size_t steps);
/* Follows the code no further. Returns 0. */
int gn_body_give_up(struct gn_body *b);
#define GN_BODY_TOO_LONG "it is too long to be read"
/* Adds the cold part at `target`, if its name marks it as one. */
bool gn_body_add_cold(struct gn_body *b, uint64_t target);
/* Returns what code without a name at addr is: enum gn_place or -ENOMEM. */
int gn_body_place(const struct gn_body *b, uint64_t addr);
void gn_body_free(struct gn_body *b);

/* Decodes the parts, and sets `whole`. */
int gn_body_decode(struct gn_body *b);
/* Adds [begin, end) as a part. False: it is not code, or there are too many
 * parts. */
bool gn_body_add_part(struct gn_body *b, uint64_t begin, uint64_t end);
/* Index of the instruction at addr, or SIZE_MAX. */
size_t gn_body_find(const struct gn_body *b, uint64_t addr);
bool gn_body_holds(const struct gn_body *b, uint64_t addr);
/* Whether instruction i, with state s, jumps to a block without code. clang -O0
 * emits such jumps after calls that throw, to where the function ends. They are
 * never taken. */
bool gn_body_jumps_nowhere(const struct gn_body *b, size_t i,
			   const struct gn_state *s);
/* The bytes from an instruction on; *size: how many the part has. */
const uint8_t *gn_body_bytes(const struct gn_body *b, uint64_t addr,
			     size_t *size);
/* Follow the decoded code, then find out what it does. */
int gn_body_follow(struct gn_body *b);
int gn_body_effects(struct gn_body *b);
/* Drops exits in dead code or data. */
void gn_body_strays(struct gn_body *b);

/* Where an indirect jump goes. */
enum gn_jump_class {
	GN_JUMP_TAIL,	 /* to another function */
	GN_JUMP_TABLE,	 /* to the entries of the table at `table` */
	GN_JUMP_INSIDE,	 /* within the function, target not known */
	GN_JUMP_UNKNOWN, /* none of these is certain */
};
struct gn_jump {
	enum gn_jump_class class;
	uint64_t table;
	uint64_t base;	    /* is added to its 4-byte entries */
	uint8_t width;	    /* of its entries: 4 or 8 bytes */
	const char *import; /* of a TAIL through the GOT */
};
struct gn_jump gn_jump_class(const struct gn_body *b, const struct gn_state *s,
			     const struct gn_insn *in);
/* Whether the function, once followed, takes addresses within itself other than
 * its beginning and those of known tables. */
bool gn_body_takes_labels(const struct gn_body *b);
/* Gets the i-th entry as an address. False: it is after the table's end. */
bool gn_jump_entry(const struct gn_body *b, const struct gn_jump *jump,
		   size_t i, uint64_t *target);

/* The symbol of a function. NULL: none. */
const struct gn_elf_symbol *gn_symbol_at(const struct gn_elf *elf,
					 uint64_t addr);
const struct gn_elf_symbol *gn_symbol_over(const struct gn_elf *elf,
					   uint64_t addr);
/* The next higher address at which a symbol begins; UINT64_MAX: none. */
uint64_t gn_symbol_next(const struct gn_elf *elf, uint64_t addr);
/* Whether the code at addr is a PLT entry. *import: its symbol, or NULL. */
bool gn_plt_entry(const struct gn_elf *elf, uint64_t addr, const char **import);
/* Finds the entry of addr in the unwind table. False: none. */
bool gn_start_at(const struct gn_elf *elf, uint64_t addr, size_t *index);
/* Finds the last entry of code without a name at or below addr. False: there is
 * none, or a symbol begins there or between them. */
bool gn_start_over(const struct gn_elf *elf, uint64_t addr, size_t *index);
/* The end of an entry's code: from the table, or where other code begins. The
 * unwind table lacks the code of a C library's start files (crti.o). */
uint64_t gn_start_end(const struct gn_elf *elf, size_t index);

/* Whether the imported function is a benign one of libc: it calls nothing back,
 * does not unwind, and does not look at its return address. */
bool gn_benign_import(const char *name);

/* Cached proofs about the functions of one file. */
struct gn_proof;
struct gn_proof *gn_proof_new(const struct gn_elf *elf);
void gn_proof_free(struct gn_proof *p);
const struct gn_elf *gn_proof_elf(const struct gn_proof *p);
struct gn_references *gn_proof_facts(struct gn_proof *p);
/* Whether `size` more bytes of the file may be decoded for a plan. */
bool gn_proof_afford(struct gn_proof *p, uint64_t size);
/* Subtracts a body's steps from those that the file may cost. */
void gn_proof_charge(struct gn_proof *p, const struct gn_body *b);
/* 1: proved, 0: not proved, and *why is the reason, or -ENOMEM. `b` is the
 * function's own body; `scratch` is overwritten. */
int gn_proof_closed(struct gn_proof *p, const struct gn_body *b,
		    struct gn_body *scratch, const char **why);
int gn_proof_benign(struct gn_proof *p, const struct gn_body *b,
		    struct gn_body *scratch, const char **why);

/* When a use does harm. */
enum gn_use_when {
	GN_USE_BY_CALL = 1, /* in functions that call it, directly or not */
	GN_USE_ANY_TIME, /* at any instruction of any thread, or in code that is
			    loaded later */
};
struct gn_use {
	const char *symbol, *what;
	enum gn_use_when when;
};
/* All uses, sorted by symbol; and the one of a symbol, or NULL. */
const struct gn_use *gn_uses(size_t *n);
const struct gn_use *gn_use_of(const char *symbol);

/* What forbids return probes, and the file that has it. */
struct gn_fault {
	const char *what; /* the end of a sentence; NULL: nothing found */
	char file[64];
};

/* The findings in all files that a process maps. */
struct gn_world {
	bool scanned;
	struct gn_fault by_call, any_time; /* by enum gn_use_when */
};
/* Checks imports before code, which takes longer. */
int gn_world_scan(struct gn_world *w, struct gn_elf *const *elf, size_t n,
		  struct gn_body *scratch);

/* Chooses the enter site, or sets plan->refused if there is none. `leave`:
 * RETURN needs the return address on top of the stack. */
void gn_enter_choose(const struct gn_body *b, enum gn_leave_mode leave,
		     struct gn_plan *plan);
/* Adds the leave sites, which need no return probe, or sets plan->refused if
 * one is impossible. Call it after the enter site is chosen. -ENOMEM. */
int gn_leaves_choose(const struct gn_body *b, bool at_exits,
		     struct gn_plan *plan);
/* Fills in a site by its address: file offset, cost, text. -ENOENT. */
int gn_site_fill(const struct gn_elf *elf, struct gn_site *site);

#endif
