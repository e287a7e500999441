/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of Python: what the file of an interpreter tells, and names of
 * functions in UTF-8. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/sampler_parts.h"
#include "fail.h"
#include "interpreter_base.h"

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t m), (n, m), NULL, ENOMEM)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(void *, reallocarray, (void *p, size_t n, size_t m), (p, n, m), NULL,
     ENOMEM)

/* not a text: it has no NUL */
#define COOKIE                                         \
	{                                              \
		'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y' \
	}

/* struct _Py_DebugOffsets of CPython 3.13, up to what gnomon reads
 * (Include/internal/pycore_runtime.h). */
struct offsets {
	char cookie[8];
	uint64_t version, free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime_state;
	struct {
		uint64_t size, id, next, threads_head, gc, imports_modules,
			sysdict, builtins, ceval_gil, gil_runtime_state,
			gil_runtime_state_enabled, gil_runtime_state_locked,
			gil_runtime_state_holder;
	} interpreter_state;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id,
			native_thread_id, datastack_chunk, status;
	} thread_state;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus,
			owner;
	} interpreter_frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno;
	} code_object;
};

/* The same of 3.14 (Include/internal/pycore_debug_offsets.h). */
struct offsets_14 {
	char cookie[8];
	uint64_t version, free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime_state;
	struct {
		uint64_t size, id, next, threads_head, threads_main, gc,
			imports_modules, sysdict, builtins, ceval_gil,
			gil_runtime_state, gil_runtime_state_enabled,
			gil_runtime_state_locked, gil_runtime_state_holder,
			code_object_generation, tlbc_generation;
	} interpreter_state;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id,
			native_thread_id, datastack_chunk, status;
	} thread_state;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus,
			owner, stackpointer, tlbc_index;
	} interpreter_frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno;
	} code_object;
};

static void put_bytes(char *bytes, size_t size, const char *mark,
		      const void *with, size_t n)
{
	char *at = memmem(bytes, size, mark, strlen(mark));

	assert_non_null(at);
	assert_true(n <= size - (size_t)(at - bytes));
	memcpy(at, with, n);
}

static bool read_at(const char *path, struct gn_interpreter_file *out)
{
	*out = (struct gn_interpreter_file){.known = false};
	return gn_python_file_read(path, out);
}

/* Reads a copy of the library that has this version and this runtime. */
static bool read_as(const char *library, uint64_t version, const void *offsets,
		    size_t offsets_size, struct gn_interpreter_file *out)
{
	char path[] = "/tmp/gnomon-python-XXXXXX", *bytes = malloc(1 << 20);
	FILE *from = fopen(library, "re");
	int fd = mkstemp(path);
	size_t size;
	bool is;

	assert_true(bytes && from && fd >= 0);
	size = fread(bytes, 1, 1 << 20, from);
	fclose(from);
	if (version)
		put_bytes(bytes, size, "ersion__", &version, sizeof(version));
	if (offsets)
		put_bytes(bytes, size, "untime__", offsets, offsets_size);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	free(bytes);
	is = read_at(path, out);
	unlink(path);
	return is;
}

static void its_addresses(void **state)
{
	void *library = dlopen(GN_PYTHON_WHOLE, RTLD_NOW);
	struct gn_interpreter_file file;
	uint64_t base;

	(void)state;
	assert_non_null(library);
	base = base_of((uintptr_t)dlsym(library, "PyEval_EvalCode"));
	assert_true(read_at(GN_PYTHON_WHOLE, &file));
	assert_int_equal(base + file.its.addr[GN_PYTHON_RUNTIME],
			 (uintptr_t)dlsym(library, "_PyRuntime"));
	assert_int_equal(base + file.its.addr[GN_PYTHON_CODE],
			 (uintptr_t)dlsym(library, "PyCode_Type"));
	assert_int_equal(base + file.its.addr[GN_PYTHON_STR],
			 (uintptr_t)dlsym(library, "PyUnicode_Type"));
	assert_int_equal(file.its.addr[GN_PYTHON_DICT], 0);
	dlclose(library);
}

