// SPDX-License-Identifier: BSD-2-Clause
// Exceptions through frames with and without destructors, rethrown, nested,
// carried to another thread, out of a closed function's caller.
// HARMLESS: libs=-pthread
#include <exception>
#include <stdexcept>
#include <thread>

#include "../fragment.h"

extern "C" {
COUNTED(throw_guard)
KEEP void throw_guard(long *n)
{
	COUNT(throw_guard);
	++*n;
}

COUNTED(throw_closed)
KEEP long throw_closed(long n)
{
	COUNT(throw_closed);
	return n & 0xff;
}
}

struct ThrowGuard {
	long *n;
	~ThrowGuard()
	{
		throw_guard(n);
	}
};

extern "C" {
COUNTED(throw_leaf)
KEEP void throw_leaf(int what)
{
	COUNT(throw_leaf);
	if (what == 1)
		throw std::runtime_error("one");
	if (what == 2)
		throw 2;
	if (what == 3)
		throw what * 1.5;
}

COUNTED(throw_frame)
KEEP long throw_frame(int what, long left, long *n)
{
	ThrowGuard guard{n};

	COUNT(throw_frame);
	if (left > 0)
		return throw_frame(what, left - 1, n) + throw_closed(left);
	throw_leaf(what);
	return 1;
}

COUNTED(throw_bare)
KEEP long throw_bare(int what, long left, long *n)
{
	long r;

	COUNT(throw_bare);
	r = left > 0 ? throw_bare(what, left - 1, n) : throw_frame(what, 3, n);
	OPAQUE(r);
	return r;
}

COUNTED(throw_again)
KEEP long throw_again(int what, long depth, long *n)
{
	COUNT(throw_again);
	try {
		return throw_bare(what, depth, n);
	} catch (int i) {
		*n += i;
		throw;
	} catch (const std::exception &) {
		try {
			throw_frame(2, depth, n);
		} catch (int i) {
			*n += i;
		}
		throw;
	}
}

COUNTED(throw_catch)
KEEP long throw_catch(int what, long depth, long *n)
{
	COUNT(throw_catch);
	try {
		return throw_again(what, depth, n);
	} catch (const std::exception &e) {
		return e.what()[0];
	} catch (int i) {
		return i;
	} catch (...) {
		return 9;
	}
}
}

static long in_thread(int what)
{
	std::exception_ptr p;
	long n = 0;
	std::thread t([&] {
		try {
			throw_bare(what, 4, &n);
		} catch (...) {
			p = std::current_exception();
		}
	});

	t.join();
	try {
		if (p)
			std::rethrow_exception(p);
	} catch (const std::exception &) {
		return n + 1;
	} catch (...) {
		return n + 2;
	}
	return n;
}

FRAGMENT(throw)
{
	long n = 0, sum = 0;

	for (int what = 0; what < 4; what++)
		sum += throw_catch(what, how % 90, &n);
	if (how & 1)
		sum += in_thread(how % 4);
	return sum + n;
}
