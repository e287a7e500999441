/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pages.h"
#include "trace/trace.h"

int gn_cmd_written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return GN_EXIT_OK;
	gn_error("cannot write stdout: %s; write it elsewhere",
		 gn_trace_strerror(errno));
	return GN_EXIT_FAILED;
}

/* The page that `gnomon help` makes a verb print. */
static enum gn_page page_of(int argc, char **argv)
{
	size_t len = strlen(GN_PAGE_OPTION);

	if (argc != 2 || strncmp(argv[1], GN_PAGE_OPTION, len) != 0)
		return GN_PAGE_COUNT;
	return gn_page_find(argv[1] + len);
}

bool gn_cmd_parse(const struct gn_verb_usage *usage, int argc, char **argv,
		  struct gn_args *args, int *status)
{
	enum gn_page page = page_of(argc, argv);
	char why[1024];
	int parsed;

	if (page < GN_PAGE_COUNT) {
		gn_page_verb(page, usage, stdout);
		*status = gn_cmd_written();
		return false;
	}
	parsed = gn_options_parse(usage, argc, argv, args, why, sizeof(why));
	if (parsed == GN_PARSED_OK)
		return true;
	if (parsed == GN_PARSED_HELP) {
		gn_options_help(usage, stdout);
		*status = gn_cmd_written();
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