static void its_version(void **state)
{
	static const struct {
		uint64_t version;
		bool known;
		int code, previous, name;
	} rows[] = {
		{0x030a0000, false, 0, 0, 0}, /* it had no such variable */
		{0x030b00a1, true, 32, 48, 128},
		{0x030b0cf0, true, 32, 48, 128},
		{0x030c01f0, true, 0, 8, 128},
		{0x030d00f0, false, 0, 0, 0}, /* without offsets */
		{0x030e00f0, false, 0, 0, 0},
		{0x030f00f0, false, 0, 0, 0},
		{0x040b00f0, false, 0, 0, 0},
		{UINT64_MAX, false, 0, 0, 0},
	};
	struct gn_interpreter_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(read_as(GN_PYTHON_WHOLE, rows[i].version, NULL, 0,
				    &file));
		assert_int_equal(file.known, rows[i].known);
		if (!file.known)
			continue;
		assert_int_equal(file.its.python.code, rows[i].code);
		assert_int_equal(file.its.python.previous, rows[i].previous);
		assert_int_equal(file.its.python.name, rows[i].name);
	}
	/* 3.8 to 3.10, 3.7, none */
	assert_true(read_at(GN_PYTHON_OLD, &file));
	assert_true(file.known);
	assert_int_equal(file.its.python.name, 112);
	assert_true(read_at(GN_PYTHON_OLDER, &file));
	assert_false(file.known);
	assert_false(read_at(GN_PYTHON_NONE_AT_ALL, &file));
	assert_false(read_at("/proc/self/nothing", &file));
	assert_false(read_at("/etc/passwd", &file));
}

static struct offsets offsets_of_3_13(void)
{
	return (struct offsets){
		.cookie = COOKIE,
		.version = 0x030d00f0,
		.runtime_state.interpreters_head = 632,
		.interpreter_state = {.next = 11, .threads_head = 7344},
		.thread_state = {.prev = 1,
				 .next = 12,
				 .interp = 16,
				 .current_frame = 72,
				 .thread_id = 152,
				 .native_thread_id = 160},
		.interpreter_frame = {.previous = 8,
				      .executable = 13,
				      .owner = 70},
		.code_object = {.filename = 112,
				.name = 120,
				.qualname = 128,
				.firstlineno = 68},
	};
}

static struct offsets_14 offsets_of_3_14(void)
{
	const struct offsets o = offsets_of_3_13();
	struct offsets_14 to = {
		.cookie = COOKIE,
		.version = 0x030e00f0,
		.runtime_state.interpreters_head =
			o.runtime_state.interpreters_head,
		.interpreter_state = {.next = o.interpreter_state.next,
				      .threads_head =
					      o.interpreter_state.threads_head},
		.interpreter_frame = {.previous = o.interpreter_frame.previous,
				      .executable =
					      o.interpreter_frame.executable,
				      .owner = o.interpreter_frame.owner},
	};

	memcpy(&to.thread_state, &o.thread_state, sizeof(o.thread_state));
	memcpy(&to.code_object, &o.code_object, sizeof(o.code_object));
	return to;
}

static void check_own(uint64_t version, const void *offsets, size_t size)
{
	struct gn_interpreter_file file;
	const struct gn_python_layout *at = &file.its.python;

	assert_true(read_as(GN_PYTHON_WHOLE, version, offsets, size, &file));
	assert_true(file.known);
	assert_int_equal(at->interpreters, 632);
	assert_int_equal(at->next_interpreter, 11);
	assert_int_equal(at->threads, 7344);
	assert_int_equal(at->next, 12);
	assert_int_equal(at->interpreter, 16);
	assert_int_equal(at->thread_id, 152);
	assert_int_equal(at->frame, 72);
	assert_int_equal(at->current, GN_PYTHON_NONE);
	assert_int_equal(at->previous, 8);
	assert_int_equal(at->code, 13);
	assert_int_equal(at->owner, 70);
	assert_int_equal(at->file, 112);
	assert_int_equal(at->name, 128);
	assert_int_equal(at->line, 68);
}

static void its_own_offsets(void **state)
{
	const struct offsets o = offsets_of_3_13();
	const struct offsets_14 of_14 = offsets_of_3_14();

	(void)state;
	check_own(0x030d01f0, &o, sizeof(o));
	check_own(0x030e01f0, &of_14, sizeof(of_14));
}

