/* SPDX-License-Identifier: BSD-2-Clause */
/* A library, or with PROGRAM a program, that exports what Ruby does, in several
 * variants, and tells the test where its parts are. */
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default"), used))

#ifndef NO_CONTEXT
#if defined(HIDDEN)
#define CONTEXT __attribute__((visibility("hidden")))
#elif defined(STATIC)
#define CONTEXT static
#else
#define CONTEXT EXPORTED
#endif
static _Thread_local char first[100] __attribute__((used));
CONTEXT _Thread_local void *ruby_current_ec;

EXPORTED void *rb_thread_current(void)
{
#ifdef NO_LOAD
	return (void *)&ruby_current_ec;
#else
	return ((void **)ruby_current_ec)[6];
#endif
}
#endif
#ifndef NO_VERSION
EXPORTED int ruby_api_version[3] = {MAJOR, MINOR, 0};
#endif

/* What ruby_global_symbols begins with. */
static struct {
	unsigned long last;
	void *texts;
} symbols, others;

static void *const fixed = &symbols;

#ifndef NO_CODE
EXPORTED int ruby_run_node(int x)
{
	return x + 1;
}
#endif

#define LOAD(variable) (void)*(void *volatile const *)&(variable)

EXPORTED void rb_sym_all_symbols(void)
{
	LOAD(fixed);
	LOAD(symbols.texts);
#ifdef TWO_LOADS
	LOAD(others.texts);
#endif
}

EXPORTED void *truth_symbols(void)
{
	return &symbols;
}

EXPORTED void *truth_others(void)
{
	return &others;
}

EXPORTED void *truth_context(void)
{
#ifndef NO_CONTEXT
	return &ruby_current_ec;
#else
	return 0;
#endif
}

#ifdef PROGRAM
/* The variable is not all that a thread has for the program. */
static _Thread_local char other[100];

int main(void)
{
	const char *thread = __builtin_thread_pointer();

	other[0] = 1;
	printf("%ld\n", (long)((const char *)&ruby_current_ec - thread));
	return 0;
}
#endif
