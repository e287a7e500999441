/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and numbers as people read them. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <gnomon/path.h>
#include "output/header.h"
#include "output/text.h"

static void escapes(void **state)
{
	static const struct {
		const char *name, *utf8, *ascii;
	} cases[] = {
		{"", "", ""},
		{"plain(int)", "plain(int)", "plain(int)"},
		{"App\\Space", "App\\Space", "App\\Space"},
		{"a\033[0m", "a\\x1b[0m", "a\\x1b[0m"},
		{"a\nb\tc\rd\x7f", "a\\x0ab\\x09c\\x0dd\\x7f",
		 "a\\x0ab\\x09c\\x0dd\\x7f"},
		{"Gr\xc3\xb6\xc3\x9f"
		 "e",
		 "Gr\xc3\xb6\xc3\x9f"
		 "e",
		 "Gr\\u{f6}\\u{df}e"},
		/* C1 control, right-to-left override, zero width */
		{"\xc2\x9b", "\\u{9b}", "\\u{9b}"},
		{"\xe2\x80\xae", "\\u{202e}", "\\u{202e}"},
		{"\xe2\x80\x8b", "\\u{200b}", "\\u{200b}"},
		/* overlong, surrogate, beyond the end, cut off, lone */
		{"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
		 "\\xf4\\x90\\x80\\x80"},
		{"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82"},
		{"\x80 \xff", "\\x80 \\xff", "\\x80 \\xff"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\\u{1f600}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *utf8 = gn_escape(cases[i].name, true);
		char *ascii = gn_escape(cases[i].name, false);

		assert_string_equal(utf8, cases[i].utf8);
		assert_string_equal(ascii, cases[i].ascii);
		free(ascii);
		free(utf8);
	}
}

/* Every pair of bytes: the output is ASCII, or printable UTF-8. */
static void escapes_any_bytes(void **state)
{
	(void)state;
	for (int a = 1; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char name[] = {(char)a, (char)b, 0};
			char *text = gn_escape(name, true);
			size_t len;

			for (char *p = text; *p; p += len)
				assert_true(
					gn_printable(gn_utf8_next(p, &len)));
			free(text);
		}
	}
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(gn_text_width(""), 0);
	assert_int_equal(gn_text_width("abc"), 3);
	assert_int_equal(gn_text_width("\xc3\xb6"), 1);
	assert_int_equal(gn_text_width("o\xcc\x88"), 1);
	assert_int_equal(gn_text_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
	assert_int_equal(gn_text_width("\xf0\x9f\x98\x80"), 2);
}

static void shortens_in_the_middle(void **state)
{
	char name[64];

	(void)state;
	strcpy(name, "abcdefghijklmnopqrstuvwxyz");
	gn_text_shorten(name, 26);
	assert_string_equal(name, "abcdefghijklmnopqrstuvwxyz");
	gn_text_shorten(name, 13);
	assert_string_equal(name, "abcde...vwxyz");
	gn_text_shorten(name, 1);
	assert_string_equal(name, "ab...xyz");
}

/* For all characters and widths: never too wide, never half a character. */
static void shortens_whole_characters(void **state)
{
	static const char *const parts[] = {"a", "\xc3\xb6", "\xe6\xbc\xa2",
					    "\xf0\x9f\x98\x80", "o\xcc\x88"};
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char name[256] = "";
		size_t width = 8 + (size_t)round % 40, before, len;

		for (int i = 0; i < 40; i++) {
			seed = seed * 1103515245 + 12345;
			strcat(name, parts[seed / 65536 % 5]);
		}
		before = gn_text_width(name);
		gn_text_shorten(name, width);
		assert_true(gn_text_width(name) <=
			    (before < width ? before : width));
		for (char *p = name; *p; p += len)
			assert_true(gn_utf8_next(p, &len) >= 0);
	}
}