static void offsets_that_lie(void **state)
{
	struct offsets o = offsets_of_3_13();
	struct gn_interpreter_file file;

	(void)state;
	o.cookie[7] = 'z';
	assert_true(read_as(GN_PYTHON_WHOLE, 0x030d01f0, &o, sizeof(o), &file));
	assert_false(file.known);
	o = offsets_of_3_13();
	o.free_threaded = 1;
	assert_true(read_as(GN_PYTHON_WHOLE, 0x030d01f0, &o, sizeof(o), &file));
	assert_false(file.known);
	o = offsets_of_3_13();
	o.code_object.qualname = 1ull << 32 | 128;
	assert_true(read_as(GN_PYTHON_WHOLE, 0x030d01f0, &o, sizeof(o), &file));
	assert_false(file.known);
	o.code_object.qualname = GN_PYTHON_NONE;
	assert_true(read_as(GN_PYTHON_WHOLE, 0x030d01f0, &o, sizeof(o), &file));
	assert_false(file.known);
}

/* The last name, and the number of functions. */
struct told {
	char name[4096], file[4096];
	size_t functions;
};

static int take(void *ctx, const struct gn_rec *rec, size_t size)
{
	const struct gn_rec_text *text = (const void *)rec;
	struct told *told = ctx;

	(void)size;
	if (rec->kind == GN_KIND_FUNCTION) {
		told->functions++;
		snprintf(told->name, sizeof(told->name), "%.*s",
			 (int)text->len[0], text->text);
	}
	if (rec->kind == GN_KIND_SOURCE)
		snprintf(told->file, sizeof(told->file), "%.*s",
			 (int)text->len[0], text->text);
	return 0;
}

static struct gn_interpreted_text text_of(uint32_t width, const void *at,
					  uint32_t bytes)
{
	struct gn_interpreted_text text = {.bytes = bytes, .width = width};

	memcpy(text.text, at, bytes);
	return text;
}

#define LATIN(text) text_of(1, text, sizeof(text) - 1)
#define UCS2(text)  text_of(2, u"" text, sizeof(u"" text) - 2)
#define UCS4(text)  text_of(4, U"" text, sizeof(U"" text) - 4)
#define ROW(form, text)                      \
	{                                    \
		form(text), u8"" text, #form \
	}

/* The compiler's own encodings are the truth. */
static void names_in_all_widths(void **state)
{
	static const uint16_t halves[] = {'a', 0xd800, 0xdfff, 0, 0xffff};
	static const uint32_t wide[] = {0xd7ff, 0xe000, 0x110000, UINT32_MAX,
					0x10ffff};
	const struct {
		struct gn_interpreted_text text;
		const char *want, *what;
	} rows[] = {
		ROW(LATIN, "f"),
		{LATIN("na\xefve\x80\xff"), "na\u00efve\xc2\x80\u00ff", "1"},
		ROW(UCS2, "\u03b1\u0416\u07ff\u0800\u65e5\ufffdz"),
		ROW(UCS4, "x\U0001f40d\u65e5\u00e9\U0010ffff"),
		{text_of(2, halves, sizeof(halves)), "a???\xef\xbf\xbf",
		 "halves"},
		{text_of(4, wide, sizeof(wide)),
		 "\xed\x9f\xbf\ue000??\U0010ffff", "wide"},
		/* a last character that is cut */
		{text_of(2, u"\u03b1\u03b2", 3), u8"\u03b1", "3 of 4 bytes"},
		{text_of(4, U"\u03b1\u03b2", 7), u8"\u03b1", "7 of 8 bytes"},
		{text_of(3, "abc", 3), "", "no such width"},
		{{.bytes = GN_INTERPRETED_TEXT + 1, .width = 1},
		 "",
		 "too long"},
	};
	struct told told = {.functions = 0};
	struct gn_sampler_names *names = gn_sampler_names_new(take, &told);
	struct gn_sampler_functions *p =
		gn_sampler_functions_new(take, &told, names);

	(void)state;
	assert_true(names && p);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct gn_rec_interpreted r = {
			.index = i + 1,
			.line = i + 1,
			.owns = *rows[i].want ? GN_OWNER_MODULE : GN_OWNER_NONE,
			.owner = rows[i].text,
			.name = LATIN("f"),
			.file = rows[i].text,
		};
		char want[64];

		gn_sampler_functions_name(p, 7, &r);
		snprintf(want, sizeof(want), "%s%sf", rows[i].want,
			 *rows[i].want ? "." : "");
		if (strcmp(told.name, want) || strcmp(told.file, rows[i].want))
			fail_msg("%s: '%s' in '%s', not '%s'", rows[i].what,
				 told.name, told.file, want);
		assert_int_not_equal(gn_sampler_functions_at(p, i + 1), 0);
	}
	gn_sampler_functions_free(p);
	gn_sampler_names_free(names);
}

/* A code object that is made again has another index, but is the same function;
 * one of another line is not. */
