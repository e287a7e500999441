/* SPDX-License-Identifier: BSD-2-Clause */
/* No C library headers: the kernel's types use the same names. */
#include "../../bpf/gnomon.bpf.c"

#include "host.h"
#include "mappings.h"

#define TASKS	HOST_TASKS
#define SAMPLES 65536
#define ROOM	(16 << 20)
#define NAMES	8

/* Specs in addition to those of native functions. */
#define NAMED	GN_SPEC_NATIVE_COUNT
#define FORGETS (NAMED + 1)

struct host_task {
	struct task_struct p;
	struct gn_task stored;
	struct pt_regs regs;
	struct signal_struct signal;
	struct bpf_local_storage storage; /* once `stored` is used */
	bool has, traced;
};

static struct {
	uint64_t now;
	struct rq rq;
	struct cfs_rq cfs;
	struct host_task task[TASKS], idle, *current;
	int ntasks;
	uint64_t cookie;
	struct host_name {
		struct gn_texts_key key;
		struct gn_interned value;
	} name[NAMES];
	int nnames;
	struct gn_recent place; /* one for all names: the worst case */
	bool full, interrupted, busy;
	const uint64_t *frame;
	__u32 nframes;
	void (*come)(void *ctx);
	void *ctx;
	struct {
		size_t at, size;
	} sample[SAMPLES];
	size_t nsamples, used;
	__u64 ring[ROOM / 8];
} host;

static void interrupt(void)
{
	if (!host.come || host.interrupted)
		return;
	host.interrupted = true;
	host.come(host.ctx);
	host.interrupted = false;
}

/* BPF helpers. */

__u64 bpf_ktime_get_ns(void)
{
	interrupt();
	return host.now;
}

struct task_struct *bpf_get_current_task_btf(void)
{
	return &host.current->p;
}

__u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)host.current->p.tgid << 32 | (__u32)host.current->p.pid;
}

long bpf_task_pt_regs(struct task_struct *task)
{
	return (long)&((struct host_task *)task)->regs;
}

void *bpf_task_storage_get(void *map, struct task_struct *task, void *value,
			   __u64 flags)
{
	struct host_task *t = (struct host_task *)task;

	if (map != &tasks || value)
		__builtin_trap();
	if (!t->has && !(flags & BPF_LOCAL_STORAGE_GET_F_CREATE))
		return NULL;
	t->has = true;
	t->p.bpf_storage = &t->storage;
	return &t->stored;
}

void *bpf_ringbuf_reserve(void *map, __u64 size, __u64 flags)
{
	char *at;

	if (map != &ring || flags)
		__builtin_trap();
	interrupt();
	if (host.full)
		return NULL;
	if (host.nsamples == SAMPLES || host.used + size > ROOM)
		__builtin_trap();
	at = (char *)host.ring + host.used;
	host.sample[host.nsamples].at = host.used;
	host.sample[host.nsamples++].size = size;
	host.used += (size + 7) & ~7ull;
	__builtin_memset(at, 0xa5, size); /* stale data */
	return at;
}

long bpf_ringbuf_output(void *map, void *data, __u64 size, __u64 flags)
{
	void *to = bpf_ringbuf_reserve(map, size, 0);

	if (flags != GN_RING_FLAGS)
		__builtin_trap();
	if (!to)
		return -11;
	__builtin_memcpy(to, data, size);
	return 0;
}

/* Copies the stack that the test gave, as a kernel would. */
long bpf_get_stack(void *ctx, void *to, __u32 size, __u64 flags)
{
	__u32 n = host.nframes * sizeof(*host.frame);

	if (ctx || flags != BPF_F_USER_STACK)
		__builtin_trap();
	if (!n)
		return -14;
	__builtin_memcpy(to, host.frame, n < size ? n : size);
	return n < size ? n : size;
}

void bpf_ringbuf_submit(void *data, __u64 flags)
{
	(void)data;
	(void)flags;
}

void bpf_ringbuf_discard(void *data, __u64 flags)
{
	(void)data;
	(void)flags;
}

