/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results of .NET functions, against those that the program
 * tells: a line "value NAME|VALUES" a call. */
#include "clr.h"

#include <string.h>

static const char asked[] =
	"-a Demo.Values.Numbers:arg1/i8,arg2/u16,arg3/i32,arg4,arg5/bool,"
	"arg6/i16,ret "
	"-a Demo.Values.Texts:arg1/str,arg2/str,ret/str "
	"-a Demo.Values.Mixed:arg1/i32,arg2/str,ret/bool "
	"-a Demo.Holder.Add:arg1/i32,arg2/str,arg3,ret/i32 "
	"-a Demo.Holder.Six:arg1/i32,arg2/i32,arg3/i32,arg4/i32,arg5/"
	"i32,arg6,ret "
	"-a Demo.Holder.set_Text:arg1/str -a Demo.Holder.get_Text:ret/str "
	"-a Demo.Values.Fact:arg1/i32,ret/i32 -a demo:*.Fails:arg1/i32,ret";

void test_clr_values(struct live *t)
{
	struct live_args command = {.n = 0};
	char *rest, *line, *values;
	struct live_end end;
	size_t told = 0, n;
	json_t *calls;

	clr_need(t);
	clr_demo(t, &command, "values");
	calls = live_calls(t, asked, &command, &end);
	rest = end.out;
	while ((line = strsep(&rest, "\n"))) {
		values = strchr(line, '|');
		if (strncmp(line, "value ", 6) || !values)
			continue;
		*values++ = '\0';
		line += 6;
		told++;
		n = live_calls_with(t, calls, line, values);
		CHECK(t, n == 1, "%zu calls of %s with %s", n, line, values);
	}
	CHECK(t, told == 13, "the program told %zu calls", told);
}