static void the_same_function(void **state)
{
	struct told told = {.functions = 0};
	struct gn_sampler_names *names = gn_sampler_names_new(take, &told);
	struct gn_sampler_functions *p =
		gn_sampler_functions_new(take, &told, names);
	struct gn_rec_interpreted r = {.index = 1,
				       .line = 5,
				       .owns = GN_OWNER_MODULE,
				       .owner = LATIN("m"),
				       .name = LATIN("f"),
				       .file = LATIN("m.py")};

	(void)state;
	assert_true(names && p);
	gn_sampler_functions_name(p, 7, &r);
	r.index = 100000;
	gn_sampler_functions_name(p, 8, &r);
	r.index = 2;
	r.line = 6;
	gn_sampler_functions_name(p, 7, &r);
	r.index = UINT32_MAX; /* more than a program can have */
	gn_sampler_functions_name(p, 7, &r);
	assert_int_equal(told.functions, 2);
	assert_int_equal(gn_sampler_functions_at(p, 1),
			 gn_sampler_functions_at(p, 100000));
	assert_int_not_equal(gn_sampler_functions_at(p, 1),
			     gn_sampler_functions_at(p, 2));
	assert_int_equal(gn_sampler_functions_at(p, 3), 0);
	assert_int_equal(gn_sampler_functions_at(p, UINT32_MAX), 0);
	gn_sampler_functions_free(p);
	gn_sampler_names_free(names);
}

#define FUNCTIONS 700 /* so many that each table grows */

/* The names of all functions. */
struct all {
	struct {
		uint32_t func;
		char name[16];
	} row[FUNCTIONS];
	size_t n;
};

static int take_all(void *ctx, const struct gn_rec *rec, size_t size)
{
	const struct gn_rec_text *text = (const void *)rec;
	struct all *all = ctx;

	(void)size;
	if (rec->kind != GN_KIND_FUNCTION)
		return 0;
	assert_true(all->n < FUNCTIONS);
	all->row[all->n].func = text->id;
	snprintf(all->row[all->n++].name, sizeof(all->row->name), "%.*s",
		 (int)text->len[0], text->text);
	return 0;
}

static void name_index(struct gn_sampler_functions *p, uint32_t index)
{
	struct gn_rec_interpreted r = {
		.index = index * 7, .line = index, .file = LATIN("m.py")};

	r.name.width = 1;
	r.name.bytes = (uint32_t)snprintf(r.name.text, 16, "f%u", index);
	gn_sampler_functions_name(p, 7, &r);
}

/* 0, or a function of this name that was told. */
static void check_index(struct gn_sampler_functions *p, uint32_t index,
			const struct all *all, bool must)
{
	uint32_t func = gn_sampler_functions_at(p, index * 7);
	size_t i = 0;
	char name[16];

	snprintf(name, sizeof(name), "f%u", index);
	assert_true(func || !must);
	while (func && i < all->n && all->row[i].func != func)
		i++;
	assert_true(!func || i < all->n);
	if (func)
		assert_string_equal(all->row[i].name, name);
}

/* Returns whether call `n` was one that fails. */
static bool without_memory_at(int n)
{
	struct all *all = calloc(1, sizeof(*all));
	struct gn_sampler_names *names = gn_sampler_names_new(take_all, all);
	struct gn_sampler_functions *p;
	bool any;

	assert_true(all && names);
	arm(n);
	p = gn_sampler_functions_new(take_all, all, names);
	for (uint32_t i = 1; p && i < FUNCTIONS; i++)
		name_index(p, i);
	any = atomic_load(&failed);
	disarm();
	for (uint32_t i = 1; p && i < FUNCTIONS; i++)
		check_index(p, i, all, !any);
	for (uint32_t i = 1; p && i < FUNCTIONS; i++)
		name_index(p, i);
	for (uint32_t i = 1; p && i < FUNCTIONS; i++)
		check_index(p, i, all, true);
	gn_sampler_functions_free(p);
	gn_sampler_names_free(names);
	free(all);
	return any;
}

/* What has no name for lack of memory gets it when it is told again. */
static void without_memory(void **state)
{
	int n = 1;

	(void)state;
	while (without_memory_at(n))
		n++;
	assert_true(n > FUNCTIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_addresses),
		cmocka_unit_test(its_version),
		cmocka_unit_test(its_own_offsets),
		cmocka_unit_test(offsets_that_lie),
		cmocka_unit_test(names_in_all_widths),
		cmocka_unit_test(the_same_function),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
