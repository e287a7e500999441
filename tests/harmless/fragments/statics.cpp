// SPDX-License-Identifier: BSD-2-Clause
// Constructors and destructors of globals, locals that are made once, atexit.
#include <cstdlib>
#include <unistd.h>

#include "../fragment.h"

extern "C" {
COUNTED(statics_made)
KEEP long statics_made(long n)
{
	COUNT(statics_made);
	return n + 1;
}

static void tell(const char *what, size_t n)
{
	if (write(STDOUT_FILENO, what, n) < 0)
		_exit(97);
}

KEEP void statics_end(void)
{
	tell("result statics_end 1\n", 21);
}
}

struct Statics {
	long n;
	explicit Statics(long from) : n(statics_made(from))
	{
	}
	~Statics()
	{
		tell("result statics_gone 1\n", 22);
	}
};

static Statics first(1), second(2);
static thread_local Statics own(3);

extern "C" KEEP long statics_local(long n)
{
	static Statics once(n);

	return once.n;
}

FRAGMENT(statics)
{
	static int registered;

	if (!registered++)
		std::atexit(statics_end);
	return first.n + second.n + own.n + statics_local(7) + (how & 1);
}
