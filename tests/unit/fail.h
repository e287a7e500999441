/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests that make each fallible call fail once: the linker redirects such
 * calls of the libraries under test to these wrappers (-Wl,--wrap=NAME), and
 * the armed one of them fails. Include after cmocka.h.
 */
#ifndef GNOMON_TESTS_FAIL_H
#define GNOMON_TESTS_FAIL_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The call that fails, counted from 1; 0 = none. */
static atomic_int fail_at, calls;
static atomic_bool failed;
static const char *_Atomic failed_call;

static bool fails(const char *call, int error)
{
	int n;

	if (!atomic_load(&fail_at))
		return false;
	n = atomic_fetch_add(&calls, 1) + 1;
	if (n != atomic_load(&fail_at))
		return false;
	atomic_store(&failed_call, call);
	atomic_store(&failed, true);
	errno = error;
	return true;
}

static void arm(int n)
{
	atomic_store(&failed, false);
	atomic_store(&calls, 0);
	atomic_store(&fail_at, n);
}

static void disarm(void)
{
	atomic_store(&fail_at, 0);
}

/* WRAP(type, name, parameters, arguments, value on failure, its errno) */
#define WRAP(type, name, params, args, failure, error)                       \
	type __real_##name params;                                           \
	type __wrap_##name params;                                           \
	type __wrap_##name params                                            \
	{                                                                    \
		return fails(#name, error) ? (failure) : __real_##name args; \
	}

#endif
