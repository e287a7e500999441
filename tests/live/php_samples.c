/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of PHP programs. */
#include "live_sampled.h"
#include "php.h"

#include <stdlib.h>

static struct live_sampled php(struct live *t)
{
	php_need(t);
	return (struct live_sampled){"php", getenv("PHP"), "sampled.php"};
}

static void check_attached(struct live *t, const char *topic)
{
	const struct live_sampled s = php(t);

	live_sampled_attached(t, &s, topic);
}

void php_samples_attached(struct live *t)
{
	check_attached(t, "shares");
}

void php_samples_suggested(struct live *t)
{
	const struct live_sampled s = php(t);

	live_sampled_suggested(t, &s, "PHP");
}

/* Functions of extensions have names, too. */
void php_samples_natives(struct live *t)
{
	check_attached(t, "natives");
}

/* And generators. */
void php_samples_fibers(struct live *t)
{
	check_attached(t, "fibers");
}

void php_samples_deep(struct live *t)
{
	const struct live_sampled s = php(t);

	live_sampled_deep(t, &s, "Shop\\down", "Shop\\first");
}

void php_samples_started(struct live *t)
{
	const struct live_sampled s = php(t);

	live_sampled_started(t, &s);
}

void php_samples_stacks(struct live *t)
{
	const struct live_sampled s = php(t);

	live_sampled_stacks(t, &s,
			    ";{main} sampled.php;Shop\\shares;Shop\\Cart::all;"
			    "Shop\\Cart::zählen ");
}

static struct live_sampled native(struct live *t, const char *name)
{
	return (struct live_sampled){
		"php", live_text(t, "%s/%s", getenv("NATIVE") ?: "", name), ""};
}

void php_samples_hostile(struct live *t)
{
	static const struct live_sampled_trap traps[] = {
		{"none", "stacks", true, "Box::get"},
		{"frames", "cut", true, "Box::get"},
		{"wild", "unread", false, "burn"},
		{"kernel", "unread", false, "burn"},
		{"type", "strange", false, "burn"},
		{"names", "stacks", true, NULL},
		{"long", "stacks", true, NULL},
		{"extension", "names", true, "[PHP function]"},
	};
	const struct live_sampled s = native(t, "fake_php");

	live_sampled_hostile(t, &s, traps, sizeof(traps) / sizeof(*traps));
}

/* Of a version that nobody has seen nothing is read, which is counted. */
void php_samples_unknown(struct live *t)
{
	static const struct live_sampled_trap trap = {"none", "unknown", false,
						      "burn"};
	const struct live_sampled s = native(t, "fake_php_unknown");

	live_sampled_hostile(t, &s, &trap, 1);
}
