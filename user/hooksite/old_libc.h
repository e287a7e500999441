/* SPDX-License-Identifier: BSD-2-Clause */
/* Included before each source of a library. The C library of the traced program
 * can be older than the one of this build, as in a container, or musl. It lacks
 * the versions of these functions that a compiler and a linker take by
 * themselves. */
#ifndef GN_HOOKSITE_OLD_LIBC_H
#define GN_HOOKSITE_OLD_LIBC_H

#include <features.h>

/* 2.38: strtol() also reads C23's binary numbers, under another name */
#undef __GLIBC_USE_C2X_STRTOL
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#define __GLIBC_USE_C23_STRTOL 0

#ifndef GNOMON_MUSL
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GN_OLD(function, old) __asm__(".symver " #function ", " old)

/* 2.34: they moved into libc.so */
GN_OLD(dladdr, "dladdr@GLIBC_2.2.5");
GN_OLD(dladdr1, "dladdr1@GLIBC_2.3.3");
GN_OLD(dlclose, "dlclose@GLIBC_2.2.5");
GN_OLD(dlerror, "dlerror@GLIBC_2.2.5");
GN_OLD(dlopen, "dlopen@GLIBC_2.2.5");
GN_OLD(dlsym, "dlsym@GLIBC_2.2.5");
GN_OLD(pthread_create, "pthread_create@GLIBC_2.2.5");
GN_OLD(pthread_key_create, "pthread_key_create@GLIBC_2.2.5");
GN_OLD(pthread_once, "pthread_once@GLIBC_2.2.5");
GN_OLD(pthread_setspecific, "pthread_setspecific@GLIBC_2.2.5");

/* 2.33: it was not a function of the library before */
static inline int gn_old_fstat(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}

/* 2.27 */
static inline int gn_old_memfd_create(const char *name, unsigned flags)
{
	return (int)syscall(SYS_memfd_create, name, flags);
}

#define fstat(fd, st)		  gn_old_fstat(fd, st)
#define memfd_create(name, flags) gn_old_memfd_create(name, flags)

#endif

#endif
