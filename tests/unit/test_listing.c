/* SPDX-License-Identifier: BSD-2-Clause */
/* The writers of gnomon list on a handmade list with hostile names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "cmd/listing.h"

#define EVIL "a,\"b\"\033[31m\xff(int)"

static struct gn_site leaves[] = {
	{.kind = GN_SITE_LEAVE,
	 .cost = GN_COST_STEPPED,
	 .addr = 0x1020,
	 .offset = 0x20,
	 .insn = "ret"},
	{.kind = GN_SITE_TAIL,
	 .cost = GN_COST_EMULATED,
	 .addr = 0x1030,
	 .offset = 0x30,
	 .insn = "jmp 0x10"},
};

static struct gn_list_function functions[] = {
	{.file = 0,
	 .name = "plain",
	 .symbol = "plain",
	 .addr = 0x1000,
	 .size = 64,
	 .plan = {.enter = {.cost = GN_COST_EMULATED,
			    .addr = 0x1004,
			    .offset = 0x4,
			    .adjust = 8,
			    .insn = "push rbp"},
		  .leave = GN_LEAVE_RETURN,
		  .reason = "the first reason"}},
	{.file = 0,
	 .name = EVIL,
	 .symbol = "evil",
	 .addr = 0x1010,
	 .size = 64,
	 .rets = 1,
	 .tails = 1,
	 .plan = {.enter = {.cost = GN_COST_STEPPED,
			    .addr = 0x1010,
			    .offset = 0x10,
			    .insn = "mov eax, 1"},
		  .leave = GN_LEAVE_RET,
		  .reason = "the second reason",
		  .leaves = leaves,
		  .nleaves = 2}},
	{.file = 1,
	 .name = "tiny",
	 .symbol = "tiny",
	 .addr = 0x2000,
	 .size = 1,
	 .plan = {.refused = "the third reason"}},
};

static struct gn_list_hook hooks[] = {
	{.name = "clr_enter",
	 .nop1 = {.offset = 0x40, .cost = GN_COST_EMULATED, .text = "nop"},
	 .nop5 = {.offset = 0x41, .cost = GN_COST_OPTIMIZED, .text = "nop"}},
	{.name = "clr_other",
	 .nop1 = {.offset = 0x50, .cost = GN_COST_EMULATED, .text = "nop"},
	 .nop5 = {.offset = 0x51, .cost = GN_COST_OPTIMIZED, .text = "nop"}},
};

static struct gn_list_runtime runtimes[2];

static struct gn_list_usdt usdt = {
	.file = 1,
	.note = {.provider = "pro",
		 .name = "be",
		 .args = "8@%rdi  8@%st, -4@%esi",
		 .arg = {{.how = GN_HOW_REGISTER},
			 {.how = GN_HOW_NONE},
			 {.how = GN_HOW_REGISTER}},
		 .nargs = 3,
		 .semaphore = 0x70},
	.insn = {.offset = 0x60, .cost = GN_COST_EMULATED, .text = "nop"},
};

static char program[] = "/x/program", library[] = "/x/library, too.so";
static struct gn_file files[] = {{.path = program, .fd = -1, .program = true},
				 {.path = library, .fd = -1}};

/* The list; nothing in it must be freed. */
static struct gn_listing make(void)
{
	const struct gn_runtime *rt = gn_runtime_at(0);

	hooks[0].site = &rt->sites[0];
	runtimes[0] = (struct gn_list_runtime){.runtime = rt,
					       .why = "a reason to list it",
					       .library = "/x/hooks.so",
					       .hook = hooks,
					       .nhooks = 2};
	runtimes[1] = (struct gn_list_runtime){
		.runtime = rt, .why = "another", .error = -2};
	return (struct gn_listing){
		.files = {.file = files, .count = 2},
		.links = GN_ATTACH_MULTI,
		.links_known = true,
		.function = functions,
		.nfunctions = 3,
		.runtime = runtimes,
		.nruntimes = 2,
		.usdt = &usdt,
		.nusdt = 1,
		.stats = {.functions = 3,
			  .by_return = 1,
			  .by_ret = 1,
			  .refused = 1,
			  .verdict = "nothing is proved"},
		.rets = 1,
		.tails = 1,
	};
}

typedef int (*write_fn)(const struct gn_listing *l, bool verbose, FILE *f);

