/* SPDX-License-Identifier: BSD-2-Clause */
/* The CLR's functions that wait. The names of Monitor and the finalizer were
 * seen on .NET 10; those of the pool and of timers are from its sources. */
#include <stddef.h>

#include "runtime/roles.h"

#define T "System.Threading."

const struct gn_role_glob gn_dotnet_waits[] = {
	/* not Monitor.Wait: it releases the lock and waits for a signal */
	{T "Monitor.Enter*", GN_ROLE_LOCK},
	{T "Monitor.TryEnter*", GN_ROLE_LOCK},
	{T "Monitor.ReliableEnter*", GN_ROLE_LOCK},
	{T "Lock.Enter*", GN_ROLE_LOCK},
	{T "Lock.TryEnter*", GN_ROLE_LOCK},
	{T "ReaderWriterLockSlim.*Enter*", GN_ROLE_LOCK},
	{T "SpinLock.*", GN_ROLE_LOCK},
	{T "SemaphoreSlim.Wait*", GN_ROLE_SEMAPHORE},
	{"System.Collections.Concurrent.BlockingCollection*", GN_ROLE_QUEUE},
	{T "PortableThreadPool+WorkerThread.*", GN_ROLE_IDLE},
	{T "PortableThreadPool+GateThread.*", GN_ROLE_IDLE},
	{T "PortableThreadPool+WaitThread.*", GN_ROLE_IDLE},
	{T "LowLevelLifoSemaphore.*", GN_ROLE_IDLE},
	{T "TimerQueue.*", GN_ROLE_IDLE},
	{"System.Diagnostics.Tracing.CounterGroup.PollForValues*",
	 GN_ROLE_IDLE},
	{"Microsoft.AspNetCore.Server.Kestrel.*Heartbeat.TimerLoop*",
	 GN_ROLE_IDLE},
	/* what all of these call to wait */
	{T "Monitor.*", GN_ROLE_WAIT},
	{T "Condition.*", GN_ROLE_WAIT},
	{T "LowLevelLock.*", GN_ROLE_WAIT},
	{T "LowLevelMonitor.*", GN_ROLE_WAIT},
	{T "WaitHandle.*", GN_ROLE_WAIT},
	{T "WaitSubsystem*", GN_ROLE_WAIT},
	{T "ManualResetEventSlim.*", GN_ROLE_WAIT},
	{T "SynchronizationContext.*", GN_ROLE_WAIT},
	{T "ReaderWriterLockSlim.*", GN_ROLE_WAIT},
	{"Interop+Sys.LowLevelMonitor_*", GN_ROLE_WAIT},
	{NULL, GN_ROLE_NONE},
};

static const struct gn_role_glob threads[] = {
	{".NET Finalizer", GN_ROLE_IDLE},
	{".NET Tiered Com", GN_ROLE_IDLE},
	{".NET Tiered JIT", GN_ROLE_IDLE}, /* in .NET 11 */
	{".NET SigHandler", GN_ROLE_SERVICE},
	{".NET SynchManag", GN_ROLE_SERVICE},
	{".NET EventPipe", GN_ROLE_SERVICE},
	{".NET DebugPipe", GN_ROLE_SERVICE},
	{".NET Debugger", GN_ROLE_SERVICE},
	{".NET TP Gate", GN_ROLE_GATE},
	{".NET TP Worker", GN_ROLE_WORKER},
	{".NET Timer", GN_ROLE_SERVICE},
	{".NET Counter Po", GN_ROLE_SERVICE},
	{"Kestrel Timer", GN_ROLE_SERVICE},
	{".NET Server GC", GN_ROLE_COLLECTOR},
	{".NET BGC", GN_ROLE_COLLECTOR},
	{NULL, GN_ROLE_NONE},
};

const struct gn_role_list gn_clr_roles = {
	.globs = gn_dotnet_waits,
	.threads = threads,
};
