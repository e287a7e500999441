/* SPDX-License-Identifier: BSD-2-Clause */
/* The argument of -a. An input is one text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "runtime/values.h"

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	char *text = gn_fuzz_take_text(&in, '\0', NULL);
	struct gn_asked asked;
	const char *want = NULL;
	size_t at = 0, len;
	int err = gn_asked_parse(text, &asked, &at, &want);

	must(!err || err == -EINVAL, "there is memory");
	if (err) {
		must(!asked.function, "what is wrong has no function");
		must(at <= strlen(text), "what is wrong is in the text");
		must(want && *want, "what can stand there is told");
	} else {
		len = strlen(asked.function);
		must(len && !strncmp(asked.function, text, len) &&
			     text[len] == ':',
		     "the function is before the colon");
		must(asked.values.value[0].type, "at least one value");
		for (int i = 0; i < GN_VALUES_MAX; i++)
			must(asked.values.value[i].type < GN_VALUE_TYPE_COUNT &&
				     (asked.values.value[i].which <=
					      GN_NOTE_ARGS ||
				      asked.values.value[i].which ==
					      GN_VALUE_THIS),
			     "values are in their bounds");
	}
	gn_asked_clear(&asked);
	free(text);
}
