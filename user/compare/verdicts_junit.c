/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts as JUnit XML for GitLab, Jenkins and others: a test case per limit;
 * a limit that cannot be judged is an error, not a failure.
 */
#include <errno.h>
#include <stdlib.h>

#include "compare/judge.h"
#include "output/markup.h"
#include "output/text.h"

static int put_attribute(FILE *f, const char *name, char *text)
{
	int err = text ? 0 : -ENOMEM;

	fprintf(f, " %s=\"", name);
	if (!err)
		err = gn_xml_text(f, text);
	fputc('"', f);
	free(text);
	return err;
}

static int put_case(const struct gn_verdict *v, FILE *f)
{
	static const char *const parts[] = {"total", "thread", "module",
					    "function"};
	int err;

	fprintf(f, "  <testcase classname=\"gnomon.%s\"", parts[v->rule->part]);
	err = put_attribute(f, "name", gn_verdict_name(v));
	if (v->judged == GN_JUDGED_OK) {
		fputs("/>\n", f);
		return err ? err : gn_stream_status(f);
	}
	fprintf(f, ">\n    <%s",
		v->judged == GN_JUDGED_BREACHED ? "failure" : "error");
	if (!err)
		err = put_attribute(f, "message", gn_verdict_text(v));
	fputs("/>\n  </testcase>\n", f);
	return err ? err : gn_stream_status(f);
}

int gn_verdicts_junit(const struct gn_verdicts *v, FILE *f)
{
	int err = 0;

	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"gnomon check\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"%zu\">\n",
		v->n, v->count[GN_JUDGED_BREACHED],
		v->count[GN_JUDGED_UNKNOWN]);
	for (size_t i = 0; i < v->n && !err; i++)
		err = put_case(&v->at[i], f);
	fputs("</testsuite>\n", f);
	return err ? err : gn_stream_status(f);
}
