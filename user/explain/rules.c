/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of rules. gnomon(1) documents when each one holds, too. */
#include "explain/rules.h"

#define RULE_OF(look_of, say_of, next_of, verb)            \
	.look = gn_look_##look_of, .say = gn_say_##say_of, \
	.next = gn_next_##next_of, .what = GN_NEXT_##verb

#define RULE(function, verb) RULE_OF(function, function, function, verb)

#define WAIT(word, id, threshold, level)                       \
	{                                                      \
		.name = word, .severity = GN_SEVERITY_##level, \
		.least = (threshold), .class = GN_CLASS_##id,  \
		RULE(wait, REPORT)                             \
	}

static const struct gn_rule rules[] = {
	{.name = "broken",
	 .severity = GN_SEVERITY_ERROR,
	 .lossy = true,
	 RULE(broken, REPORT)},
	{.name = "lost",
	 .severity = GN_SEVERITY_ERROR,
	 .lossy = true,
	 RULE_OF(lost, lost, probes, AGAIN)},
	{.name = "halted",
	 .severity = GN_SEVERITY_WARNING,
	 .least = GN_HALTED_LEAST,
	 RULE(halted, REPORT)},
	{.name = "idle",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.98,
	 .idle = true,
	 RULE(idle, REPORT)},
	{.name = "critical-path",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(path, REPORT)},
	{.name = "own-code",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.1,
	 RULE(own, REPORT)},
	{.name = "sampled",
	 .severity = GN_SEVERITY_NOTE,
	 .least = GN_SAMPLED_LEAST,
	 RULE(sampled, REPORT)},
	{.name = "untraced",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(untraced, WHOLE)},
	WAIT("lock", LOCK, 0.05, WARNING),
	WAIT("disk", DISK, 0.2, WARNING),
	WAIT("net", NET, 0.2, NOTE),
	WAIT("ipc", IPC, 0.2, NOTE),
	WAIT("sleep", SLEEP, 0.2, NOTE),
	{.name = "poll",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.2,
	 .class = GN_CLASS_POLL,
	 RULE_OF(poll, poll, wait, REPORT)},
	{.name = "event",
	 .severity = GN_SEVERITY_NOTE,
	 .least = GN_EVENTS_LEAST,
	 .class = GN_CLASS_EVENT,
	 RULE_OF(event, event, wait, REPORT)},
	{.name = "child",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.2,
	 .class = GN_CLASS_CHILD,
	 RULE_OF(event, wait, child, REPORT)},
	{.name = "pool-starvation",
	 .severity = GN_SEVERITY_WARNING,
	 .least = GN_STARVED_LEAST,
	 RULE(starved, REPORT)},
	{.name = "sync-over-async",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_EVENT,
	 RULE(tasks, REPORT)},
	{.name = "async",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(async, REPORT)},
	{.name = "async-unseen",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(async_unseen, AGAIN)},
	{.name = "cpus",
	 .severity = GN_SEVERITY_WARNING,
	 .least = GN_CPUS_LEAST,
	 .class = GN_CLASS_RUNQUEUE,
	 RULE(cpus, REPORT)},
	{.name = "late",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.01,
	 .class = GN_CLASS_RUNQUEUE,
	 RULE_OF(late, late, cpus, REPORT)},
	{.name = "memory",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 RULE(memory, REPORT)},
	{.name = "page-faults",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_FAULT,
	 RULE(faults, REPORT)},
	{.name = "jit",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_JIT,
	 RULE(jit, REPORT)},
	{.name = "traced-jit",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.25,
	 .class = GN_CLASS_JIT,
	 RULE(traced_jit, SAMPLES)},
	{.name = "gc",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.05,
	 .class = GN_CLASS_GC,
	 RULE(gc, REPORT)},
	{.name = "exceptions",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 RULE(exceptions, REPORT)},
	{.name = "unwound",
	 .severity = GN_SEVERITY_NOTE,
	 RULE(unwound, EVENTS)},
	{.name = "queries",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 RULE(queries, REPORT)},
	{.name = "connections",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.5,
	 RULE(connections, REPORT)},
	{.name = "syscalls",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_SYSCALL,
	 RULE(syscalls, REPORT)},
	{.name = "probes",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.25,
	 RULE(probes, AGAIN)},
};

const struct gn_rule *gn_rule(size_t i)
{
	return i < sizeof(rules) / sizeof(rules[0]) ? &rules[i] : NULL;
}

const char *gn_rule_name(size_t i)
{
	const struct gn_rule *r = gn_rule(i);

	return r ? r->name : NULL;
}
