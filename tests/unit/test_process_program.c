// SPDX-License-Identifier: BSD-2-Clause
/* Which program a runtime runs, by its command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/program.h"

static void by_words(void **state)
{
	static const struct {
		const char *words, *program; /* a blank stands for a NUL */
	} is[] = {
		{"dotnet /usr/share/sdk/MSBuild.dll /nodemode:1 x.dll",
		 "MSBuild.dll"},
		{"/usr/bin/dotnet exec csc.DLL @a.rsp", "csc.DLL"},
		{"dotnet build app.csproj", NULL},
		{"./app.dll", NULL},
		{"dotnet -x.dll ./a.dll", "a.dll"},
		{"mono --debug /usr/lib/mono/mcs.exe a.cs", "mcs.exe"},
		{"java -cp lib/a.jar Main", NULL},
		{"java -Xmx1g -jar lib/a.jar b.dll", "a.jar"},
		{"java -jar", NULL},
		{"dotnet .dll", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		size_t n = strlen(is[i].words);
		char *words = strdup(is[i].words);
		const char *program;

		assert_non_null(words);
		for (size_t k = 0; k < n; k++)
			words[k] = is[i].words[k] == ' ' ? '\0' : words[k];
		program = gn_program_in(words, n);
		if (is[i].program)
			assert_string_equal(program, is[i].program);
		else
			assert_null(program);
		free(words);
	}
}

static void of_none(void **state)
{
	char program[8] = "x";

	(void)state;
	gn_program_of(UINT32_MAX, program, sizeof(program));
	assert_string_equal(program, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_words),
		cmocka_unit_test(of_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
