// SPDX-License-Identifier: BSD-2-Clause
// A program that throws; it is only read, never run.
#include <cstdio>
#include <stdexcept>

#define KEEP __attribute__((noinline, used))

KEEP int add(int a, int b)
{
	return a + b * 3;
}

KEEP int thrower(int a)
{
	if (a > 3)
		throw std::runtime_error("more than three");
	return a;
}

KEEP int passes(int a)
{
	return thrower(a) + add(a, 1);
}

int main(int argc, char **)
{
	try {
		std::printf("%d\n", passes(argc));
	} catch (const std::exception &e) {
		std::puts(e.what());
	}
	return 0;
}
