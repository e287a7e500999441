/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

void gn_error(const char *format, ...)
{
	char *text = NULL, *escaped = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		escaped = gn_escape(text, true);
	fprintf(stderr, "gnomon: %s\n", escaped ? escaped : "no memory");
	free(escaped);
	free(text);
}

bool gn_cmd_parse(const struct gn_verb_usage *usage, int argc, char **argv,
		  struct gn_args *args, int *status)
{
	char why[1024];
	int parsed =
		gn_options_parse(usage, argc, argv, args, why, sizeof(why));

	if (parsed == GN_PARSED_OK)
		return true;
	if (parsed == GN_PARSED_HELP) {
		gn_options_help(usage, stdout);
		*status = GN_EXIT_OK;
		if (fflush(stdout)) {
			gn_error("cannot write: %s", strerror(errno));
			*status = GN_EXIT_FAILED;
		}
		return false;
	}
	if (parsed == -EINVAL) {
		gn_error("%s", why);
		*status = GN_EXIT_USAGE;
	} else {
		gn_error("cannot read the options: %s", strerror(-parsed));
		*status = GN_EXIT_FAILED;
	}
	return false;
}
