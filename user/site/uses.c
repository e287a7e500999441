// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions whose use by a file forbids return probes in its process. libc and
 * the dynamic linker provide them, so their own uses do not count.
 * docs/sites.md says what each can do to a return probe.
 */
#include <stdlib.h>
#include <string.h>

#include "site/site_internal.h"

/* Ends of sentences that begin with a file's name. */
#define HANDLES "can install signal handlers"
#define STACK	"gives signal handlers their own stack"
#define CANCELS "can cancel threads"
#define WALKS	"can walk its stacks"
#define CALLS	"makes system calls of its own"
#define MAPS	"can make code at run time"
#define LOADS	"can load further code"
#define NAMES	"asks name services, whose modules are loaded then"
#define BECOMES "can start itself with other libraries"
#define THROWS	"throws exceptions"
#define UNWINDS "unwinds"
#define PANICS	"panics"
#define SWITCH	"switches stacks"
#define THREADS "makes threads of its own"

/* Sorted. */
static const struct gn_use uses[] = {
	{"_ULx86_64_init_local", WALKS, GN_USE_ANY_TIME},
	{"_ULx86_64_resume", UNWINDS, GN_USE_BY_CALL},
	{"_ULx86_64_step", WALKS, GN_USE_ANY_TIME},
	{"_Unwind_Backtrace", WALKS, GN_USE_ANY_TIME},
	{"_Unwind_Find_FDE", WALKS, GN_USE_ANY_TIME},
	{"_Unwind_ForcedUnwind", UNWINDS, GN_USE_BY_CALL},
	{"_Unwind_RaiseException", THROWS, GN_USE_BY_CALL},
	{"_Unwind_Resume", UNWINDS, GN_USE_BY_CALL},
	{"_Unwind_Resume_or_Rethrow", UNWINDS, GN_USE_BY_CALL},
	{"_Ux86_64_getcontext", WALKS, GN_USE_ANY_TIME},
	{"__cxa_begin_catch", THROWS, GN_USE_BY_CALL},
	{"__cxa_rethrow", THROWS, GN_USE_BY_CALL},
	{"__cxa_throw", THROWS, GN_USE_BY_CALL},
	{"__cyg_profile_func_enter", WALKS, GN_USE_ANY_TIME},
	{"__cyg_profile_func_exit", WALKS, GN_USE_ANY_TIME},
	{"__fentry__", WALKS, GN_USE_ANY_TIME},
	{"__libc_dlopen_mode", LOADS, GN_USE_ANY_TIME},
	{"__libc_sigaction", HANDLES, GN_USE_ANY_TIME},
	{"__mmap", MAPS, GN_USE_ANY_TIME},
	{"__monstartup", HANDLES, GN_USE_ANY_TIME},
	{"__mprotect", MAPS, GN_USE_ANY_TIME},
	{"__rust_start_panic", PANICS, GN_USE_BY_CALL},
	{"__sigaction", HANDLES, GN_USE_ANY_TIME},
	{"__sysv_signal", HANDLES, GN_USE_ANY_TIME},
	{"_dl_find_object", WALKS, GN_USE_ANY_TIME},
	{"_mcount", WALKS, GN_USE_ANY_TIME},
	{"backtrace", WALKS, GN_USE_ANY_TIME},
	{"bsd_signal", HANDLES, GN_USE_ANY_TIME},
	{"clone", THREADS, GN_USE_BY_CALL},
	{"cuserid", NAMES, GN_USE_ANY_TIME},
	{"dl_iterate_phdr", WALKS, GN_USE_ANY_TIME},
	{"dlmopen", LOADS, GN_USE_ANY_TIME},
	{"dlopen", LOADS, GN_USE_ANY_TIME},
	{"dlsym", LOADS, GN_USE_ANY_TIME},
	{"dlvsym", LOADS, GN_USE_ANY_TIME},
	{"dwfl_getthread_frames", WALKS, GN_USE_ANY_TIME},
	{"dwfl_thread_getframes", WALKS, GN_USE_ANY_TIME},
	{"execl", BECOMES, GN_USE_ANY_TIME},
	{"execle", BECOMES, GN_USE_ANY_TIME},
	{"execlp", BECOMES, GN_USE_ANY_TIME},
	{"execv", BECOMES, GN_USE_ANY_TIME},
	{"execve", BECOMES, GN_USE_ANY_TIME},
	{"execveat", BECOMES, GN_USE_ANY_TIME},
	{"execvp", BECOMES, GN_USE_ANY_TIME},
	{"execvpe", BECOMES, GN_USE_ANY_TIME},
	{"fexecve", BECOMES, GN_USE_ANY_TIME},
	{"getaddrinfo", NAMES, GN_USE_ANY_TIME},
	{"getaddrinfo_a", NAMES, GN_USE_ANY_TIME},
	{"getgrent", NAMES, GN_USE_ANY_TIME},
	{"getgrent_r", NAMES, GN_USE_ANY_TIME},
	{"getgrgid", NAMES, GN_USE_ANY_TIME},
	{"getgrgid_r", NAMES, GN_USE_ANY_TIME},
	{"getgrnam", NAMES, GN_USE_ANY_TIME},
	{"getgrnam_r", NAMES, GN_USE_ANY_TIME},
	{"getgrouplist", NAMES, GN_USE_ANY_TIME},
	{"gethostbyaddr", NAMES, GN_USE_ANY_TIME},
	{"gethostbyaddr_r", NAMES, GN_USE_ANY_TIME},
	{"gethostbyname", NAMES, GN_USE_ANY_TIME},
	{"gethostbyname2", NAMES, GN_USE_ANY_TIME},
	{"gethostbyname2_r", NAMES, GN_USE_ANY_TIME},
	{"gethostbyname_r", NAMES, GN_USE_ANY_TIME},
	{"getlogin", NAMES, GN_USE_ANY_TIME},
	{"getlogin_r", NAMES, GN_USE_ANY_TIME},
	{"getnameinfo", NAMES, GN_USE_ANY_TIME},
	{"getnetbyaddr", NAMES, GN_USE_ANY_TIME},
	{"getnetbyname", NAMES, GN_USE_ANY_TIME},
	{"getnetgrent", NAMES, GN_USE_ANY_TIME},
	{"getprotobyname", NAMES, GN_USE_ANY_TIME},
	{"getprotobyname_r", NAMES, GN_USE_ANY_TIME},
	{"getprotobynumber", NAMES, GN_USE_ANY_TIME},
	{"getprotobynumber_r", NAMES, GN_USE_ANY_TIME},
	{"getpw", NAMES, GN_USE_ANY_TIME},
	{"getpwent", NAMES, GN_USE_ANY_TIME},
	{"getpwent_r", NAMES, GN_USE_ANY_TIME},
	{"getpwnam", NAMES, GN_USE_ANY_TIME},
	{"getpwnam_r", NAMES, GN_USE_ANY_TIME},
	{"getpwuid", NAMES, GN_USE_ANY_TIME},
	{"getpwuid_r", NAMES, GN_USE_ANY_TIME},
	{"getservbyname", NAMES, GN_USE_ANY_TIME},
	{"getservbyname_r", NAMES, GN_USE_ANY_TIME},
	{"getservbyport", NAMES, GN_USE_ANY_TIME},
	{"getservbyport_r", NAMES, GN_USE_ANY_TIME},
	{"getspent", NAMES, GN_USE_ANY_TIME},
	{"getspnam", NAMES, GN_USE_ANY_TIME},
	{"getspnam_r", NAMES, GN_USE_ANY_TIME},
	{"glob", NAMES, GN_USE_ANY_TIME},
	{"glob64", NAMES, GN_USE_ANY_TIME},
	{"initgroups", NAMES, GN_USE_ANY_TIME},
	{"innetgr", NAMES, GN_USE_ANY_TIME},
	{"makecontext", SWITCH, GN_USE_BY_CALL},
	{"mcount", WALKS, GN_USE_ANY_TIME},
	{"mmap", MAPS, GN_USE_ANY_TIME},
	{"mmap64", MAPS, GN_USE_ANY_TIME},
	{"monstartup", HANDLES, GN_USE_ANY_TIME},
	{"mprotect", MAPS, GN_USE_ANY_TIME},
	{"objc_exception_throw", THROWS, GN_USE_BY_CALL},
	{"personality", MAPS, GN_USE_ANY_TIME},
	{"pkey_mprotect", MAPS, GN_USE_ANY_TIME},
	{"popen", BECOMES, GN_USE_ANY_TIME},
	{"posix_spawn", BECOMES, GN_USE_ANY_TIME},
	{"posix_spawnp", BECOMES, GN_USE_ANY_TIME},
	{"profil", HANDLES, GN_USE_ANY_TIME},
	{"pthread_cancel", CANCELS, GN_USE_ANY_TIME},
	{"pthread_setcanceltype", CANCELS, GN_USE_ANY_TIME},
	{"remap_file_pages", MAPS, GN_USE_ANY_TIME},
	{"rust_begin_unwind", PANICS, GN_USE_BY_CALL},
	{"rust_eh_personality", PANICS, GN_USE_BY_CALL},
	{"rust_panic", PANICS, GN_USE_BY_CALL},
	{"setcontext", SWITCH, GN_USE_BY_CALL},
	{"shmat", MAPS, GN_USE_ANY_TIME},
	{"sigaction", HANDLES, GN_USE_ANY_TIME},
	{"sigaltstack", STACK, GN_USE_ANY_TIME},
	{"signal", HANDLES, GN_USE_ANY_TIME},
	{"sigreturn", SWITCH, GN_USE_BY_CALL},
	{"sigset", HANDLES, GN_USE_ANY_TIME},
	{"sigstack", STACK, GN_USE_ANY_TIME},
	{"sigvec", HANDLES, GN_USE_ANY_TIME},
	{"sprofil", HANDLES, GN_USE_ANY_TIME},
	{"ssignal", HANDLES, GN_USE_ANY_TIME},
	{"swapcontext", SWITCH, GN_USE_BY_CALL},
	{"syscall", CALLS, GN_USE_ANY_TIME},
	{"system", BECOMES, GN_USE_ANY_TIME},
	{"sysv_signal", HANDLES, GN_USE_ANY_TIME},
	{"unw_backtrace", WALKS, GN_USE_ANY_TIME},
	{"unw_init_local", WALKS, GN_USE_ANY_TIME},
	{"unw_resume", UNWINDS, GN_USE_BY_CALL},
	{"unw_step", WALKS, GN_USE_ANY_TIME},
	{"wordexp", NAMES, GN_USE_ANY_TIME},
};

const struct gn_use *gn_uses(size_t *n)
{
	*n = sizeof(uses) / sizeof(uses[0]);
	return uses;
}

static int compare(const void *key, const void *item)
{
	return strcmp(key, ((const struct gn_use *)item)->symbol);
}

const struct gn_use *gn_use_of(const char *symbol)
{
	return bsearch(symbol, uses, sizeof(uses) / sizeof(uses[0]),
		       sizeof(uses[0]), compare);
}
