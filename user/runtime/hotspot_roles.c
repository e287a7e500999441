/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads and functions of a JVM are for. */
#include "runtime/java.h"

#define C	    "java.util.concurrent."
#define TOMCAT	    "org.apache.tomcat.util.threads."
#define RUN_MOUNTED "java.lang.VirtualThread.runContinuation("

static const struct gn_role_glob role_globs[] = {
	/* the thread tries again after a millisecond or more: maybe nobody
	 * wakes it */
	{GN_MONITOR_OF "*", GN_ROLE_LOCK_REPEATS},
	{RUN_MOUNTED "*", GN_ROLE_MOUNTS},
	{C "ThreadPoolExecutor.getTask()", GN_ROLE_IDLE},
	{C "ForkJoinPool.awaitWork*", GN_ROLE_IDLE},
	{C "ScheduledThreadPoolExecutor$DelayedWorkQueue.*", GN_ROLE_IDLE},
	{"java.lang.ref.Reference.waitForReferencePendingList()", GN_ROLE_IDLE},
	/* finalizers, with JDK 21 by a queue of their own, cleaners and timers
	 * have no work */
	{"java.lang.ref.ReferenceQueue.*", GN_ROLE_IDLE},
	{"java.lang.ref.NativeReferenceQueue.*", GN_ROLE_IDLE},
	{"java.util.TimerThread.mainLoop()", GN_ROLE_IDLE},
	/* Tomcat has a thread pool of its own, and so has Jetty */
	{TOMCAT "ThreadPoolExecutor.getTask()", GN_ROLE_IDLE},
	{TOMCAT "TaskQueue.poll(*", GN_ROLE_IDLE},
	{TOMCAT "TaskQueue.take(*", GN_ROLE_IDLE},
	{"org.eclipse.jetty.util.BlockingArrayQueue.poll(*", GN_ROLE_IDLE},
	{C "locks.ReentrantLock.lock*", GN_ROLE_LOCK},
	{C "locks.ReentrantLock$*Sync.lock*", GN_ROLE_LOCK},
	{C "locks.ReentrantReadWriteLock$*Lock.lock*", GN_ROLE_LOCK},
	{C "locks.StampedLock.*Lock*", GN_ROLE_LOCK},
	/* what all of these call to wait */
	{C "ForkJoinPool.*Block(*", GN_ROLE_WAIT},
	{C "*Queue.*", GN_ROLE_WAIT},
	{C "*Queue$*", GN_ROLE_WAIT},
	{C "locks.*", GN_ROLE_WAIT},
	{"jdk.internal.misc.Unsafe.park*", GN_ROLE_WAIT},
	{"java.lang.Object.wait*", GN_ROLE_WAIT},
	{NULL, GN_ROLE_NONE},
};

/* As the kernel has them: cut to 15 characters. */
static const struct gn_role_glob threads[] = {
	{"C1 CompilerThre", GN_ROLE_IDLE},
	{"C2 CompilerThre", GN_ROLE_IDLE},
	{"VM Periodic Tas", GN_ROLE_IDLE},
	{"Signal Dispatch", GN_ROLE_IDLE},
	{"Service Thread", GN_ROLE_IDLE},
	{"Monitor Deflati", GN_ROLE_IDLE},
	/* of the parallel collector and G1; of ZGC; of Shenandoah */
	{"GC Thread#*", GN_ROLE_COLLECTOR},
	{"G1 *", GN_ROLE_COLLECTOR},
	{"ZDirector", GN_ROLE_COLLECTOR},
	{"ZDriver*", GN_ROLE_COLLECTOR},
	{"ZStat", GN_ROLE_COLLECTOR},
	{"ZUncommitter*", GN_ROLE_COLLECTOR},
	{"ZUnmapper", GN_ROLE_COLLECTOR},
	/* where there are generations, Young or Old precedes the number */
	{"ZWorker*#*", GN_ROLE_COLLECTOR},
	{"RuntimeWorker#*", GN_ROLE_COLLECTOR},
	{"Shenandoah *", GN_ROLE_COLLECTOR},
	{NULL, GN_ROLE_NONE},
};

const struct gn_role_list gn_hotspot_roles = {.globs = role_globs,
					      .threads = threads};

const char *const gn_hotspot_always[] = {GN_MONITOR_OF, RUN_MOUNTED, NULL};