static struct host_name *find_name(const struct gn_texts_key *key)
{
	for (int i = 0; i < host.nnames; i++)
		if (!__builtin_memcmp(&host.name[i].key, key, sizeof(*key)))
			return &host.name[i];
	return NULL;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	static const struct gn_spec all[] = {
		[GN_SPEC_ENTER] = {.kind = GN_KIND_ENTER},
		[GN_SPEC_LEAVE] = {.kind = GN_KIND_LEAVE},
		[NAMED] = {.kind = GN_KIND_ENTER,
			   .ntexts = 1,
			   .text = {{{.how = GN_HOW_REGISTER,
				      .reg = GN_REG_DI,
				      .size = 8},
				     {.how = GN_HOW_REGISTER,
				      .reg = GN_REG_SI,
				      .size = 8}}}},
		[FORGETS] = {.flags = GN_SPEC_FORGETS},
	};
	static const struct gn_lock none;
	static struct gn_sample scratch;
	struct host_name *name;

	if (map == &sample)
		return &scratch;
	if (map == &specs)
		return *(const __u32 *)key <= FORGETS
			       ? (void *)&all[*(const __u32 *)key]
			       : NULL;
	if (map == &interned) {
		name = find_name(key);
		return name ? &name->value : NULL;
	}
	if (map == &recent)
		return &host.place;
	if (map != &targets)
		return NULL;
	for (int i = 0; i < host.ntasks; i++)
		if ((__u32)host.task[i].p.pid == *(const __u32 *)key &&
		    host.task[i].traced)
			return (void *)&none;
	return NULL;
}

long bpf_map_update_elem(void *map, const void *key, const void *value,
			 __u64 flags)
{
	struct host_name *name;

	if (map != &interned)
		return -1;
	name = find_name(key);
	if (!name && host.nnames == NAMES)
		return -1;
	if (!name)
		name = &host.name[host.nnames++];
	__builtin_memcpy(&name->key, key, sizeof(name->key));
	__builtin_memcpy(&name->value, value, sizeof(name->value));
	return 0;
}

long bpf_map_delete_elem(void *map, const void *key)
{
	return -1;
}

long bpf_for_each_map_elem(void *map, void *callback, void *ctx, __u64 flags)
{
	return 0;
}

long bpf_loop(__u32 n, void *callback, void *ctx, __u64 flags)
{
	long (*look)(__u32, void *) = callback;
	__u32 i = 0;

	while (i < n && !look(i, ctx))
		i++;
	return i;
}

long bpf_find_vma(struct task_struct *task, __u64 address, void *callback,
		  void *ctx, __u64 flags)
{
	long (*found)(struct task_struct *, struct vm_area_struct *, void *) =
		callback;
	struct vm_area_struct *vma = mappings_find(address);

	if (host.busy)
		return -16;
	return vma ? found(task, vma, ctx) : -2;
}

__u64 bpf_get_attach_cookie(void *ctx)
{
	return host.cookie;
}

__u64 bpf_get_func_ip(void *ctx)
{
	return ((struct pt_regs *)ctx)->ip;
}

static long copy(void *to, __u32 size, const void *from)
{
	if (!from)
		return -14;
	__builtin_memcpy(to, from, size);
	return 0;
}

long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	return copy(to, size, from);
}

/* Like the kernel, writes nothing after the NUL. */
long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from)
{
	const char *text = from;
	__u32 n = 0;

	while (n + 1 < size && text[n])
		n++;
	__builtin_memcpy(to, text, n);
	((char *)to)[n] = '\0';
	return n + 1;
}

long bpf_probe_read_user_str(void *to, __u32 size, const void *from)
{
	return -1;
}

/* Nothing is mapped at and around address 0. */
long bpf_probe_read_user(void *to, __u32 size, const void *from)
{
	return (uintptr_t)from + 4096 < 8192 ? -1 : copy(to, size, from);
}

void *call_cast(void *p, __u32 type)
{
	return p;
}

/* Only one thread of the host runs. */
void call_hold(void)
{
}

void call_let(void)
{
}

/* The simulated kernel. */

void host_clock(uint64_t now)
{
	host.now = now;
	host.rq.clock = now - HOST_SKEW;
	host.rq.clock_task = host.rq.clock;
}

void host_late(uint64_t ns)
{
	host.now += ns;
}

