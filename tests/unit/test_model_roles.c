// SPDX-License-Identifier: BSD-2-Clause
/* The meaning of the functions on top of a stack for a wait, by the lists of
 * the CLR; and the threads that run Java's virtual threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include <gnomon/syscalls.h>
#include "model_feed.h"
#include "runtime/roles.h"

#define CLR(n) GN_FUNC(GN_RUNTIME_CLR, n)

static void functions_have_roles(void **state)
{
	static const struct {
		const char *name;
		enum gn_role role;
	} cases[] = {
		{"System.Threading.Monitor.Enter(object)", GN_ROLE_LOCK},
		{"System.Threading.Monitor.TryEnter_Slowpath(object,int)",
		 GN_ROLE_LOCK},
		{"System.Threading.Monitor.Wait(object)", GN_ROLE_WAIT},
		{"System.Threading.Lock.EnterScope()", GN_ROLE_LOCK},
		{"System.Threading.Lock.TryEnterSlow(int,int)", GN_ROLE_LOCK},
		{"System.Threading.Lock.Exit()", GN_ROLE_NONE},
		{"System.Threading.ReaderWriterLockSlim.TryEnterReadLock(int)",
		 GN_ROLE_LOCK},
		{"System.Threading.SpinLock.ContinueTryEnter(int,bool&)",
		 GN_ROLE_LOCK},
		{"System.Threading.SemaphoreSlim.WaitCore(int)",
		 GN_ROLE_SEMAPHORE},
		{"System.Collections.Concurrent.BlockingCollection`1.TryTake("
		 "T&,int)",
		 GN_ROLE_QUEUE},
		{"System.Threading.SemaphoreSlim.Release()", GN_ROLE_NONE},
		{"System.Threading.PortableThreadPool+WorkerThread."
		 "WorkerThreadStart()",
		 GN_ROLE_IDLE},
		{"System.Threading.PortableThreadPool+GateThread."
		 "GateThreadStart()",
		 GN_ROLE_IDLE},
		{"System.Threading.LowLevelLifoSemaphore.Wait(int,bool)",
		 GN_ROLE_IDLE},
		{"System.Threading.TimerQueue.TimerThread()", GN_ROLE_IDLE},
		{"System.Threading.WaitHandle.WaitOne()", GN_ROLE_WAIT},
		{"System.Threading.Thread.Sleep(int)", GN_ROLE_NONE},
		{"My.System.Threading.Monitor.Enter(object)", GN_ROLE_NONE},
		{"", GN_ROLE_NONE},
	};
	/* a worker waits by a queue, but so can others */
	static const struct {
		const char *name;
		enum gn_role role;
	} java[] = {
		{"java.lang.ref.NativeReferenceQueue.await()", GN_ROLE_IDLE},
		{"java.util.concurrent.ThreadPoolExecutor.getTask()",
		 GN_ROLE_IDLE},
		{"java.util.concurrent.ScheduledThreadPoolExecutor"
		 "$DelayedWorkQueue.take()",
		 GN_ROLE_IDLE},
		{"java.util.concurrent.LinkedBlockingQueue.take()",
		 GN_ROLE_WAIT},
		{"java.util.concurrent.ForkJoinPool.managedBlock("
		 "java.util.concurrent.ForkJoinPool$ManagedBlocker)",
		 GN_ROLE_WAIT},
		{"java.util.concurrent.SynchronousQueue$TransferStack.transfer"
		 "(java.lang.Object, boolean, long)",
		 GN_ROLE_WAIT},
		{"java.util.concurrent.ThreadPoolExecutor.<init>(int, int, "
		 "long, java.util.concurrent.TimeUnit, "
		 "java.util.concurrent.BlockingQueue)",
		 GN_ROLE_NONE},
		{"org.apache.tomcat.util.threads.TaskQueue.poll(long, "
		 "java.util.concurrent.TimeUnit)",
		 GN_ROLE_IDLE},
	};
	static const char *const services[] = {
		".NET SigHandler", ".NET SynchManag", ".NET EventPipe",
		".NET DebugPipe",  ".NET Debugger",   ".NET Timer"};
	const struct gn_roles *r = &gn_runtime_roles;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(r->of_function(GN_RUNTIME_CLR, cases[i].name),
				 cases[i].role);
		/* it has no meaning in another runtime */
		assert_int_equal(
			r->of_function(GN_RUNTIME_NATIVE, cases[i].name),
			GN_ROLE_NONE);
	}
	assert_int_equal(r->of_function(99, cases[0].name), GN_ROLE_NONE);
	assert_int_equal(r->of_function(GN_RUNTIME_HOTSPOT, "monitor of A$B"),
			 GN_ROLE_LOCK_REPEATS);
	assert_int_equal(
		r->of_function(GN_RUNTIME_HOTSPOT,
			       "java.lang.VirtualThread.runContinuation()"),
		GN_ROLE_MOUNTS);
	for (i = 0; i < sizeof(java) / sizeof(java[0]); i++)
		assert_int_equal(
			r->of_function(GN_RUNTIME_HOTSPOT, java[i].name),
			java[i].role);
	assert_int_equal(r->of_thread(".NET Finalizer"), GN_ROLE_IDLE);
	assert_int_equal(r->of_thread(".NET Tiered Com"), GN_ROLE_IDLE);
	assert_int_equal(r->of_thread(".NET Tiered JIT"), GN_ROLE_IDLE);
	for (i = 0; i < sizeof(services) / sizeof(services[0]); i++)
		assert_int_equal(r->of_thread(services[i]), GN_ROLE_SERVICE);
	assert_int_equal(r->of_thread(".NET TP Gate"), GN_ROLE_GATE);
	assert_int_equal(r->of_thread(".NET TP Worker"), GN_ROLE_WORKER);
	assert_int_equal(r->of_thread(".NET Finalizer2"), GN_ROLE_NONE);
	assert_int_equal(r->of_thread(".NET BGC"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("GC Thread#12"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("G1 Main Marker"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("ZWorker#0"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("ZWorkerYoung#0"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("ZWorkerOld#1"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("ZUncommitter"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("ZUncommitter#0"), GN_ROLE_COLLECTOR);
	assert_int_equal(r->of_thread("C2 CompilerThre"), GN_ROLE_IDLE);
	assert_int_equal(r->of_thread(""), GN_ROLE_NONE);
}

static void name(struct feed *f, uint32_t n, const char *text)
{
	feed_name(f, 1, CLR(n), 1, text);
}

/* Frames for these letters, the outermost first. */
static const struct {
	char letter;
	const char *name;
} functions[] = {
	{'u', "My.Program.Work()"},
	{'L', "System.Threading.Monitor.Enter(object)"},
	{'s', "System.Threading.SemaphoreSlim.WaitCore(int)"},
	{'q', "System.Collections.Concurrent.BlockingCollection`1.Take()"},
	{'w', "System.Threading.WaitHandle.WaitOne()"},
	{'I', "System.Threading.PortableThreadPool+WorkerThread."
	      "WorkerThreadStart()"},
	{'h', "Microsoft.AspNetCore.Server.Kestrel.Core.Internal."
	      "Infrastructure.Heartbeat.TimerLoop()"},
	{'c', "System.Diagnostics.Tracing.CounterGroup.PollForValues()"},
};

static uint32_t number_of(char letter)
{
	uint32_t i = 0;

	while (functions[i].letter != letter)
		i++;
	return i + 1;
}

static struct feed feed_roles(void)
{
	struct gn_pipeline_opts opts = {.live = true,
					.roles = gn_runtime_roles};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	uint32_t i;

	assert_non_null(f.p);
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		name(&f, i + 1, functions[i].name);
	return f;
}

/* A wait of 50 in a stack of these frames. */
static void wait_in_stack(const char *stack, enum gn_class class,
			  enum gn_class want, bool idle)
{
	struct feed f = feed_roles();
	uint64_t key = 0x800;
	struct gn_model *m;
	const char *s;

	for (s = stack; *s; s++)
		feed_event(&f, 10, 1, GN_KIND_ENTER, CLR(number_of(*s)),
			   key -= 8, 0);
	feed_slice(&f, 20, 70, 1, class, 0, false);
	feed_now(&f, 100, 1, GN_CPU_WAITING, class, 80);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->live->doing, want);
	assert_int_equal(thread_in(m, 1)->classes[want], 70);
	gn_model_free(m);
	feed_slice(&f, 80, 120, 1, class, 0, false);
	feed_event(&f, 200, 1, GN_KIND_EXIT, 0, 0, 90);
	m = feed_finish(&f);
	assert_int_equal(m->nwaits, 1);
	assert_int_equal(m->waits[0].class, want);
	assert_int_equal(m->waits[0].idle, idle);
	assert_int_equal(m->checks.slice_mismatches, 0);
	gn_model_free(m);
}

static void frames_on_top_say_what_an_event_is(void **state)
{
	(void)state;
	wait_in_stack("u", GN_CLASS_EVENT, GN_CLASS_EVENT, false);
	wait_in_stack("uL", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("uLww", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("Iw", GN_CLASS_EVENT, GN_CLASS_EVENT, true);
	/* a wait inside a worker's item is not idle, nor is one inside a lock's
	 * owner */
	wait_in_stack("Iuw", GN_CLASS_EVENT, GN_CLASS_EVENT, false);
	wait_in_stack("Lu", GN_CLASS_EVENT, GN_CLASS_EVENT, false);
	wait_in_stack("ww", GN_CLASS_EVENT, GN_CLASS_EVENT, false);
	/* a semaphore is a lock, unless a queue waits with it */
	wait_in_stack("uw", GN_CLASS_EVENT, GN_CLASS_EVENT, false);
	wait_in_stack("usw", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("sw", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("Isw", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("uqqssw", GN_CLASS_EVENT, GN_CLASS_EVENT, false);
	wait_in_stack("uqsL", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("qusw", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	/* only this many frames are examined */
	wait_in_stack("Lwwwwwwwwwwwwwww", GN_CLASS_EVENT, GN_CLASS_LOCK, false);
	wait_in_stack("Lwwwwwwwwwwwwwwww", GN_CLASS_EVENT, GN_CLASS_EVENT,
		      false);
	/* a class that the kernel knows stays; a worker's timeout is a sleep */
	wait_in_stack("uL", GN_CLASS_SLEEP, GN_CLASS_SLEEP, false);
	wait_in_stack("I", GN_CLASS_SLEEP, GN_CLASS_SLEEP, true);
	wait_in_stack("hw", GN_CLASS_SLEEP, GN_CLASS_SLEEP, true);
	wait_in_stack("cww", GN_CLASS_SLEEP, GN_CLASS_SLEEP, true);
	wait_in_stack("uL", GN_CLASS_POLL, GN_CLASS_POLL, false);
	wait_in_stack("I", GN_CLASS_DISK, GN_CLASS_DISK, false);
}

/* Whether a wait of a thread with that name, in no function, is idle. */
static bool idles(const char *comm, enum gn_class class)
{
	struct gn_pipeline_opts opts = {.roles = gn_runtime_roles};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model *m;
	bool idle;

	assert_non_null(f.p);
	feed_comm(&f, 0, 1, comm);
	feed_slice(&f, 20, 70, 1, class, 0, false);
	feed_event(&f, 200, 1, GN_KIND_EXIT, 0, 0, 50);
	m = feed_finish(&f);
	assert_int_equal(m->nwaits, 1);
	assert_int_equal(m->waits[0].class, class);
	idle = m->waits[0].idle;
	assert_int_equal(thread_in(m, 1)->helper, strcmp(comm, "main") != 0);
	gn_model_free(m);
	return idle;
}

/* The same in a function that waits, whose caller is not seen. */
static bool idles_in(const char *comm, char function)
{
	struct feed f = feed_roles();
	struct gn_model *m;
	bool idle;

	feed_comm(&f, 0, 2, comm);
	feed_event(&f, 10, 2, GN_KIND_ENTER, CLR(number_of(function)), 0x100,
		   0);
	feed_slice(&f, 20, 70, 2, GN_CLASS_SLEEP, 0, false);
	feed_event(&f, 200, 2, GN_KIND_EXIT, 0, 0, 50);
	m = feed_finish(&f);
	assert_int_equal(m->nwaits, 1);
	idle = m->waits[0].idle;
	gn_model_free(m);
	return idle;
}

/* A debugger's pipe that nobody opens, a signal that does not come. */
static void services_of_a_runtime_wait_for_nobody(void **state)
{
	(void)state;
	assert_true(idles(".NET DebugPipe", GN_CLASS_IPC));
	assert_true(idles(".NET DebugPipe", GN_CLASS_DISK));
	assert_true(idles(".NET EventPipe", GN_CLASS_POLL));
	assert_true(idles(".NET SynchManag", GN_CLASS_OTHER));
	assert_false(idles(".NET SynchManag", GN_CLASS_RUNQUEUE));
	assert_false(idles(".NET Tiered Com", GN_CLASS_DISK));
	assert_false(idles("main", GN_CLASS_IPC));
	assert_true(idles("Kestrel Timer", GN_CLASS_SLEEP));
	assert_true(idles(".NET Counter Po", GN_CLASS_SLEEP));
	/* a capture that began in its loop */
	assert_true(idles_in(".NET TP Gate", 'w'));
	assert_false(idles_in(".NET TP Gate", 'u'));
	/* the finalizer runs the program's code, too */
	assert_false(idles_in(".NET Finalizer", 'w'));
	assert_false(idles_in("main", 'w'));
}

static void wait_for_socket(struct feed *f, uint64_t start, uint64_t end,
			    uint16_t reason)
{
	struct gn_rec_slice r = {.h = {.time = end,
				       .tid = 1,
				       .seq = ++f->slice_seq[1],
				       .kind = GN_KIND_SLICE},
				 .start = start,
				 .reason = reason,
				 .class = GN_CLASS_NET};

	feed_rec(f, &r, sizeof(r));
}

/* A server's thread that waits for a connection has nothing to do; one that
 * waits for an answer has. */
static void waits_for_connections_are_idle(void **state)
{
	struct feed f = {.p = gn_pipeline_new(&(struct gn_pipeline_opts){0})};
	struct gn_model *m;

	(void)state;
	assert_non_null(f.p);
	feed_comm(&f, 0, 1, "main");
	wait_for_socket(&f, 20, 70, GN_NR_accept);
	wait_for_socket(&f, 80, 90, GN_NR_accept4);
	wait_for_socket(&f, 100, 107, GN_NR_recvfrom);
	feed_event(&f, 200, 1, GN_KIND_EXIT, 0, 0, 67);
	m = feed_finish(&f);
	assert_int_equal(m->nwaits, 3);
	for (size_t i = 0; i < m->nwaits; i++)
		assert_int_equal(m->waits[i].idle,
				 m->waits[i].reason != GN_NR_recvfrom);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_NET], 67);
	assert_int_equal(thread_in(m, 1)->accepted, 60);
	gn_model_free(m);
}

/* A runtime's own thread identifies the runtime of a process until it executes
 * another program. */
static void a_thread_shows_the_runtime(void **state)
{
	const struct gn_roles *r = &gn_runtime_roles;
	struct gn_pipeline_opts opts = {.live = true,
					.roles = gn_runtime_roles};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model *m;

	(void)state;
	assert_non_null(f.p);
	feed_comm(&f, 0, 1, "main");
	feed_comm(&f, 1, 2, ".NET SynchManag");
	feed_now(&f, 100, 1, GN_CPU_WAITING, GN_CLASS_EVENT, 80);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->runtime, GN_RUNTIME_CLR);
	gn_model_free(m);
	feed_thread(&f, 200, 1, GN_KIND_EXEC, 1, 0);
	feed_now(&f, 300, 1, GN_CPU_WAITING, GN_CLASS_EVENT, 280);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->runtime, 0);
	gn_model_free(m);
	gn_pipeline_free(f.p);
	/* .NET 11 has no SynchManag; native programs of .NET have the last */
	assert_int_equal(r->runtime_of(".NET Debugger"), GN_RUNTIME_CLR);
	assert_int_equal(r->runtime_of(".NET Tiered JIT"), GN_RUNTIME_CLR);
	assert_int_equal(r->runtime_of(".NET Finalizer"), 0);
}

#define JAVA(n) GN_FUNC(GN_RUNTIME_HOTSPOT, n)

/*
 * The calls that a virtual thread was in when it waited are on no stack then:
 * not below the calls of the next one, and its later leave is no doubt.
 */
static void virtual_threads_leave_their_calls(void **state)
{
	struct gn_pipeline_opts opts = {.roles = gn_runtime_roles};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	static const uint32_t calls[] = {1, 2, 0, 1, 2, 0, 1, 0};
	const struct gn_model_function *work;
	struct gn_model *m;

	(void)state;
	assert_non_null(f.p);
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_name(&f, 1, JAVA(1), 1,
		  "java.lang.VirtualThread.runContinuation()");
	feed_name(&f, 1, JAVA(2), 1, "App.work()");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		/* the first work() continues in the third part */
		if (i == 7)
			feed_event(&f, 75, 1, GN_KIND_LEAVE, JAVA(2), 0, 0);
		feed_event(&f, 10 * (i + 1), 1,
			   calls[i] ? GN_KIND_ENTER : GN_KIND_LEAVE,
			   JAVA(calls[i] ? calls[i] : 1), 0, 0);
	}
	feed_event(&f, 100, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	work = function_in(m, "App.work()");
	assert_int_equal(work->v.calls, 2);
	assert_int_equal(work->v.elapsed_incl, 20);
	assert_int_equal(m->checks.unwound_frames, 2);
	assert_int_equal(m->checks.unmatched_leaves, 1);
	assert_int_equal(m->checks.mounted_leaves, 1);
	assert_int_equal(m->checks.earlier_leaves, 0);
	assert_int_equal(m->checks.doubtful_threads, 0);
	gn_model_free(m);
}

#define MS 1000000ull

/* Names a thread that another one made. */
static void made(struct feed *f, uint64_t time, uint32_t tid, uint32_t by,
		 const char *comm)
{
	struct gn_rec_thread r = {.f = {.h = {.time = time,
					      .tid = tid,
					      .seq = ++f->seq[tid],
					      .kind = GN_KIND_THREAD}},
				  .pid = 1,
				  .parent = by};

	snprintf(r.comm, sizeof(r.comm), "%s", comm);
	feed_rec(f, &r, sizeof(r));
}

/* Two workers of a pool and its gate, which makes more of them. `class`: of
 * what the first two do all the time. */
static struct gn_model_starvation pool(const char *gate, enum gn_class class,
				       uint64_t apart)
{
	struct gn_pipeline_opts opts = {.roles = gn_runtime_roles};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model_starvation v;
	uint32_t waited[7] = {0, 0, 4000 * MS, 4000 * MS};
	struct gn_model *m;
	uint64_t waits = 0;

	assert_non_null(f.p);
	made(&f, 0, 1, 0, gate);
	made(&f, 0, 2, 0, ".NET TP Worker");
	made(&f, 0, 3, 0, ".NET TP Worker");
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t time = 500 * MS + i * apart;

		made(&f, time, 4 + i, 1, ".NET TP Worker");
		waited[4 + i] = (uint32_t)(4000 * MS - time);
	}
	for (uint32_t tid = 2; tid <= 6; tid++)
		feed_slice(&f, 4000 * MS - waited[tid], 4000 * MS, tid, class,
			   0, false);
	for (uint32_t tid = 1; tid <= 6; tid++)
		feed_event(&f, 4000 * MS, tid, GN_KIND_EXIT, 0, 0, waited[tid]);
	m = feed_finish(&f);
	v = m->starvation;
	for (size_t i = 0; i < m->nwaits; i++)
		waits += m->waits[i].starved;
	/* 2 workers in the first moment, 3 in the second, 4 in the third */
	if (v.moments == 3)
		assert_int_equal(waits, 2 + 3 + 4);
	gn_model_free(m);
	return v;
}

/* A pool starves when its gate makes workers while all others wait. */
static void a_pool_starves(void **state)
{
	struct gn_model_starvation v;

	(void)state;
	v = pool(".NET TP Gate", GN_CLASS_EVENT, 500 * MS);
	assert_int_equal(v.all, 3);
	assert_int_equal(v.moments, 3);
	assert_int_equal(v.workers, 4);
	v = pool(".NET TP Gate", GN_CLASS_SLEEP, 25 * MS);
	assert_int_equal(v.moments, 3);
	/* several at once are one moment */
	v = pool(".NET TP Gate", GN_CLASS_EVENT, 1 * MS);
	assert_int_equal(v.moments, 1);
	/* workers that are ready to run, or that wait for a collection */
	v = pool(".NET TP Gate", GN_CLASS_RUNQUEUE, 500 * MS);
	assert_int_equal(v.all, 3);
	assert_int_equal(v.moments, 0);
	v = pool(".NET TP Gate", GN_CLASS_SUSPEND, 500 * MS);
	assert_int_equal(v.moments, 0);
	/* a pool that grows as more work comes */
	v = pool(".NET TP Worker", GN_CLASS_EVENT, 500 * MS);
	assert_int_equal(v.all, 0);
	v = pool("main", GN_CLASS_EVENT, 500 * MS);
	assert_int_equal(v.all, 0);
}

enum { TAKES, PARKS, LOOPS, IDLES };

/* A piece of work of 10 ms, of which it waits for 9. Then IDLES finds no
 * work. */
static void work(struct feed *f, uint64_t at, uint32_t tid, int how, bool last)
{
	uint64_t os = how == IDLES && at ? MS / 2 : 0;

	if (how != LOOPS || !at)
		feed_event(f, at, tid, GN_KIND_ENTER, CLR(1), 0x100, os);
	feed_slice(f, at + MS / 4, at + MS / 4 + 9 * MS, tid, GN_CLASS_SLEEP, 0,
		   false);
	if (how != LOOPS)
		feed_event(f, at + 19 * MS / 2, tid, GN_KIND_LEAVE, CLR(1),
			   0x100, 9 * MS);
	if (how == IDLES)
		feed_slice(f, at + 19 * MS / 2, at + 10 * MS, tid,
			   GN_CLASS_EVENT, 0, false);
	if (last)
		feed_event(f, at + 10 * MS, tid, GN_KIND_EXIT, 0, 0,
			   how == LOOPS	  ? 900 * MS
			   : how == IDLES ? MS / 2
					  : 0);
}

/* Two workers work like this for a second. Returns how long all were taken. */
static uint64_t taken(int how)
{
	struct gn_pipeline_opts opts = {.roles = gn_runtime_roles};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model *m;
	uint64_t ns;

	assert_non_null(f.p);
	for (uint32_t tid = 2; tid <= 4; tid++)
		if (tid < 4 || how == PARKS)
			made(&f, 0, tid, 0, ".NET TP Worker");
	feed_name(&f, 1, CLR(1), 1, "My.Program.Work()");
	for (uint64_t i = 0; i < 100; i++)
		for (uint32_t tid = 2; tid <= 3; tid++)
			work(&f, i * 10 * MS, tid, how, i == 99);
	if (how == PARKS) {
		feed_slice(&f, 0, 1000 * MS, 4, GN_CLASS_EVENT, 0, false);
		feed_event(&f, 1000 * MS, 4, GN_KIND_EXIT, 0, 0, 1000 * MS);
	}
	m = feed_finish(&f);
	assert_int_equal(m->checks.slice_mismatches, 0);
	ns = m->starvation.taken_ns;
	assert_int_equal(m->starvation.taken_workers, ns ? 2 : 0);
	assert_int_equal(m->starvation.moments, 0);
	gn_model_free(m);
	return ns;
}

/* A pool is taken while none of its workers runs out of short pieces of work.
 * One that the pool keeps back does not matter. */
static void a_pool_is_taken(void **state)
{
	(void)state;
	assert_int_equal(taken(TAKES), 1000 * MS);
	assert_int_equal(taken(PARKS), 1000 * MS);
	/* all but the first half second are of long pieces of work */
	assert_true(taken(LOOPS) <= 520 * MS);
	assert_int_equal(taken(IDLES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_roles),
		cmocka_unit_test(frames_on_top_say_what_an_event_is),
		cmocka_unit_test(services_of_a_runtime_wait_for_nobody),
		cmocka_unit_test(waits_for_connections_are_idle),
		cmocka_unit_test(a_thread_shows_the_runtime),
		cmocka_unit_test(a_pool_starves),
		cmocka_unit_test(a_pool_is_taken),
		cmocka_unit_test(virtual_threads_leave_their_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
