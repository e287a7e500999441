/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/json.md has every word of every list, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "cmd/doctor.h"
#include "cmd/listing.h"
#include "explain/explain.h"
#include "json_page.h"
#include "top/words.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The words in lists of the sources. */
static void words(void **state)
{
#define TEXT_2(name, text, ...)	       text,
#define TEXT_3(name, value, text, ...) text,
#define TEXT_FIELD(field, ...)	       #field,
	static const char *const classes[] = {GN_CLASS_LIST(TEXT_3)};
	static const char *const checks[] = {GN_CHECK_LIST(TEXT_FIELD)};
	static const char *const runtimes[] = {GN_RUNTIME_LIST(TEXT_3)};
	static const char *const costs[] = {GN_COST_LIST(TEXT_2)};
	static const char *const probes[] = {
#define TEXT_PROBE(name, value, text) text,
		GN_PROBE_CLASS_LIST(TEXT_PROBE)};
	static const char *const polled[] = {GN_POLLED_LIST(TEXT_3)};
	static const char *const ends[] = {GN_WAIT_END_LIST(TEXT_3)};
	static const char *const halts[] = {
#define TEXT_HALT(name, value, text) text,
		GN_HALT_LIST(TEXT_HALT)};
	static const char *const found[] = {
#define TEXT_FOUND(name, text, color) \
	GN_FOUND_##name == GN_FOUND_FACT ? "fact" : text,
		GN_FOUND_LIST(TEXT_FOUND)};
	struct json_page *p = json_page_read();

	(void)state;
	json_page_words(p, "<class>", classes, COUNT(classes));
	json_page_words(p, "<check>", checks, COUNT(checks));
	json_page_words(p, "<runtime>", runtimes, COUNT(runtimes));
	json_page_words(p, "<cost>", costs, COUNT(costs));
	json_page_words(p, "<probe>", probes, COUNT(probes));
	json_page_words(p, "<polled>", polled, COUNT(polled));
	json_page_words(p, "<end>", ends, COUNT(ends));
	json_page_words(p, "<halt>", halts + 1, COUNT(halts) - 1);
	json_page_words(p, "<found>", found, COUNT(found));
	json_page_done(p);
}

/* The words that functions return. */
static void words_of_functions(void **state)
{
	static const struct {
		const char *text;
		bool loss;
	} counters[] = {
#define COUNTER(name, value, text, loss, meaning) {text, loss},
		GN_COUNTER_LIST(COUNTER)};
	const char *causes[COUNT(counters)], *others[COUNT(counters)];
	const char *threads[GN_THREAD_ENDED + 1], *targets[GN_TOP_KILLED + 1];
	const char *links[GN_ATTACH_SINGLE];
	struct json_page *p = json_page_read();
	size_t ncauses = 0, nothers = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(counters); i++) {
		if (counters[i].loss)
			causes[ncauses++] = counters[i].text;
		else
			others[nothers++] = counters[i].text;
	}
	for (size_t i = 0; i < COUNT(threads); i++)
		threads[i] = gn_top_state_word((enum gn_thread_state)i);
	for (size_t i = 0; i < COUNT(targets); i++)
		targets[i] = gn_top_target_word((enum gn_top_target)i);
	/* without AUTO, which stands for one of the others */
	for (size_t i = 0; i < COUNT(links); i++)
		links[i] = gn_attach_mode_name((enum gn_attach_mode)(i + 1));
	json_page_words(p, "<cause>", causes, ncauses);
	json_page_words(p, "<counter>", others, nothers);
	json_page_words(p, "<thread>", threads, COUNT(threads));
	json_page_words(p, "<target>", targets, COUNT(targets));
	json_page_words(p, "<link>", links, COUNT(links));
	json_page_done(p);
}

static void words_of_rules(void **state)
{
#define TEXT_OF(name, text) text,
	static const char *const severities[] = {GN_SEVERITY_LIST(TEXT_OF)};
#undef TEXT_OF
	const char *rules[JSON_WORDS];
	struct json_page *p = json_page_read();
	size_t n = 0;

	(void)state;
	while ((rules[n] = gn_rule_name(n)))
		assert_true(++n < COUNT(rules));
	json_page_words(p, "<rule>", rules, n);
	json_page_words(p, "<severity>", severities, COUNT(severities));
	json_page_done(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(words_of_rules),
		cmocka_unit_test(words_of_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