static void counts(void **state)
{
	char buf[GN_CELL];

	(void)state;
	gn_format_count(buf, 0);
	assert_string_equal(buf, "0");
	gn_format_count(buf, 999);
	assert_string_equal(buf, "999");
	gn_format_count(buf, 1000);
	assert_string_equal(buf, "1,000");
	gn_format_count(buf, UINT64_MAX);
	assert_string_equal(buf, "18,446,744,073,709,551,615");
}

static void times(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1.000 us"},
		{12345, "12.345 us"},
		{999999, "999.999 us"},
		{1000000, "1.000 ms"},
		{12345499, "12.345 ms"},
		{12345500, "12.346 ms"},
		{999999499, "999.999 ms"},
		{999999500, "1.000 s "},
		{1000000000, "1.000 s "},
		{1234567890123, "1,234.568 s "},
		{UINT64_MAX, "18,446,744,073.710 s "},
	};
	char buf[GN_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		gn_format_time(buf, cases[i].ns, false);
		assert_string_equal(buf, cases[i].text);
	}
	gn_format_time(buf, UINT64_MAX, true);
	assert_string_equal(buf, "18,446,744,073,709,551,615 ns");
}

static void base_names(void **state)
{
	(void)state;
	assert_string_equal(gn_base_name("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(gn_base_name("libc.so.6"), "libc.so.6");
	assert_string_equal(gn_base_name("dir/"), "dir/");
	assert_string_equal(gn_base_name(""), "");
}

/* A writer that goes on after an error: its stream has lost the first error,
 * and errno is another one. */
static void gone_readers(void **state)
{
	static char text[1 << 17];
	int fd[2];
	FILE *f;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fd), 0);
	f = fdopen(fd[1], "w");
	assert_non_null(f);
	assert_int_equal(gn_stream_status(f), 0);
	close(fd[0]);
	fwrite(text, 1, sizeof(text), f);
	errno = 0;
	assert_int_equal(gn_stream_status(f), -EPIPE);
	fclose(f);
	f = fopen("/dev/full", "w");
	assert_non_null(f);
	fwrite(text, 1, sizeof(text), f);
	assert_int_equal(gn_stream_status(f), -ENOSPC);
	fclose(f);
}

/* A process that runs a DLL has its name; a process that starts another one to
 * run it does not. */
static void programs(void **state)
{
	static const struct {
		const char *command, *process, *program;
	} is[] = {
		{"[\"/usr/bin/dotnet\",\"exec\",\"/a/App.dll\"]", "dotnet",
		 "App.dll"},
		{"[\"env\",\"A=b.dll\",\"dotnet\",\"App.dll\",\"c.dll\"]",
		 "dotnet", "App.dll"},
		{"[\"dotnet\",\"build\"]", "dotnet", "dotnet"},
		{"[\"dotnet\",\"a.dll\"]", "renamed", "a.dll"},
		{"[\"podman\",\"run\",\"image\",\"dotnet\",\"app.dll\"]",
		 "podman", "podman"},
		{"[\"nice\",\"./a-very-long-program\",\"x\"]",
		 "a-very-long-pro", "a-very-long-program"},
		{"[\"./script\"]", "dotnet", "script"},
		{"[\"sh\",\"-c\",\"exec java -cp . App\"]", "java", NULL},
		{"[\"nice\",\"bash\",\"-lc\",\"exec java\"]", "java", NULL},
		{"[\"sh\",\"-c\",\"true; true\"]", "sh", "sh"},
		{"[\"\",\"x\"]", "", ""},
		{"[]", "x", NULL},
		{"[1]", "x", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		char *name = gn_program_name(is[i].command, is[i].process);

		if (is[i].program)
			assert_string_equal(name, is[i].program);
		else
			assert_null(name);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(escapes),
		cmocka_unit_test(escapes_any_bytes),
		cmocka_unit_test(widths),
		cmocka_unit_test(shortens_in_the_middle),
		cmocka_unit_test(shortens_whole_characters),
		cmocka_unit_test(counts),
		cmocka_unit_test(times),
		cmocka_unit_test(base_names),
		cmocka_unit_test(gone_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
