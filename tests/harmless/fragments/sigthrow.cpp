// SPDX-License-Identifier: BSD-2-Clause
// Handlers of faults that throw: from a null pointer, a division, a trap, in
// functions that seem to be unable to.
// HARMLESS: flags=-fnon-call-exceptions,-fasynchronous-unwind-tables
#include <csignal>
#include <cstring>

#include "../fragment.h"

struct SigFault {
	int signal;
};

extern "C" {
COUNTED(sigthrow_helper)
KEEP int sigthrow_helper(int n)
{
	COUNT(sigthrow_helper);
	return n + 1;
}

static void sigthrow_handler(int signal)
{
	throw SigFault{sigthrow_helper(signal)};
}

COUNTED_LOOSE(sigthrow_read)
KEEP int sigthrow_read(volatile int *p)
{
	COUNT(sigthrow_read);
	return *p + 1;
}

// its very first instruction faults
KEEP int sigthrow_first(volatile int *p)
{
	return *p;
}

COUNTED_LOOSE(sigthrow_divide)
KEEP int sigthrow_divide(int a, int b)
{
	COUNT(sigthrow_divide);
	return a / b;
}

COUNTED(sigthrow_closed)
KEEP int sigthrow_closed(volatile int *p, int a, int b, int left)
{
	int r;

	COUNT(sigthrow_closed);
	if (left)
		r = sigthrow_closed(p, a, b, left - 1);
	else if (b == 2)
		r = sigthrow_first(p);
	else
		r = b ? sigthrow_read(p) : sigthrow_divide(a, b);
	OPAQUE(r);
	return r;
}

COUNTED(sigthrow_catch)
KEEP int sigthrow_catch(volatile int *p, int a, int b, int left)
{
	COUNT(sigthrow_catch);
	try {
		return sigthrow_closed(p, a, b, left);
	} catch (const SigFault &fault) {
		return fault.signal * 1000;
	}
}
}

FRAGMENT(sigthrow)
{
	struct sigaction action, segv, fpe;
	volatile int good = 5;
	long sum = 0;

	memset(&action, 0, sizeof(action));
	action.sa_handler = sigthrow_handler;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, &segv);
	sigaction(SIGFPE, &action, &fpe);
	for (unsigned int i = 0; i < 3 + how % 5; i++) {
		sum += sigthrow_catch(&good, 1, 1, (int)i);
		sum += sigthrow_catch(nullptr, 1, 1, (int)i);
		sum += sigthrow_catch(nullptr, 1, 2, (int)i);
		sum += sigthrow_catch(&good, 1, 0, (int)i);
	}
	sigaction(SIGSEGV, &segv, nullptr);
	sigaction(SIGFPE, &fpe, nullptr);
	return sum;
}
