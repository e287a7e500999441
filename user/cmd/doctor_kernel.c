/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel offers to BPF programs. Each feature is tried. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/magic.h>

#include "process/namespaces.h"
#include "capture/denied.h"
#include "capture/kernel_btf.h"
#include "capture/lockdown.h"
#include "capture/session.h"
#include "cmd/doctor.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"

static const char group[] = "kernel";

static const char newer[] = "boot a newer kernel: Linux 6.1 or later with "
			    "CONFIG_DEBUG_INFO_BTF and CONFIG_UPROBES";

static const char no_memory[] =
	"free some memory, or raise gnomon's limit of it (ulimit -v, or "
	"memory.max of its control group)";

/* Loads a program that does nothing. `id`: the BTF id of what it attaches to. A
 * descriptor, or <0: an error. */
static int load_empty(enum bpf_prog_type type, enum bpf_attach_type expected,
		      int id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = expected,
		    .attach_btf_id = (__u32)id);
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(type, "gn_doctor", "Dual BSD/GPL", insns,
			       sizeof(insns) / sizeof(insns[0]), &opts);

	return fd < 0 ? -errno : fd;
}

/* Without memory nothing can be said of the kernel. */
static enum gn_found found(int err, enum gn_found without)
{
	return err == -ENOMEM ? GN_FOUND_UNKNOWN : without;
}

static const char *advice(int err)
{
	return err == -ENOMEM ? no_memory : newer;
}

/* A row of something that is needed. */
static void add_needed(struct gn_checkup *c, const char *id, const char *title,
		       int err, const char *detail)
{
	if (!err)
		gn_finding_add(c, group, id, title, GN_FOUND_OK, NULL, "%s",
			       detail);
	else
		gn_finding_add(c, group, id, title,
			       found(err, GN_FOUND_MISSING), advice(err), "%s",
			       strerror(-err));
}

static void check_machine(struct gn_checkup *c)
{
	struct utsname u;
	bool ours;

	if (uname(&u)) {
		gn_finding_add(c, group, "kernel", "Linux", GN_FOUND_UNKNOWN,
			       NULL, "%s", strerror(errno));
		return;
	}
	ours = !strcmp(u.machine, "x86_64");
	gn_finding_add(c, group, "kernel", "Linux",
		       ours ? GN_FOUND_OK : GN_FOUND_MISSING,
		       "gnomon traces on x86-64 only", "%s %s", u.release,
		       u.machine);
}

static void check_btf(struct gn_checkup *c)
{
	const char *todo = gn_kernel_btf_advice();

	gn_finding_add(c, group, "btf", "BTF",
		       todo ? GN_FOUND_MISSING : GN_FOUND_OK, todo, "%s%s",
		       BTF_PATH, todo ? ": it is missing" : "");
}

static void check_namespaces(struct gn_checkup *c)
{
	const char *what, *todo;
	int err = gn_namespaces_check(&what, &todo);

	if (!err)
		gn_finding_add(c, group, "namespaces", "namespaces",
			       GN_FOUND_OK, NULL,
			       "gnomon's own /proc, and the "
			       "machine's clock");
	else if (err == -EXDEV)
		gn_finding_add(c, group, "namespaces", "namespaces",
			       GN_FOUND_MISSING, todo, "%s", what);
	else
		gn_finding_add(c, group, "namespaces", "namespaces",
			       GN_FOUND_UNKNOWN, NULL, "%s", strerror(-err));
}

/* Whether BPF programs may be loaded. If not, nothing below can be tried. */
static void check_allowed(struct gn_checkup *c)
{
	int fd = load_empty(BPF_PROG_TYPE_KPROBE, 0, 0);
	struct gn_denied why;

	if (fd >= 0) {
		close(fd);
		gn_finding_add(c, group, "bpf", "BPF programs", GN_FOUND_OK,
			       NULL, "allowed%s", geteuid() ? "" : " (root)");
		return;
	}
	c->barred = true;
	if (!gn_denied_by(fd)) {
		add_needed(c, "bpf", "BPF programs", fd, "");
		return;
	}
	gn_denied_find(fd, &why);
	gn_finding_add(c, group, "bpf", "BPF programs", GN_FOUND_MISSING,
		       why.todo, "%s", why.what);
}

/* Without it, gnomon traces only processes of the command's user, with slow
 * hooks. */
