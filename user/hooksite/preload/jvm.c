// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program finds JNI_CreateJavaVM() by dlsym(), or by its own reading of the
 * JVM's symbols. To have a function in front of it, the JVM's own symbol is
 * changed, in the memory of this process.
 */
#include "hooksite/preload/jvm.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hooksite/preload/next.h"

#define CREATE "JNI_CreateJavaVM"

typedef int32_t (*create_fn)(void **jvm, void **env, void *args);

static struct {
	create_fn next;
	void (*then)(void *jvm);
} made;

static int32_t create(void **jvm, void **env, void *args)
{
	int32_t result = made.next(jvm, env, args);

	if (!result)
		made.then(*jvm);
	return result;
}

/* How the file's memory at this address is protected; -1: it is not known. */
static int protection(const Dl_info *file, uintptr_t at)
{
	const ElfW(Ehdr) *e = file->dli_fbase;
	const ElfW(Phdr) *p =
		(const void *)((const char *)file->dli_fbase + e->e_phoff);
	uint64_t addr = at - (uintptr_t)file->dli_fbase;

	for (int i = 0; i < e->e_phnum; i++, p++)
		if (p->p_type == PT_LOAD && addr >= p->p_vaddr &&
		    addr - p->p_vaddr < p->p_filesz)
			return (p->p_flags & PF_R ? PROT_READ : 0) |
			       (p->p_flags & PF_W ? PROT_WRITE : 0) |
			       (p->p_flags & PF_X ? PROT_EXEC : 0);
	return -1;
}

/* Makes create() what the symbol stands for. */
static void replace(const Dl_info *file, ElfW(Sym) * symbol)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)&symbol->st_value;
	void *page = (char *)&symbol->st_value - at % size;
	int was = protection(file, at);

	if (was < 0 || mprotect(page, size, PROT_READ | PROT_WRITE))
		return;
	symbol->st_value += (uintptr_t)create - (uintptr_t)made.next;
	mprotect(page, size, was);
}

void gn_jvm_await(void *handle, void (*then)(void *jvm))
{
	void *symbol = NULL, *next = gn_next_dlsym()(handle, CREATE);
	Dl_info file;

	made.then = then;
	made.next = (create_fn)next;
	if (next && dladdr1(next, &file, &symbol, RTLD_DL_SYMENT) && symbol &&
	    file.dli_sname && !strcmp(file.dli_sname, CREATE))
		replace(&file, symbol);
	dlerror(); /* the program must not find an error that is not its own */
}
