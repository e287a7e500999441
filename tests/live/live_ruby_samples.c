/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of Ruby programs. */
#include "live_ruby.h"
#include "live_sampled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct live_sampled ruby(const char *path)
{
	return (struct live_sampled){"ruby", path, "sampled.rb"};
}

static void check_attached(struct live *t, const char *topic)
{
	const struct live_sampled s =
		ruby(live_ruby_known(t, "functions in samples"));

	live_sampled_attached(t, &s, topic);
}

void ruby_samples_attached(struct live *t)
{
	check_attached(t, "shares");
}

void ruby_samples_suggested(struct live *t)
{
	const struct live_sampled s =
		ruby(live_ruby_known(t, "functions in samples"));

	live_sampled_suggested(t, &s, "Ruby");
}

/* Methods in C have names, too. */
void ruby_samples_natives(struct live *t)
{
	check_attached(t, "natives");
}

void ruby_samples_threads(struct live *t)
{
	check_attached(t, "threads");
}

void ruby_samples_fibers(struct live *t)
{
	check_attached(t, "fibers");
}

/* A child has the methods of its parent at once. */
void ruby_samples_fork(struct live *t)
{
	check_attached(t, "forks");
}

void ruby_samples_renewed(struct live *t)
{
	check_attached(t, "renewed");
}

void ruby_samples_deep(struct live *t)
{
	const struct live_sampled s =
		ruby(live_ruby_known(t, "functions in samples"));

	live_sampled_deep(t, &s, "Object#down", "Object#first");
}

void ruby_samples_started(struct live *t)
{
	const struct live_sampled s =
		ruby(live_ruby_known(t, "functions in samples"));

	live_sampled_started(t, &s);
}

void ruby_samples_stacks(struct live *t)
{
	const struct live_sampled s =
		ruby(live_ruby_known(t, "functions in samples"));

	live_sampled_stacks(
		t, &s,
		";<main>;Object#shares;Größe::Laden#both;"
		"Größe.数える;Integer#times;block in Größe.数える ");
}

static const char *native(struct live *t, const char *name)
{
	return live_text(t, "%s/%s", getenv("NATIVE") ?: "", name);
}

void ruby_samples_hostile(struct live *t)
{
	static const struct live_sampled_trap traps[] = {
		{"none", "stacks", true, "Box#get"},
		{"frames", "cut", true, "Box#get"},
		{"scopes", "stacks", true, "f0"},
		{"wild", "unread", false, "burn"},
		{"kernel", "unread", false, "burn"},
		{"stack", "strange", false, "burn"},
		{"type", "strange", false, "burn"},
		{"names", "stacks", true, NULL},
		{"long", "stacks", true, NULL},
		{"array", "stacks", true, "f0"},
		{"table", "stacks", true, "#<Class>#get"},
	};
	const struct live_sampled s = ruby(native(t, "fake_ruby"));

	live_sampled_hostile(t, &s, traps, sizeof(traps) / sizeof(*traps));
}

/* Versions whose classes have their names elsewhere. */
void ruby_samples_later(struct live *t)
{
	static const struct live_sampled_trap traps[] = {
		{"none", "stacks", true, "Box#get"},
		{"frames", "cut", true, "Box#get"},
		{"long", "stacks", true, NULL},
		{"table", "stacks", true, "#<Class>#get"},
	};
	static const char *const fakes[] = {"fake_ruby_3_2", "fake_ruby_3_3"};

	for (size_t i = 0; i < sizeof(fakes) / sizeof(*fakes); i++) {
		const struct live_sampled s = ruby(native(t, fakes[i]));

		live_sampled_hostile(t, &s, traps,
				     sizeof(traps) / sizeof(*traps));
	}
}

/* Of a version that nobody has seen nothing is read, which is counted. */
void ruby_samples_unknown(struct live *t)
{
	static const struct live_sampled_trap trap = {"none", "unknown", false,
						      "burn"};
	const struct live_sampled s = ruby(native(t, "fake_ruby_unknown"));

	live_sampled_hostile(t, &s, &trap, 1);
}