static void task_init(struct host_task *t, uint32_t tid)
{
	__builtin_memset(t, 0, sizeof(*t));
	t->p.pid = t->p.tgid = (int)tid;
	t->p.group_leader = &t->p;
	t->p.start_time = tid;
	t->p.signal = &t->signal;
	t->p.mm = mappings_mm();
	t->p.se.cfs_rq = &host.cfs;
	t->p.on_cpu = 1;
	t->p.se.exec_start = host.rq.clock_task;
	t->p.sched_info.last_arrival = host.rq.clock;
	t->regs.orig_ax = ~0ul;
	t->regs.sp = 0x8000;
}

void host_new(uint64_t start, struct host_opts opts)
{
	static const struct mapping stack = {0x1000, 0x9000};

	__builtin_memset(&host, 0, sizeof(host));
	mappings_set(&stack, 1, 16, false);
	__builtin_memset(&control, 0, sizeof(control));
	host.cfs.rq = &host.rq;
	host_clock(start);
	task_init(&host.idle, 0);
	host.current = &host.idle;
	control.start = start;
	control.stop = ~0ull;
	control.skew[0] = control.skew[1] = HOST_SKEW;
	control.follow = 1;
	control.queue = opts.queue;
	control.gather = opts.gather;
	control.one_clock = opts.check;
}

struct host_task *host_task(uint32_t tid)
{
	struct host_task *t = &host.task[host.ntasks++];

	task_init(t, tid);
	return t;
}

static void iterate(struct host_task *t)
{
	struct bpf_iter__task ctx = {.task = &t->p};

	over_tasks(&ctx);
}

void host_trace(struct host_task *t)
{
	t->traced = true;
	control.scanning = GN_SCAN_THREAD;
	iterate(t);
	control.scanning = 0;
}

/* The kernel updates its own account after its tracepoint. */
static void account_out(struct host_task *t, bool runnable)
{
	t->p.on_cpu = 0;
	t->p.sched_info.last_queued = runnable ? host.rq.clock : 0;
}

static void account_in(struct host_task *t)
{
	struct sched_info *s = &t->p.sched_info;

	if (s->last_queued)
		s->run_delay += host.rq.clock - s->last_queued;
	s->last_queued = 0;
	s->last_arrival = host.rq.clock;
	t->p.on_cpu = 1;
	t->p.__state = 0;
	t->regs.orig_ax = ~0ul;
}

/* The thread came to this CPU's run queue only now, because a CPU took long to
 * move it. The kernel does not count its time on the other run queue. */
static void move(struct host_task *t)
{
	t->p.se.nr_migrations++;
	t->p.sched_info.last_queued = host.rq.clock;
}

void host_switch(const struct host_switch *s)
{
	struct host_task *out = s->out ? s->out : &host.idle;
	struct host_task *in = s->in ? s->in : &host.idle;
	unsigned int state;

	if (s->out && (!s->runnable || s->waits))
		out->p.__state = 1;
	if (s->out && !s->runnable) {
		out->p.in_iowait = s->disk;
		out->regs.orig_ax = (unsigned long)(long)s->nr;
		out->regs.di = s->args[0];
		out->regs.si = s->args[1];
		out->regs.dx = s->args[2];
		out->regs.r10 = s->args[3];
	}
	out->p.se.sum_exec_runtime += host.rq.clock_task - out->p.se.exec_start;
	out->p.se.exec_start = host.rq.clock_task;
	in->p.se.exec_start = host.rq.clock_task;
	if (s->moved)
		move(in);
	host.current = out;
	state = out->p.__state;
	if (s->signalled)
		out->p.__state = 0;
	if (!s->unseen)
		on_switch(s->runnable, &out->p, &in->p, state);
	if (s->out)
		account_out(out, (s->runnable && !s->waits) || s->signalled);
	if (s->in)
		account_in(in);
	host.current = in;
}

void host_wake(struct host_task *t)
{
	host.current = &host.idle;
	t->p.__state = 0;
	t->p.sched_info.last_queued = host.rq.clock;
	/* a capture attaches this program only if the run queue is not known
	 * otherwise */
	if (!control.queue)
		on_wakeup(&t->p);
}

