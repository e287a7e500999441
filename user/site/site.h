/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The site planner: chooses the instructions of a function to probe. It decodes
 * the function and returns the cheapest instruction of the entry block at which
 * the frame key can still be computed, and leaves that cannot harm the program.
 * Pure except for reading the ELF file. docs/sites.md has the facts.
 */
#ifndef GNOMON_SITE_SITE_H
#define GNOMON_SITE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "elf/sleds.h"

/* The cost of a uprobe on the instruction, cheapest first. */
#define GN_COST_LIST(X)                                                     \
	X(OPTIMIZED, "optimized", "nop5: a call, where the kernel does it") \
	X(EMULATED, "emulated", "the kernel emulates it")                   \
	X(STEPPED, "single-stepped", "executed out of line: 7 to 20 times") \
	X(REFUSED, "refused", "the kernel does not probe it")

enum gn_cost {
#define GN_COST_ENUM(name, text, meaning) GN_COST_##name,
	GN_COST_LIST(GN_COST_ENUM)
#undef GN_COST_ENUM
		GN_COST_COUNT
};

enum gn_leave_mode {
	GN_LEAVE_AUTO = 0,
	GN_LEAVE_RETURN, /* a return probe */
	GN_LEAVE_RET,	 /* the function's own rets and tail jumps */
};

enum gn_site_kind {
	GN_SITE_ENTER,
	GN_SITE_LEAVE, /* a ret */
	GN_SITE_TAIL,  /* a jump out of the function */
};

/* A conditional jump leaves when it is taken, or when it is not. The condition
 * is encoded as in the processor's instructions (0 to 15). */
#define GN_WHEN_ALWAYS	   0
#define GN_WHEN(condition) (0x10 | (condition))

struct gn_site {
	enum gn_site_kind kind;
	enum gn_cost cost;
	uint64_t addr;
	uint64_t offset; /* in the file */
	uint32_t adjust; /* frame key = rsp at the site + adjust */
	uint64_t exit;	 /* the leaving instruction; 0: one of several */
	uint8_t when;	 /* GN_WHEN_*: it leaves only then */
	char insn[32];	 /* mnemonic and operands, for people */
};

struct gn_plan {
	struct gn_site enter;
	bool begins_again; /* a call can execute its first instruction again */
	enum gn_leave_mode leave; /* RETURN or RET */
	const char *reason;	  /* why that leave; static */
	struct gn_site *leaves;	  /* RET: each one; RETURN: none */
	size_t nleaves;
	bool dear;	     /* RET: a return probe would be cheaper */
	const char *refused; /* why it cannot be probed; NULL: it can */
	/* the sleds that fast hooks can use: at its beginning, and at all its
	 * ends or none. The caller owns them. */
	const struct gn_sled *sleds;
	size_t nsleds;
};

struct gn_planner; /* caches its proofs about each file */

/*
 * `wanted`: AUTO uses return probes where they are proved safe, and the
 * function's own returns elsewhere; RETURN always uses return probes, RET
 * never. NULL: no memory.
 */
struct gn_planner *gn_planner_new(enum gn_leave_mode wanted);
void gn_planner_free(struct gn_planner *p);

/* Adds files that the traced process maps to the whole-process proof. A gn_elf
 * passed to a planner must outlive it. -ENOMEM. */
int gn_planner_scan(struct gn_planner *p, struct gn_elf *const *elf, size_t n);
/* Adds the files of `from`, without analysing them again. */
void gn_planner_share(struct gn_planner *p, const struct gn_planner *from);

/* More code may come later (dlopen imported, a JIT, children that execute other
 * programs): the whole-process proof fails. */
void gn_planner_open_world(struct gn_planner *p, const char *reason);

/* Whether later plans have leaves only at the exits themselves, where the
 * result is known, or also before them (the default), where they cost less. */
void gn_planner_at_exits(struct gn_planner *p, bool at_exits);

/* Plans one function. Free `plan` with gn_plan_clear(). 0, even if it cannot be
 * probed (plan->refused); < 0: -ENOMEM and the like. */
int gn_planner_plan(struct gn_planner *p, struct gn_elf *elf,
		    const struct gn_elf_symbol *sym, struct gn_plan *plan);
/* Whether these sleds, given by address, are a valid set for the function that
 * was planned last, and its plan does not use them for its own leaves. */
bool gn_planner_sleds_fit(const struct gn_planner *p,
			  const struct gn_plan *plan,
			  const struct gn_sled *sled, size_t n);
/* Whether the plan's sleds also report the function's ends. */
bool gn_plan_sleds_end(const struct gn_plan *plan);
void gn_plan_clear(struct gn_plan *plan);

/* The whole-process verdict as a sentence, for headers. */
const char *gn_planner_verdict(const struct gn_planner *p);

const char *gn_cost_name(enum gn_cost cost);
enum gn_cost gn_cost_of(const uint8_t *bytes, size_t size, uint64_t addr,
			char insn[32], size_t *len);

#endif