static void check_ptrace(struct gn_checkup *c)
{
	static const char id[] = "ptrace", title[] = "CAP_SYS_PTRACE";

	if (gn_capable(CAP_SYS_PTRACE))
		gn_finding_add(c, group, id, title, GN_FOUND_OK, NULL, "%s",
			       "");
	else
		gn_finding_add(c, group, id, title, GN_FOUND_ABSENT,
			       geteuid() ? "run it as root"
					 : "give gnomon that capability "
					   "(docker run --cap-add SYS_PTRACE)",
			       "other users' processes cannot be traced, and "
			       "hooks are traps");
}

static int try_ring(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "gn_doctor", 0, 0,
				(__u32)sysconf(_SC_PAGESIZE), NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Converts the result of a libbpf probe (1: the kernel has it, 0: it has not,
 * <0: an error) to 0 or an error. */
static int not_there(int got)
{
	if (got > 0)
		return 0;
	return got ? got : -EOPNOTSUPP;
}

/* Loads a program and attaches it to the kernel's `name`. */
static int try_tracing(const char *name, enum bpf_attach_type type)
{
	int id = libbpf_find_vmlinux_btf_id(name, type);
	int prog, link, err = 0;

	if (id <= 0)
		return id ? gn_kernel_btf_error(id) : -ENOENT;
	prog = load_empty(BPF_PROG_TYPE_TRACING, type, id);
	if (prog < 0)
		return prog;
	link = type == BPF_TRACE_ITER ? bpf_link_create(prog, 0, type, NULL)
				      : bpf_raw_tracepoint_open(NULL, prog);
	if (link < 0)
		err = -errno;
	else
		close(link);
	close(prog);
	return err;
}

static void check_bpf(struct gn_checkup *c)
{
	add_needed(c, "ringbuf", "ring buffer", try_ring(), "");
	add_needed(c, "task_storage", "task storage",
		   not_there(libbpf_probe_bpf_map_type(
			   BPF_MAP_TYPE_TASK_STORAGE, NULL)),
		   "");
	add_needed(c, "tp_btf", "scheduler events",
		   try_tracing("sched_switch", BPF_TRACE_RAW_TP),
		   "tp_btf/sched_switch");
	add_needed(c, "iter_task", "iterator over tasks",
		   try_tracing("task", BPF_TRACE_ITER), "");
	add_needed(c, "cookie", "BPF cookie",
		   not_there(libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE,
						     BPF_FUNC_get_attach_cookie,
						     NULL)),
		   "");
}

/* Kinds of uprobe links. One is enough; newer ones are better. */
static bool check_link(struct gn_checkup *c, enum gn_attach_mode mode,
		       const char *id, const char *title, const char *without,
		       enum gn_found absent)
{
	int err = gn_attach_try(mode);
	const char *todo = gn_denied_probes(err) ?: advice(err);
	enum gn_found state = found(err, absent);

	if (!err)
		gn_finding_add(c, group, id, title, GN_FOUND_OK, NULL, "%s",
			       "");
	else
		gn_finding_add(c, group, id, title, state,
			       state == GN_FOUND_ABSENT ? NULL : todo, "%s: %s",
			       strerror(-err), without);
	return !err;
}

static enum gn_attach_mode check_links(struct gn_checkup *c)
{
	bool session, multi;

	multi = !gn_attach_try(GN_ATTACH_MULTI);
	check_link(c, GN_ATTACH_SINGLE, "uprobe", "uprobes (perf)",
		   multi ? "multi links are used" : "no probe can be put",
		   multi ? GN_FOUND_ABSENT : GN_FOUND_MISSING);
	check_link(c, GN_ATTACH_MULTI, "uprobe_multi", "uprobe multi links",
		   "each probe is attached by itself, slowly", GN_FOUND_ABSENT);
	session = check_link(c, GN_ATTACH_SESSION, "uprobe_session",
			     "session links", "enter and return are two probes",
			     GN_FOUND_ABSENT);
	if (session)
		return GN_ATTACH_SESSION;
	return multi ? GN_ATTACH_MULTI : GN_ATTACH_SINGLE;
}