void host_waking(struct host_task *current, int nr, struct host_task *t)
{
	host.current = current;
	current->regs.orig_ax = (unsigned long)(long)nr;
	on_waking(&t->p);
}

void host_named(struct host_task *t, const char *text, size_t len)
{
	host.current = t;
	host.cookie = GN_COOKIE(0, 0, NAMED);
	t->regs.di = (unsigned long)text;
	t->regs.si = len;
	names_multi(&t->regs);
}

void host_forgets(struct host_task *t)
{
	host.current = t;
	host.cookie = GN_COOKIE(0, 0, FORGETS);
	managed_multi(&t->regs);
}

void host_writes(bool begins)
{
	host.place.writes += begins ? 1 : -1;
	host.place.index += begins ? 100 : -100;
}

void host_probe(struct host_task *t, bool enter, uint32_t func)
{
	host.current = t;
	host.cookie = GN_COOKIE(func, 0, enter ? GN_SPEC_ENTER : GN_SPEC_LEAVE);
	native_multi(&t->regs);
}

void host_stack(struct host_task *t, uint64_t sp)
{
	t->regs.sp = sp;
}

void host_mappings_busy(bool busy)
{
	host.busy = busy;
}

void host_fault(struct host_task *t, bool begins)
{
	host.current = t;
	if (begins)
		on_fault(0, &t->regs, 0);
	else
		on_fault_end(NULL);
}

void host_vsyscall(struct host_task *t)
{
	host.current = t;
	on_fault(0xffffffffff600400, &t->regs, 0x14);
}

void host_goes_on(struct host_task *t)
{
	t->regs.ip++;
}

bool host_python_text(struct gn_interpreted_text *to, const void *object,
		      const struct gn_interpreter *py)
{
	return python_text(to, (__u64)object, py);
}

void host_timer(struct host_task *t, const uint64_t *frame, uint32_t nframes)
{
	host.current = t;
	host.frame = frame;
	host.nframes = nframes;
	on_sample(NULL);
}

void host_syscall(struct host_task *t, bool begins, int nr)
{
	host.current = t;
	if (begins)
		on_sys_enter(&t->regs, nr);
	else
		on_sys_exit(&t->regs, 0);
}

void host_settle(struct host_task *t)
{
	host.current = t;
	over_cpu(NULL);
}

void host_self(struct host_task *t)
{
	control.self = (uint32_t)t->p.pid;
}

void host_nothing(void)
{
	on_switch(false, NULL, NULL, 0);
	on_wakeup(NULL);
	on_waking(NULL);
	on_fork(NULL, NULL);
	on_exec(NULL, 0, NULL);
	on_rename(NULL, NULL);
	on_exit(NULL);
	control.command = 1;
	on_signal_sent(1, NULL, NULL);
}

void host_fork(struct host_task *parent, struct host_task *child)
{
	host.current = parent;
	on_fork(&parent->p, &child->p);
}

void host_rename(struct host_task *t, const char *comm)
{
	host.current = t;
	on_rename(&t->p, comm);
}

void host_exit(struct host_task *t)
{
	host.current = t;
	on_exit(&t->p);
}

void host_stop(void)
{
	control.stop = host.now;
}

void host_finish(void)
{
	control.finishing = 1;
	for (int i = 0; i < host.ntasks; i++)
		iterate(&host.task[i]);
	control.finishing = 0;
}

void host_interrupt(void (*come)(void *ctx), void *ctx)
{
	host.come = come;
	host.ctx = ctx;
}

void host_ring_full(bool full)
{
	host.full = full;
}

const void *host_sample(size_t i, size_t *size)
{
	if (i >= host.nsamples)
		return NULL;
	*size = host.sample[i].size;
	return (char *)host.ring + host.sample[i].at;
}

const void *host_last(enum gn_kind kind)
{
	const struct gn_rec *found = NULL, *r;
	size_t size;

	for (size_t i = 0; (r = host_sample(i, &size)); i++)
		if (r->kind == kind)
			found = r;
	return found;
}

uint32_t host_roll(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

uint64_t host_counter(enum gn_counter which)
{
	return control.counters[which];
}