static char *text_of_list(const struct gn_listing *l, write_fn write,
			  bool verbose)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(write(l, verbose, f), 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(strlen(text), size);
	/* nothing in a file may control the terminal */
	assert_null(strchr(text, '\033'));
	return text;
}

static char *text_of(write_fn write, bool verbose)
{
	struct gn_listing l = make();

	return text_of_list(&l, write, verbose);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

/* The line that ends in `name`. */
static char *line_of(const char *text, const char *name)
{
	const char *at = strstr(text, name), *begin = at;
	char *line;

	if (!at)
		fail_msg("no '%s' in:\n%s", name, text);
	while (begin > text && begin[-1] != '\n')
		begin--;
	line = strndup(begin, (size_t)(at - begin) + strlen(name));
	assert_non_null(line);
	return line;
}

static void table(void **state)
{
	char *text = text_of(gn_listing_table, false), *line;

	(void)state;
	has(text, "\nADDRESS  COST            LEAVE");
	line = line_of(text, "plain");
	has(line, "0x1004  emulated        return");
	assert_null(strstr(line, "push rbp"));
	has(line, "(1)");
	free(line);
	line = line_of(text, "a,\"b\"\\x1b[31m\\xff(int)");
	has(line, "0x1010  single-stepped  1 ret + 1 jump, 1 stepped (2)");
	free(line);
	line = line_of(text, "tiny");
	has(line, "0x2000  refused         -  ");
	has(line, "(3)");
	free(line);
	has(text, "\n(1) the first reason\n(2) the second reason\n"
		  "(3) the third reason\n");
	has(text, "/x/program\n");
	has(text, "/x/library, too.so\n");
	line = line_of(text, "clr_enter");
	has(line, "0x40 emulated");
	has(line, "0x41 optimized");
	has(line, "enter");
	free(line);
	line = line_of(text, "clr_other");
	has(line, "unused");
	free(line);
	has(text, "not found");
	has(text, "pro:be 8@%rdi 8@%st, (unreadable) -4@%esi\n");
	assert_null(strstr(text, "0x1020"));
	free(text);
}

static void table_with_leaves(void **state)
{
	char *text = text_of(gn_listing_table, true), *line;

	(void)state;
	has(text, "\nADDRESS  +OFF");
	line = line_of(text, "plain");
	has(line, "0x1004    +4  emulated");
	has(line, "push rbp");
	free(line);
	line = line_of(text, "tiny");
	has(line, "0x2000     -  refused");
	free(line);
	line = line_of(text, "0x1020");
	free(line);
	has(text, "+16  single-stepped  ret ");
	has(text, "+32  emulated        jmp 0x10 ");
	free(text);
}

/* The fields of each line are separated by commas outside quotes. */
static void csv(void **state)
{
	char *text = text_of(gn_listing_csv, true);
	size_t lines = 0, commas = 0;
	bool quoted = false;

	(void)state;
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (*p == ',' && !quoted)
			commas++;
		if (*p != '\n')
			continue;
		assert_false(quoted);
		assert_true(p > text && p[-1] == '\r');
		assert_int_equal(commas, 11);
		commas = 0;
		lines++;
	}
	/* titles, functions, leaves, two for each hook, one USDT probe */
	assert_int_equal(lines, 1 + 3 + 2 + 4 + 1);
	has(text, "function,plain,/x/program,0x1004,4,0x4,push rbp,emulated,"
		  "return,0,0,the first reason\r\n");
	has(text, "function,\"a,\"\"b\"\"\\x1b[31m\\xff(int)\",/x/program,"
		  "0x1010,0,0x10,\"mov eax, 1\",single-stepped,ret,1,1,"
		  "the second reason\r\n");
	has(text, "function,tiny,\"/x/library, too.so\",0x2000,,,,refused,,,,"
		  "the third reason\r\n");
	has(text, "usdt,pro:be,\"/x/library, too.so\",,,0x60,nop,emulated,,,,"
		  "\"8@%rdi 8@%st, (unreadable) -4@%esi\"\r\n");
	free(text);
}