static void check_cost(struct gn_checkup *c, enum gn_attach_mode mode)
{
	/* the cost is that of a single probe, and session links have pairs */
	enum gn_attach_mode plain =
		mode == GN_ATTACH_SESSION ? GN_ATTACH_MULTI : mode;
	uint64_t nop1 = gn_attach_hit_ns(plain, GN_CAL_NOP1);
	uint64_t nop5 = gn_attach_hit_ns(plain, GN_CAL_NOP5);
	struct gn_attach_ahead *a = gn_attach_nop5_begin(mode);
	bool cheaper = gn_attach_nop5_called(a) && nop1 && nop5 && nop5 < nop1;

	gn_attach_ahead_end(a);

	if (!nop1)
		gn_finding_add(c, group, "nop5", "optimized probes",
			       GN_FOUND_UNKNOWN, NULL,
			       "what a probe costs cannot be measured");
	else
		gn_finding_add(c, group, "nop5", "optimized probes",
			       cheaper ? GN_FOUND_OK : GN_FOUND_ABSENT, NULL,
			       "a hit costs %" PRIu64 " ns on a nop, %" PRIu64
			       " ns on a nop5%s",
			       nop1, nop5, cheaper ? "" : ": nops are used");
}

static int drop(void *ctx, const struct gn_rec *rec, size_t size)
{
	(void)ctx;
	(void)rec;
	(void)size;
	return 0;
}

/* Loads and attaches gnomon's own programs, without tracing anything. */
static void check_programs(struct gn_checkup *c)
{
	pid_t self = getpid();
	struct gn_session_opts opts = {
		.pids = &self, .npids = 1, .sink = drop, .all_programs = true};
	struct gn_session *s = NULL;
	int err = gn_session_new(&opts, &s);

	if (!err)
		err = gn_session_prepare(s);
	if (!err)
		err = gn_session_load(s);
	if (!err)
		err = gn_session_attach(s);
	if (!err)
		gn_finding_add(c, group, "programs", "gnomon's programs",
			       GN_FOUND_OK, NULL, "load and attach");
	else
		gn_finding_add(c, group, "programs", "gnomon's programs",
			       GN_FOUND_MISSING,
			       err == -ENOMEM ? no_memory
					      : "fix what is missing above; "
						"if nothing is missing: gnomon "
						"run -v -- true says more",
			       "%s",
			       s && *gn_session_error(s) ? gn_session_error(s)
							 : strerror(-err));
	gn_session_free(s);
}

static void check_lockdown(struct gn_checkup *c)
{
	if (!gn_lockdown_check())
		gn_finding_add(c, group, "kernel_memory", "kernel memory",
			       GN_FOUND_OK, NULL, "BPF programs may read it");
	else
		gn_finding_add(c, group, "kernel_memory", "kernel memory",
			       GN_FOUND_MISSING, GN_LOCKDOWN_TODO,
			       GN_LOCKDOWN_WHAT);
}

void gn_checkup_kernel(struct gn_checkup *c)
{
	check_machine(c);
	check_namespaces(c);
	check_btf(c);
	check_allowed(c);
	if (c->barred) {
		gn_finding_add(c, group, "features", "BPF and uprobes",
			       GN_FOUND_UNKNOWN, NULL,
			       "ring buffer, task storage, events, iterator, "
			       "cookie, links, costs");
		return;
	}
	check_ptrace(c);
	check_lockdown(c);
	check_bpf(c);
	check_cost(c, check_links(c));
	check_programs(c);
}

void gn_checkup_limits(struct gn_checkup *c)
{
	static const char limits[] = "not needed, for information";
	struct rlimit lock = {0};
	struct statfs fs;
	bool tracefs;

	if (getrlimit(RLIMIT_MEMLOCK, &lock))
		gn_finding_add(c, limits, "memlock", "memlock limit",
			       GN_FOUND_UNKNOWN, NULL, "%s", strerror(errno));
	else if (lock.rlim_cur == RLIM_INFINITY)
		gn_finding_add(c, limits, "memlock", "memlock limit",
			       GN_FOUND_FACT, NULL, "none");
	else
		gn_finding_add(c, limits, "memlock", "memlock limit",
			       GN_FOUND_FACT, NULL, "%" PRIu64 " KiB",
			       (uint64_t)lock.rlim_cur / 1024);
	gn_finding_add(c, limits, "cap_sys_resource", "CAP_SYS_RESOURCE",
		       GN_FOUND_FACT, NULL,
		       gn_capable(CAP_SYS_RESOURCE) ? "yes" : "no");
	tracefs = !statfs("/sys/kernel/tracing", &fs) &&
		  fs.f_type == TRACEFS_MAGIC;
	gn_finding_add(c, limits, "tracefs", "tracefs", GN_FOUND_FACT, NULL,
		       tracefs ? "mounted" : "not mounted");
}
