/* SPDX-License-Identifier: BSD-2-Clause */
/* Included before each source of a library for glibc. The C library of the
 * traced program can be older than the one of this build, as in a container. It
 * lacks the versions of these functions that a linker takes by itself. */
#ifndef GN_HOOKSITE_OLD_LIBC_H
#define GN_HOOKSITE_OLD_LIBC_H

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

/* 2.38: they also read C23's binary numbers, and gnomon writes none */
GN_OLD(__isoc23_strtol, "strtol@GLIBC_2.2.5");
GN_OLD(__isoc23_strtoll, "strtoll@GLIBC_2.2.5");
GN_OLD(__isoc23_strtoul, "strtoul@GLIBC_2.2.5");

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
