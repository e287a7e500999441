// SPDX-License-Identifier: BSD-2-Clause
/*
 * The options of the JVM, as it has settled them, are in a table. The JVM
 * exports a description of its own structs for debuggers, which says where that
 * table is and what a row has.
 */
#include "archive.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FLAG	  "JVMFlag"
#define FLAGS_MAX 100000

/* VMStructEntry and VMTypeEntry of HotSpot; a row of NULL is the last one. */
struct field {
	const char *type, *name, *of;
	int32_t is_static;
	uint64_t offset;
	void *address;
};

struct type {
	const char *name, *super;
	int32_t is[3];
	uint64_t size;
};

struct flags {
	const char *at;
	size_t n, size, name, value;
};

static const struct field *find_field(const struct field *f, const char *name)
{
	for (; f && f->type; f++)
		if (f->name && !strcmp(f->type, FLAG) && !strcmp(f->name, name))
			return f;
	return NULL;
}

static size_t size_of_flag(const struct type *t)
{
	for (; t && t->name; t++)
		if (!strcmp(t->name, FLAG))
			return t->size;
	return 0;
}

/* What the JVM's library exports under this name points to the table. */
static const void *table(void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	return symbol ? *(void **)symbol : NULL;
}

static bool find_flags(void *library, struct flags *flags)
{
	const struct field *all = table(library, "gHotSpotVMStructs");
	const struct field *at = find_field(all, "flags");
	const struct field *n = find_field(all, "numFlags");
	const struct field *name = find_field(all, "_name");
	const struct field *value = find_field(all, "_addr");

	*flags = (struct flags){
		.size = size_of_flag(table(library, "gHotSpotVMTypes"))};
	if (!flags->size || !at || !n || !name || !value)
		return false;
	flags->at = *(const char **)at->address;
	flags->n = *(const size_t *)n->address;
	flags->name = name->offset;
	flags->value = value->offset;
	return flags->at && flags->n <= FLAGS_MAX;
}

/* Whether this option makes the JVM write such a file. */
static bool makes_archive(const char *name, const void *value)
{
	static const char *const files[] = {"ArchiveClassesAtExit",
					    "AOTCacheOutput",
					    "DumpLoadedClassList"};
	const char *text;

	if (!strcmp(name, "RecordDynamicDumpInfo"))
		return *(const bool *)value;
	if (!strcmp(name, "AOTMode")) {
		text = *(const char *const *)value;
		return text && !strcmp(text, "record");
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(name, files[i]))
			return *(const char *const *)value;
	return false;
}

static bool asks_for_archive(const struct flags *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const char *row = f->at + i * f->size;
		const char *name = *(const char *const *)(row + f->name);
		const void *value = *(const void *const *)(row + f->value);

		if (name && value && makes_archive(name, value))
			return true;
	}
	return false;
}

bool gn_java_archives(gn_jvm jvm)
{
	void *library = NULL;
	struct flags flags;
	Dl_info file;
	bool does;

	/* one of its functions tells the library */
	if (dladdr((*(void ***)jvm)[GN_JVM_GET_ENV], &file))
		library = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	does = library && find_flags(library, &flags) &&
	       asks_for_archive(&flags);
	if (library)
		dlclose(library);
	dlerror(); /* the program must not find an error that is not its own */
	return does;
}
