/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of rules. */
#include "explain/rules.h"

#define RULE(function, verb)                                  \
	.look = gn_look_##function, .say = gn_say_##function, \
	.next = gn_next_##function, .what = GN_NEXT_##verb

#define WAIT(word, id, threshold, level)                                    \
	{                                                                   \
		.name = word,                                               \
		.condition = "busy threads waited for it for a large part " \
			     "of their time",                               \
		.severity = GN_SEVERITY_##level, .least = (threshold),      \
		.class = GN_CLASS_##id, RULE(wait, REPORT)                  \
	}

static const struct gn_rule rules[] = {
	{.name = "broken",
	 .condition = "a self-check failed",
	 .severity = GN_SEVERITY_ERROR,
	 .lossy = true,
	 RULE(broken, REPORT)},
	{.name = "lost",
	 .condition = "records were lost",
	 .severity = GN_SEVERITY_ERROR,
	 .lossy = true,
	 RULE(lost, AGAIN)},
	{.name = "idle",
	 .condition = "all threads together used at most 2 % of one CPU",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.98,
	 .idle = true,
	 RULE(idle, REPORT)},
	{.name = "critical-path",
	 .condition = "one thread was busy for half of the time or more, and "
		      "all others had a quarter of its time on CPUs or less",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(path, REPORT)},
	{.name = "own-code",
	 .condition = "one function has a tenth of the application time",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.1,
	 RULE(own, REPORT)},
	{.name = "sampled",
	 .condition =
		 "one function has a tenth of 20 samples or more (--snapshot)",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.1,
	 RULE(sampled, REPORT)},
	{.name = "untraced",
	 .condition = "half of the application time is in no traced function",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(untraced, WHOLE)},
	WAIT("lock", LOCK, 0.05, WARNING),
	WAIT("disk", DISK, 0.2, WARNING),
	WAIT("net", NET, 0.2, NOTE),
	WAIT("ipc", IPC, 0.2, NOTE),
	WAIT("sleep", SLEEP, 0.2, NOTE),
	{.name = "event",
	 .condition = "threads waited for others for a fifth of their time, in "
		      "functions whose calls are short",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.2,
	 .class = GN_CLASS_EVENT,
	 RULE(event, REPORT)},
	{.name = "async",
	 .condition = "async methods waited at awaits that are short for half "
		      "as long as the capture took, or longer",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.5,
	 RULE(async, REPORT)},
	{.name = "cpus",
	 .condition = "threads were ready, but without a CPU, for a fifth of "
		      "the time that they wanted one, and half of a CPU or "
		      "more was wanted",
	 .severity = GN_SEVERITY_WARNING,
	 .least = GN_CPUS_LEAST,
	 .class = GN_CLASS_RUNQUEUE,
	 RULE(cpus, REPORT)},
	{.name = "late",
	 .condition = "a ready thread waited 5 ms or more for a CPU, for 1 % "
		      "of the capture or more, where CPUs did not lack",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.01,
	 .class = GN_CLASS_RUNQUEUE,
	 RULE(late, REPORT)},
	{.name = "page-faults",
	 .condition = "a tenth of the time on CPUs went into page faults",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_FAULT,
	 RULE(faults, REPORT)},
	{.name = "jit",
	 .condition = "a tenth of the time on CPUs went into compiling that "
		      "tracing did not cause",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_JIT,
	 RULE(jit, REPORT)},
	{.name = "traced-jit",
	 .condition = "a quarter of the time on CPUs went into compiling that "
		      "tracing caused",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.25,
	 .class = GN_CLASS_JIT,
	 RULE(traced_jit, SAMPLES)},
	{.name = "gc",
	 .condition = "collecting garbage, and waiting for it, took a "
		      "twentieth of the threads' time",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.05,
	 .class = GN_CLASS_GC,
	 RULE(gc, REPORT)},
	{.name = "syscalls",
	 .condition = "a tenth of the time on CPUs went into system calls of "
		      "5 us or less (--os syscalls)",
	 .severity = GN_SEVERITY_WARNING,
	 .least = 0.1,
	 .class = GN_CLASS_SYSCALL,
	 RULE(syscalls, REPORT)},
	{.name = "probes",
	 .condition = "gnomon's probes, and waiting for it in fast hooks, took "
		      "a quarter of the time on CPUs",
	 .severity = GN_SEVERITY_NOTE,
	 .least = 0.25,
	 RULE(probes, AGAIN)},
};

const struct gn_rule *gn_rule(size_t i)
{
	return i < sizeof(rules) / sizeof(rules[0]) ? &rules[i] : NULL;
}

bool gn_rule_at(size_t i, const char **name, const char **condition)
{
	const struct gn_rule *r = gn_rule(i);

	if (!r)
		return false;
	*name = r->name;
	*condition = r->condition;
	return true;
}