/* Functions of modules, or only modules; the runtime's sites are left out. */
static void managed(void **state)
{
	static char name[] = "N.T\033.M(int)", native[] = "N.T.P()";
	static char path[] = "/x/a\033.dll", other[] = "/x/b.dll";
	struct gn_list_module modules[] = {
		{.path = path,
		 .functions = 7,
		 .generic = 3,
		 .unhooked = {[GN_UNHOOKED_NOT] = 5, [GN_UNHOOKED_NO_IL] = 2}},
		{.path = other, .error = -EACCES, .in_memory = true},
	};
	struct gn_list_managed functions_of[] = {
		{.name = name},
		{.name = native, .unhooked = GN_UNHOOKED_NO_IL},
	};
	struct gn_listing l = make();
	char *text;

	(void)state;
	l.nfunctions = l.nusdt = 0;
	l.running = gn_runtime_at(0);
	l.module = modules;
	l.nmodules = 2;
	text = text_of_list(&l, gn_listing_table, false);
	has(text, "        7          2          3  /x/a\\x1b.dll\n");
	has(text, "        -          -          -  /x/b.dll: it cannot be "
		  "read (Permission denied) (from memory)\n");
	assert_null(strstr(text, "clr_enter"));
	free(text);
	l.managed = functions_of;
	l.nmanaged = 2;
	text = text_of_list(&l, gn_listing_table, false);
	has(text, "/x/a\\x1b.dll\nHOOKS      FUNCTION\n"
		  "yes        N.T\\x1b.M(int)\nno-il      N.T.P()\n");
	has(text, "\nno-il: without IL");
	assert_null(strstr(text, "/x/b.dll"));
	free(text);
	text = text_of_list(&l, gn_listing_csv, false);
	has(text, "\r\nmanaged,N.T\\x1b.M(int),/x/a\\x1b.dll,,,,,,,,,\r\n");
	has(text, "\r\nmanaged,N.T.P(),/x/a\\x1b.dll,,,,,,,,,\"without IL");
	free(text);
}

static const char *text_at(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

static long long number_at(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

static void json(void **state)
{
	char *text = text_of(gn_listing_json, false);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_t *list, *fn, *site;

	(void)state;
	assert_non_null(root);
	assert_int_equal(number_at(root, "version"), 1);
	list = json_object_get(root, "functions");
	assert_int_equal(json_array_size(list), 3);
	fn = json_array_get(list, 0);
	assert_string_equal(text_at(fn, "leave"), "return");
	site = json_object_get(fn, "enter");
	assert_int_equal(number_at(site, "address"), 0x1004);
	assert_int_equal(number_at(site, "frame_adjust"), 8);
	fn = json_array_get(list, 1);
	assert_string_equal(text_at(fn, "name"), "a,\"b\"\033[31m\\xff(int)");
	assert_int_equal(json_array_size(json_object_get(fn, "leaves")), 2);
	fn = json_array_get(list, 2);
	assert_string_equal(text_at(fn, "refused"), "the third reason");
	assert_null(json_object_get(fn, "enter"));
	list = json_object_get(root, "runtimes");
	assert_int_equal(json_array_size(list), 2);
	list = json_object_get(json_array_get(list, 0), "sites");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(text_at(json_array_get(list, 0), "kind"), "enter");
	assert_null(json_object_get(json_array_get(list, 1), "kind"));
	list = json_object_get(root, "usdt");
	assert_int_equal(json_array_size(list), 1);
	fn = json_array_get(list, 0);
	assert_int_equal(number_at(fn, "semaphore"), 0x70);
	list = json_object_get(fn, "unreadable");
	assert_int_equal(json_array_size(list), 1);
	assert_int_equal(json_integer_value(json_array_get(list, 0)), 2);
	site = json_object_get(root, "summary");
	assert_int_equal(number_at(site, "refused"), 1);
	assert_string_equal(text_at(site, "links"), "multi");
	json_decref(root);
	free(text);
}

/* A full device is an error. */
static void full(void **state)
{
	static const write_fn writers[] = {gn_listing_table, gn_listing_csv,
					   gn_listing_json};
	struct gn_listing l = make();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		FILE *f = fopen("/dev/full", "w");

		assert_non_null(f);
		setvbuf(f, NULL, _IONBF, 0);
		assert_true(writers[i](&l, true, f) < 0);
		fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),   cmocka_unit_test(table_with_leaves),
		cmocka_unit_test(csv),	   cmocka_unit_test(json),
		cmocka_unit_test(managed), cmocka_unit_test(full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
