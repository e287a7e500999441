/* SPDX-License-Identifier: BSD-2-Clause */
/* A library that exports what PHP does, in several variants. */
#define EXPORTED __attribute__((visibility("default"), used))

#ifndef NO_GLOBALS
EXPORTED unsigned char executor_globals[SIZE] = {1};
#endif

#ifndef NO_CODE
EXPORTED const char *get_zend_version(void)
{
	return "Zend Engine v" VERSION;
}
#endif
