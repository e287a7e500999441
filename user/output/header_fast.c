/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports records that threads wrote by themselves (fast hooks). */
#include "output/header.h"
#include "output/text.h"

static uint64_t number(const struct gn_model *m, const char *key)
{
	uint64_t n;

	return gn_info_number(m, key, &n) ? n : 0;
}

static void put_count(const struct gn_model *m, const char *key,
		      const char *one, const char *many, FILE *f)
{
	uint64_t count = number(m, key);
	char n[GN_CELL];

	if (!count)
		return;
	gn_format_count(n, count);
	fprintf(f, "# %-11s %s %s\n", "", n, gn_word(count, one, many));
}

/* Whether functions of the runtime have hooks of a library, and not only the
 * runtime's own probes. */
static bool has_library(uint32_t runtime)
{
	return runtime != GN_RUNTIME_NATIVE && runtime != GN_RUNTIME_HOTSPOT &&
	       runtime != GN_RUNTIME_PHP;
}

/* Whether any traced function could have fast hooks. */
static bool could_be_fast(const struct gn_model *m)
{
	for (size_t i = 0; i < m->nfunctions; i++)
		if (has_library(m->functions[i].runtime))
			return true;
	return number(m, "fast.sleds");
}

void gn_header_fast(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	uint64_t records, waits = number(m, "fast.waits");
	const char *unfit = gn_model_info(m, "fast.unfit");
	char n[GN_CELL], bound[GN_CELL], drift[GN_CELL];

	if (unfit && could_be_fast(m))
		fprintf(f, "# %-11s %s; hooks are probes\n", "not fast", unfit);
	if (!gn_info_number(m, "fast.records", &records))
		return;
	if (!number(m, "fast.processes")) {
		if (!unfit && could_be_fast(m))
			fprintf(f,
				"# %-11s no program has them: it has a limit "
				"on file sizes or memory, or gnomon was late\n",
				"fast hooks");
		return;
	}
	gn_format_count(n, records);
	gn_format_count(bound, number(m, "fast.bound_ns"));
	gn_format_count(drift, number(m, "fast.drift_ppb"));
	fprintf(f,
		"# %-11s %s %s times can be wrong by %s ns, the clocks' rates "
		"changed by %s ppb\n",
		"fast hooks", n,
		gn_word(records, "record; its", "records; their"), bound,
		drift);
	put_count(m, "fast.forked", "thread of a forked child has them, too",
		  "threads of forked children have them, too", f);
	if (waits) {
		gn_format_count(n, waits);
		gn_format_duration(bound, number(m, "fast.waited_ns"), o->ns);
		fprintf(f, "# %-11s threads waited %s %s for room, %s in all\n",
			"", n, gn_word(waits, "time", "times"), bound);
	}
	put_count(m, "fast.unordered",
		  "record has a time that does not fit the kernel's",
		  "records have times that do not fit the kernel's", f);
	put_count(m, "fast.dropped", "record found no room: --on-full wait",
		  "records found no room: --on-full wait", f);
	put_count(m, "fast.late",
		  "record was lost: its thread began when there was no room to "
		  "report it",
		  "records were lost: their threads began when there was no "
		  "room to report them",
		  f);
	put_count(m, "fast.hostile", "record was not written by a hook",
		  "records were not written by a hook", f);
	put_count(m, "fast.ringless",
		  "thread came when 1,023 others of its process had records: "
		  "its hooks are probes",
		  "threads came when 1,023 others of their process had "
		  "records: their hooks are probes",
		  f);
	put_count(m, "fast.crowded",
		  "thread of a forked child came when 511 others had records: "
		  "its hooks are probes",
		  "threads of forked children came when 511 others had "
		  "records: their hooks are probes",
		  f);
	put_count(m, "fast.refused",
		  "program's memory could not be read: its hooks are probes",
		  "programs' memory could not be read: their hooks are probes",
		  f);
}
