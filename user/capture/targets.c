/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/btf.h>

#include <gnomon/control.h>
#include "capture/loads.h"

#define SECTIONS   5
#define TYPES_MAX  64
#define NAME_ROOM  64
#define FIRST_CAST CALLS

enum { CAST, HOLD, LET, CALLS };
/* after these and the types of casts: per-CPU variables, and their section */
enum {
	RUNQUEUES = FIRST_CAST + GN_CAST_COUNT,
	PREEMPT_COUNT,
	PCPU_HOT,
	PERCPU,
	FIRST, /* target of a program */
};

struct gn_targets {
	int handlers[SECTIONS]; /* libbpf's numbers; 0: none */
	/* the functions that are called, the types that one of them casts to,
	 * variables, and what the programs of the sections attach to */
	struct gn_kernel_type types[TYPES_MAX];
	const char *sections[TYPES_MAX];
	char names[TYPES_MAX][NAME_ROOM];
	size_t n;
	int64_t preempt_at;
	struct gn_loads *loads;
};

/* The kernel functions that programs call, and the number that stands for each
 * in the program. */
static const struct {
	const char *name;
	int number;
} calls[CALLS] = {
	[CAST] = {"bpf_rdonly_cast", GN_CALL_CAST},
	[HOLD] = {"bpf_preempt_disable", GN_CALL_HOLD},
	[LET] = {"bpf_preempt_enable", GN_CALL_LET},
};

static void set_call(const struct gn_targets *t, struct bpf_insn *insn)
{
	if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg)
		return;
	for (size_t i = 0; i < CALLS; i++) {
		if (insn->imm != calls[i].number || !t->types[i].id)
			continue;
		insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
		insn->imm = (int)t->types[i].id;
		return;
	}
}

/* If the kernel lacks a function, its call is never reached. */
static int set_calls(const struct gn_targets *t, struct bpf_program *prog)
{
	const struct bpf_insn *old = bpf_program__insns(prog);
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, old, n * sizeof(*insns));
	for (size_t i = 0; i < n; i++)
		set_call(t, &insns[i]);
	err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

/* The id of what the programs of a section attach to. 0: none. */
static uint32_t target_of(const struct gn_targets *t, const char *section)
{
	for (size_t i = FIRST; i < t->n; i++)
		if (!strcmp(section, t->sections[i]))
			return t->types[i].id;
	return 0;
}

/*
 * libbpf calls this before it loads a program, when the instructions are
 * complete. Programs that attach by an id get their type only now: if they had
 * it before, libbpf would read the kernel's BTF for them.
 */
static int prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts,
		   long cookie)
{
	struct gn_targets *t = (void *)cookie;
	int err;

	if (bpf_program__type(prog) == BPF_PROG_TYPE_TRACEPOINT) {
		opts->attach_btf_id =
			target_of(t, bpf_program__section_name(prog));
		if (!opts->attach_btf_id)
			return -ESRCH;
		err = bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
		if (err)
			return err;
	}
	err = set_calls(t, prog);
	return err || !t->loads ? err : gn_loads_take(t->loads, prog, opts);
}

void gn_targets_load_by(struct gn_targets *t, struct gn_loads *loads)
{
	t->loads = loads;
}

static void add(struct gn_targets *t, uint32_t kind, const char *section,
		const char *before, const char *name)
{
	if (t->n == TYPES_MAX)
		return; /* prepare() refuses its program */
	snprintf(t->names[t->n], NAME_ROOM, "%s%s", before, name);
	t->types[t->n] =
		(struct gn_kernel_type){.kind = kind, .name = t->names[t->n]};
	t->sections[t->n++] = section;
}

int gn_targets_new(struct gn_targets **out)
{
	static const struct {
		const char *section;
		enum bpf_prog_type type;
		enum bpf_attach_type attached;
	} all[SECTIONS] = {
		{"tp_btf+", BPF_PROG_TYPE_TRACEPOINT, BPF_TRACE_RAW_TP},
		{"iter+", BPF_PROG_TYPE_TRACEPOINT, BPF_TRACE_ITER},
		{"raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, 0},
		{"uprobe+", BPF_PROG_TYPE_KPROBE, 0},
		{"perf_event+", BPF_PROG_TYPE_PERF_EVENT, 0},
	};
	struct gn_targets *t = calloc(1, sizeof(*t));
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)t,
		    .prog_prepare_load_fn = prepare);

	if (!t)
		return -ENOMEM;
	/* This handler stays: libbpf before 1.2 frees its list with the last
	 * handler and then uses it again. No program is in its section. */
	libbpf_register_prog_handler("gnomon", BPF_PROG_TYPE_UNSPEC, 0, NULL);
	for (int i = 0; i < SECTIONS; i++) {
		int id = libbpf_register_prog_handler(
			all[i].section, all[i].type, all[i].attached, &opts);

		if (id < 0) {
			gn_targets_free(t);
			return id;
		}
		t->handlers[i] = id;
	}
	for (int i = 0; i < CALLS; i++)
		add(t, BTF_KIND_FUNC, "", "", calls[i].name);
#define ADD(name) add(t, BTF_KIND_STRUCT, "", "", #name);
	GN_CAST_LIST(ADD)
#undef ADD
	add(t, BTF_KIND_VAR, "", "", "runqueues");
	add(t, BTF_KIND_VAR, "", "", "__preempt_count");
	add(t, BTF_KIND_VAR, "", "", "pcpu_hot");
	add(t, BTF_KIND_DATASEC, "", "", ".data..percpu");
	*out = t;
	return 0;
}

static int64_t preempt_at(const struct gn_kernel_type *types)
{
	const struct gn_kernel_type *section = &types[PERCPU];
	int64_t from = gn_kernel_type_offset(section, &types[RUNQUEUES]);
	int64_t at = gn_kernel_type_offset(section, &types[PREEMPT_COUNT]);

	if (at < 0)
		at = gn_kernel_type_offset(section, &types[PCPU_HOT]);
	return from < 0 || at < 0 ? 0 : at - from;
}

void gn_targets_find(struct gn_targets *t, const struct bpf_object *obj,
		     const struct gn_kernel_btf *b)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj)
	{
		const char *section = bpf_program__section_name(prog);
		const char *slash = strchr(section, '/');

		/* the kernel's name of what such a program attaches to */
		if (slash && !strncmp(section, "tp_btf/", 7))
			add(t, BTF_KIND_TYPEDEF, section, "btf_trace_",
			    slash + 1);
		else if (slash && !strncmp(section, "iter/", 5))
			add(t, BTF_KIND_FUNC, section, "bpf_iter_", slash + 1);
	}
	gn_kernel_btf_find(b, t->types, t->n);
	t->preempt_at = preempt_at(t->types);
}

bool gn_targets_casts(const struct gn_targets *t, volatile uint32_t *ids)
{
	bool all = t->types[CAST].id;

	for (int i = 0; i < GN_CAST_COUNT; i++) {
		ids[i] = t->types[FIRST_CAST + i].id;
		all = all && ids[i];
	}
	return all;
}

bool gn_targets_holds(const struct gn_targets *t)
{
	return t->types[HOLD].id && t->types[LET].id;
}

int64_t gn_targets_preempt_at(const struct gn_targets *t)
{
	return t->preempt_at;
}

void gn_targets_free(struct gn_targets *t)
{
	if (!t)
		return;
	for (int i = 0; i < SECTIONS; i++)
		if (t->handlers[i])
			libbpf_unregister_prog_handler(t->handlers[i]);
	free(t);
}
