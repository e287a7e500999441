// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/filter.h"
#include "hooksite/clr/words.h"
#include "names/clr_name.h"

static bool glob(const char *pattern, const char *text)
{
	return gn_glob(pattern, strlen(pattern), text, strlen(text));
}

static void test_glob(void **state)
{
	(void)state;
	assert_true(glob("", ""));
	assert_true(glob("*", ""));
	assert_true(glob("***", "abc"));
	assert_true(glob("a*c", "abbbc"));
	assert_true(glob("a*b*c", "aXbXbXc"));
	assert_true(glob("*ab", "aab"));
	assert_true(glob("?", "x"));
	assert_true(glob("a?c", "abc"));
	assert_true(glob("?x", "\xe2\x82\xacx"));
	assert_true(glob("F(int[])", "F(int[])"));
	assert_false(glob("", "a"));
	assert_false(glob("?", ""));
	assert_false(glob("a", "ab"));
	assert_false(glob("ab", "a"));
	assert_false(glob("??", "\xe2\x82\xac"));
	assert_false(glob("a*c", "abcd"));
	assert_false(glob("[a]", "a"));
}

/* Compares with a simple definition, for each pattern and text of a small
 * alphabet. */
static bool naive(const char *p, const char *t)
{
	if (!*p)
		return !*t;
	if (*p == '*')
		return naive(p + 1, t) || (*t && naive(p, t + 1));
	return *t && (*p == '?' || *p == *t) && naive(p + 1, t + 1);
}

static void spell(char *out, unsigned int n, const char *letters)
{
	size_t base = strlen(letters);

	for (; n; n = (n - 1) / (unsigned int)base)
		*out++ = letters[(n - 1) % base];
	*out = '\0';
}

static void test_glob_against_definition(void **state)
{
	char pattern[16], text[16];

	(void)state;
	for (unsigned int p = 0; p < 1365; p++) {
		spell(pattern, p, "ab*?");
		for (unsigned int t = 0; t < 63; t++) {
			spell(text, t, "ab");
			if (glob(pattern, text) != naive(pattern, text))
				fail_msg("%s against %s", pattern, text);
		}
	}
}

/* Patterns that take exponential time in a matcher that tries all stars. */
static void test_glob_is_quick(void **state)
{
	char pattern[513], text[1024];

	(void)state;
	for (size_t i = 0; i < 512; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[512] = '\0';
	memset(text, 'a', sizeof(text));
	text[1022] = 'b';
	text[1023] = '\0';
	assert_false(glob(pattern, text));
}

static bool hooks(const char *filter)
{
	return gn_filter_hooks(filter, "Demo.Work.Fib(int)", "Demo.App.dll");
}

static void test_filter(void **state)
{
	(void)state;
	assert_true(hooks(NULL));
	assert_true(hooks(""));
	assert_true(hooks("\n\n"));
	assert_true(hooks("Demo.*"));
	assert_true(hooks("*.Fib"));
	assert_true(hooks("*Fib(int)"));
	assert_false(hooks("Fib"));
	assert_false(hooks("*Fib("));
	assert_false(hooks("Other.*"));
	assert_true(hooks("Other.*\nDemo.*"));
}

static void test_filter_leaves_out(void **state)
{
	(void)state;
	assert_false(hooks("!Demo.*"));
	assert_true(hooks("!Other.*"));
	assert_false(hooks("Demo.*\n!*.Fib"));
	assert_true(hooks("!*.Fib\nDemo.*"));
	assert_true(hooks("*\n!Demo.*\n*Fib*"));
	assert_false(hooks("*\n!Demo.*\n*Fob*"));
	assert_false(hooks("!Other\nOther"));
}

static void test_filter_by_module(void **state)
{
	(void)state;
	assert_true(hooks("Demo.App:*"));
	assert_true(hooks("Demo.App.dll:Demo.Work.*"));
	assert_true(hooks("Demo.*:*"));
	assert_false(hooks("Demo:*"));
	assert_false(hooks("Demo.App:Other*"));
	assert_false(hooks("Demo.App:"));
	assert_false(hooks("*\n!Demo.App:*"));
	assert_true(hooks("*\n!Demo.App:*Fob"));
	/* double colons belong to a name */
	assert_true(gn_filter_hooks("{closure:a.php:1}", "{closure:a.php:1}",
				    "/www/a.php"));
	assert_true(gn_filter_hooks("A::{closure:*", "A::{closure:a.php:1}",
				    "/www/a.php"));
	assert_true(gn_filter_hooks("a.php:*{closure:*:1}",
				    "A::{closure:a.php:1}", "/www/a.php"));
	assert_false(gn_filter_hooks("b.php:*{closure:*:1}",
				     "A::{closure:a.php:1}", "/www/a.php"));
	assert_true(gn_filter_hooks("class@anonymous:a.php:2::run",
				    "class@anonymous:a.php:2::run",
				    "/www/a.php"));
	assert_true(gn_filter_hooks("a::b", "a::b(int)", "x.dll"));
	assert_true(gn_filter_hooks("x:a::b", "a::b(int)", "x.dll"));
	assert_false(gn_filter_hooks("y:a::b", "a::b(int)", "x.dll"));
}

static void test_nothing(void **state)
{
	(void)state;
	assert_false(gn_filter_hooks_nothing(NULL));
	assert_false(gn_filter_hooks_nothing(""));
	assert_true(gn_filter_hooks_nothing("!*"));
	assert_true(gn_filter_hooks_nothing("!*\n"));
	assert_true(gn_filter_hooks_nothing("App.*\n\n!*\n"));
	assert_false(gn_filter_hooks_nothing("!*\nApp.*"));
	assert_false(gn_filter_hooks_nothing("*"));
	assert_false(gn_filter_hooks_all(NULL));
	assert_true(gn_filter_hooks_all("*"));
	assert_true(gn_filter_hooks_all("!App.*\n*\n"));
	assert_false(gn_filter_hooks_all("*\n!App.*"));
	assert_false(gn_filter_hooks_all("App.*"));
	assert_false(gn_filter_hooks_nothing("!**"));
	assert_false(gn_filter_hooks_nothing("!"));
}

static bool may(const char *filter, const char *names)
{
	struct gn_filter_lines lines;
	bool can;

	assert_true(gn_filter_parse(filter, &lines));
	can = gn_filter_may_hook(&lines, GN_FILTER_ALL, names,
				 "/a/Demo.App.dll");
	gn_filter_lines_free(&lines);
	return can;
}

static void test_may_hook(void **state)
{
	(void)state;
	assert_false(gn_filter_asks(NULL));
	assert_false(gn_filter_asks("!Demo.*\n"));
	assert_true(gn_filter_asks("!Demo.*\nOther"));
	assert_true(may("Demo.*", "Demo.Work.*"));
	assert_true(may("*Fib", "Demo.Work.*"));
	assert_true(may("Demo.Work.Fib", "Demo.Work.*"));
	assert_true(may("Demo.List<int>.Add", "Demo.List<*>.Add"));
	assert_true(may("Demo.App:*", "Demo.Work.Fib"));
	assert_true(may("!*\n*.F?b", "Demo.Work.Fib"));
	assert_false(may("Demo.Work.Fib", "Demo.List<*>.Add"));
	assert_false(may("*.Fib", "Demo.List<*>.Add(*)"));
	assert_false(may("Demo.Wor", "Demo.Work.*"));
	assert_false(may("Other:*", "Demo.Work.Fib"));
	assert_false(may("!Demo.*", "Demo.Work.Fib"));
	assert_false(may("", "Demo.Work.Fib"));
}

/* Two patterns meet if a text of a small alphabet matches both. */
static void test_may_hook_against_definition(void **state)
{
	char filter[16], names[16], text[16];

	(void)state;
	for (unsigned int f = 1; f < 121; f++) {
		spell(filter, f, "ab*");
		for (unsigned int n = 0; n < 121; n++) {
			bool meet = false;

			spell(names, n, "ab*");
			for (unsigned int t = 0; t < 511 && !meet; t++) {
				spell(text, t, "ab");
				meet = naive(filter, text) &&
				       naive(names, text);
			}
			if (may(filter, names) != meet)
				fail_msg("%s against %s", filter, names);
		}
	}
}

/* A method's name also selects what the compiler made of the method. */
static void test_own_names(void **state)
{
	static const char machine[] = "N.P+<Fetch>d__3.MoveNext()";

	(void)state;
	assert_true(gn_filter_hooks("N.P.Fetch", machine, "m.dll"));
	assert_true(gn_filter_hooks("m:N.P.*", machine, "m.dll"));
	assert_true(gn_filter_hooks("N.P+*", machine, "m.dll"));
	assert_false(gn_filter_hooks("N.P.Fetch*\n!N.P.Fetch", machine, ""));
	assert_false(gn_filter_hooks("N.P.Other", machine, ""));
	assert_true(may("N.P.Fetch", "N.P+<Fetch>d__3.*"));
	assert_true(may("N.P.Fetch", "N.P+<Fetch>d__3.MoveNext(*)"));
	assert_false(may("N.P.Fetch", "N.P+<Other>d__3.*"));
}

/* Each function by its short name, and whether a module may have such a
 * name. */
static void test_short_names(void **state)
{
	static const char item[] = "N.P<int>.get_Item(N.Q,int)";

	(void)state;
	assert_true(gn_filter_hooks("P<int>.this*.get", item, "m.dll"));
	assert_true(gn_filter_hooks("P<*", item, "m.dll"));
	assert_true(gn_filter_hooks("m:P<int>.*", item, "m.dll"));
	assert_true(gn_filter_hooks("*.get_Item", item, "m.dll"));
	assert_true(gn_filter_hooks("*(Q, int)", "N.P.M(N.Q,int)", ""));
	assert_false(gn_filter_hooks("N.*\n!P<*", item, "m.dll"));
	assert_false(gn_filter_hooks("Q.*", item, "m.dll"));
	assert_true(may("P<int>.this*.get", "N.P<*>.*"));
	assert_true(may("P<int>.this*.get", "N.P<*>.get_Item(*)"));
	assert_true(may("P.Main.lambda#?", "N.P+<>c.*"));
	assert_true(may("P.Main.lambda#?", "N.P+<>c.<Main>b__0_1(*)"));
	assert_true(may("P.~P()", "N.P.Finalize"));
	assert_false(may("P.~P", "N.P.Final"));
	assert_false(may("Q.*", "N.P.*"));
}

/* A glob without brackets ignores arguments; a glob with brackets does not. */
static void test_bare_names(void **state)
{
	static const char add[] = "N.List<int>.Add(N.Q)";
	static const char makes[] = "N.D.op_Explicit(N.D)~N.Q";
	static const char first[] = "N.E.get_First<T>(L.List<T>)";

	(void)state;
	assert_true(gn_filter_hooks("*.List.Add", add, ""));
	assert_true(gn_filter_hooks("List.A*", add, ""));
	assert_false(gn_filter_hooks("*int*", add, ""));
	assert_false(gn_filter_hooks("*Q*", add, ""));
	assert_true(gn_filter_hooks("*<int>*", add, ""));
	assert_true(gn_filter_hooks("*(*Q*)", add, ""));
	assert_true(gn_filter_hooks("P.this.get", "N.P.get_Item(int)", ""));
	assert_false(gn_filter_hooks("*Q*", makes, ""));
	assert_true(gn_filter_hooks("*operator Q*", makes, ""));
	assert_true(gn_filter_hooks("D.explicit", makes, ""));
	assert_true(gn_filter_hooks("E.First.get", first, ""));
	assert_true(gn_filter_hooks("E.First<T>.get(*)", first, ""));
	assert_true(may("E.First.get", "N.E.get_First<*>(*)"));
	assert_true(may("E.First<T>.get(List<T>)", "N.E.get_First<*>(*)"));
	assert_true(gn_filter_hooks("J.*", "J.<init>(int)", ""));
	assert_true(gn_filter_hooks("J.<init>", "J.<init>(int)", ""));
	assert_false(may("*Q*", add));
	assert_false(may("*Q*", makes));
	assert_false(may("*Q*", "N.D.op_Multiply(N.D,N.D)"));
	assert_false(may("*Q*", "N.P.Finalize()"));
	assert_true(may("*Q*", "N.P.*"));
	assert_true(may("*<Q>*", "N.P<*>.M"));
	assert_true(may("*(Q)", "N.P.M(*)"));
	assert_true(may("* *", "N.D.op_Multiply(*)"));
}

/* A name with blanks, like F#'s ``adds two numbers``, works like any other. */
static void test_spaced_names(void **state)
{
	static const char adds[] = "N.My Tests.adds two<T>(Q,int)";

	(void)state;
	assert_true(gn_filter_hooks("*two", adds, ""));
	assert_true(gn_filter_hooks("*Tests*", adds, ""));
	assert_true(gn_filter_hooks("*adds two*", adds, ""));
	assert_false(gn_filter_hooks("*adds", adds, ""));
	assert_false(gn_filter_hooks("*Q*", adds, ""));
	assert_true(
		gn_filter_hooks("*numbers", "N.T.adds (two) numbers(Q)", ""));
	assert_true(may("*two*", "N.My Tests.adds two(*)"));
	assert_true(may("*numbers", "N.T.adds (two) numbers(*)"));
	assert_false(may("*three*", "N.My Tests.adds two(*)"));
}

/* Lines with wildcards, or of one kind, can be excluded. */
static void test_kinds(void **state)
{
	struct gn_filter_lines lines;

	(void)state;
	assert_true(gn_filter_parse("N.P.*\nN.Q.M\nN.R.M(int)", &lines));
	assert_true(gn_filter_may_hook(&lines, GN_FILTER_BARE, "N.P.M", ""));
	assert_false(gn_filter_may_hook(&lines, GN_FILTER_WHOLE, "N.P.M", ""));
	assert_true(
		gn_filter_may_hook(&lines, GN_FILTER_WHOLE, "N.R.M(*)", ""));
	assert_false(
		gn_filter_may_hook(&lines, GN_FILTER_BARE, "N.R.M(*)", ""));
	lines.exact = true;
	assert_false(gn_filter_may_hook(&lines, GN_FILTER_ALL, "N.P.M", ""));
	assert_true(gn_filter_may_hook(&lines, GN_FILTER_ALL, "N.Q.M(*)", ""));
	assert_true(gn_filter_may_hook(&lines, GN_FILTER_ALL, "N.R.M(*)", ""));
	gn_filter_lines_free(&lines);
}

static bool has_words(const char *filter, const char *name)
{
	struct gn_filter_lines lines;
	bool has;

	assert_true(gn_filter_parse(filter, &lines));
	has = gn_filter_has_words(&lines, name);
	gn_filter_lines_free(&lines);
	return has;
}

/* By the strings of a module's metadata: here, the name is the only one. */
static bool may_be_in(const char *filter, const char *name)
{
	struct gn_bytes strings = {(const uint8_t *)name, strlen(name) + 1};
	struct gn_filter_lines lines;
	struct gn_words words;
	bool may;

	assert_true(gn_filter_parse(filter, &lines));
	gn_words_find(&words, &lines, "/a/m.dll", &strings);
	may = words.any || words.some;
	assert_int_equal(may, gn_words_in(&words, 0));
	gn_words_free(&words);
	gn_filter_lines_free(&lines);
	return may;
}

/* The parts of names that a line requires; `other` may be anywhere in the
 * module. */
struct needed {
	const char *word, *other; /* a "$" at the end: no letter can follow */
};

static bool has_needed(const char *text, const char *word)
{
	size_t len = strcspn(word, "$");

	for (; *text; text++)
		if (!strncmp(text, word, len) &&
		    (!word[len] || !isalnum((unsigned char)text[len])))
			return true;
	return false;
}

static bool heap_has(const char *heap, size_t size, const char *word)
{
	for (size_t at = 0; at < size; at += strlen(heap + at) + 1)
		if (has_needed(heap + at, word))
			return true;
	return false;
}

/* Compares with a simple search for each string, and for each suffix, which
 * can be a name, too. `needed`: what each line requires; the last one has no
 * word. */
static void check_strings(const char *filter, const struct needed *needed,
			  const char *heap, size_t size)
{
	struct gn_bytes strings = {(const uint8_t *)heap, size};
	struct gn_filter_lines lines;
	struct gn_words words;

	assert_true(gn_filter_parse(filter, &lines));
	gn_words_find(&words, &lines, "m", &strings);
	assert_false(words.any);
	for (size_t at = 0; at < size; at++) {
		bool has = false;

		for (const struct needed *n = needed; n->word; n++)
			has |= has_needed(heap + at, n->word) &&
			       (!n->other || heap_has(heap, size, n->other));
		assert_int_equal(has, gn_words_in(&words, (uint32_t)at));
	}
	gn_words_free(&words);
	gn_filter_lines_free(&lines);
}

static void test_random_strings(void **state)
{
	char heap[200], words[3][8], ends[3][9], filter[64];
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		for (size_t i = 0; i < sizeof(heap); i++)
			heap[i] = "wxyzw.\0"[rand_r(&seed) % 7];
		heap[sizeof(heap) - 1] = '\0';
		for (int i = 0; i < 3; i++) {
			size_t len = 2 + (size_t)rand_r(&seed) % 5;

			for (size_t j = 0; j < len; j++)
				words[i][j] = "wxyz"[rand_r(&seed) % 4];
			words[i][len] = '\0';
			memcpy(ends[i], words[i], len);
			memcpy(ends[i] + len, "$", 2);
		}
		snprintf(filter, sizeof(filter), "z.%s\n*%s?\n%s(int)",
			 words[0], words[1], words[2]);
		check_strings(filter,
			      (const struct needed[]){{ends[0], "z$"},
						      {words[1], NULL},
						      {ends[2], NULL},
						      {NULL, NULL}},
			      heap, sizeof(heap));
	}
}

static void test_strings(void **state)
{
	static const char heap[] = "\0Program\0Fib\0aFibFib\0Main\0MainFi\0b";
	char many[3 << 16];

	(void)state;
	check_strings("Fib", (const struct needed[]){{"Fib$", NULL}, {0}}, heap,
		      sizeof(heap));
	check_strings("Fi*", (const struct needed[]){{"Fi", NULL}, {0}}, heap,
		      sizeof(heap));
	check_strings(
		"*am.Main\nogr*m",
		(const struct needed[]){{"Main$", "am$"}, {"ogr", NULL}, {0}},
		heap, sizeof(heap));
	check_strings("Gram.Main", (const struct needed[]){{0}}, heap,
		      sizeof(heap));
	check_strings("None", (const struct needed[]){{0}}, heap, sizeof(heap));
	/* more than the search counts */
	memset(many, 'a', sizeof(many));
	many[sizeof(many) - 1] = '\0';
	assert_true(may_be_in("aa*", many));
	assert_true(gn_words_in(&(struct gn_words){.any = true}, 0));
}

static void check_glob(const char *glob, const char *name, const char *plain)
{
	if (!gn_filter_hooks(glob, name, ""))
		return;
	if (!may_be_in(glob, plain) ||
	    (!strpbrk(glob, "()[]<> ") && !has_words(glob, plain)))
		fail_msg("%s asks for %s", glob, name);
}

/* All globs that match a part of a form of a name, or its begin or end. */
static void check_words(const char *name, const char *form)
{
	char plain[128], glob[128];
	size_t len = strlen(form);

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "("), name);
	for (size_t from = 0; from < len; from++) {
		for (size_t n = 1; from + n <= len; n++) {
			snprintf(glob, sizeof(glob), "*%.*s*", (int)n,
				 form + from);
			check_glob(glob, name, plain);
			if (!from)
				check_glob(glob + 1, name, plain);
			if (from + n < len)
				continue;
			glob[n + 1] = '\0';
			check_glob(glob, name, plain);
			if (!from)
				check_glob(glob + 1, name, plain);
		}
	}
}

static void test_words(void **state)
{
	static const char *const names[] = {
		"N.P<int>.get_Item(N.Q,int)",
		"N.P.set_Count(int)",
		"N.P.get_Vowels<T>(N.Q)",
		"N.P.add_Changed(N.Q)",
		"N.P..ctor(int)",
		"N.P..cctor()",
		"N.P.Finalize()",
		"N.P.op_Addition(N.P,N.P)",
		"N.P.op_LeftShiftAssignment(int)",
		"N.P.op_CheckedExplicit(N.P)~int",
		"N.P+<>c.<Main>b__0_1(string)",
		"N.P+<>c__DisplayClass1_0.<Main>g__Local|2(int)",
		"N.P+<Fetch>d__3.MoveNext()",
		"N.P+VB$StateMachine_3_Fetch.MoveNext()",
		"N.P.System.Collections.IList.Add(object)",
		"N.<Prog>F1A2B__Local.Run()",
	};
	char form[GN_CLR_NAME_MAX];

	(void)state;
	assert_false(has_words("*Fib*", "N.P.Fob"));
	assert_true(has_words("*Fib*", "N.P.Fibre"));
	assert_true(has_words("*Fob\n*P*", "N.P.Fib"));
	assert_true(has_words("*get*", "N.P.Fib"));
	assert_true(has_words("*", "N.P.Fib"));
	assert_false(has_words("Gram.Fib", "N.P.Fib"));
	assert_false(has_words("N.P.Fib\nGram.Fobs", "N.Gram.Fib"));
	assert_true(has_words("Gram.Fib", "N.Gram.Fib"));
	assert_false(may_be_in("N.*.Fob", "N.P.Fib"));
	assert_false(may_be_in("x:N.P.Fib", "N.P.Fib"));
	assert_true(may_be_in("m:N.P.F*", "N.P.Fib"));
	assert_false(may_be_in("N.P.Fob(int)", "N.P.Fib"));
	assert_true(may_be_in("N.P.Fib(Other)", "N.P.Fib"));
	assert_true(may_be_in("*(Other)", "N.P.Fib"));
	assert_true(may_be_in("*lambda#7*get", "N.P.Fib"));
	assert_true(may_be_in("x\nFib", "N.P.Fib"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		check_words(names[i], names[i]);
		assert_true(gn_clr_spell(names[i], GN_CLR_SHORT, form,
					 sizeof(form)));
		check_words(names[i], form);
		assert_true(gn_clr_spell(names[i], GN_CLR_LONG, form,
					 sizeof(form)));
		check_words(names[i], form);
	}
}

static void test_which(void **state)
{
	static const char lines[] = "10 N.P.Fetch\n 3\n2\n\n0 m:N.*\n";
	const char *word;

	(void)state;
	assert_int_equal(gn_filter_which(lines, "N.P.Fetch()", "m.dll", &word),
			 0);
	assert_ptr_equal(word, lines);
	assert_int_equal(gn_filter_which(lines, "N.P.Other()", "m.dll", &word),
			 4);
	assert_memory_equal(word, "0 m", 3);
	assert_int_equal(gn_filter_which(lines, "N.P.Other()", "o.dll", &word),
			 -1);
	assert_int_equal(gn_filter_which("", "N", "m", &word), -1);
}

static void test_helpers(void **state)
{
	(void)state;
	assert_true(
		gn_filter_helper("System.Math.ConvertToInt64Checked(double)"));
	assert_true(gn_filter_helper("System.Runtime.CompilerServices."
				     "CastHelpers.ChkCastAny(void*, object)"));
	assert_true(gn_filter_helper("System.SpanHelpers.Fill(ref byte, byte, "
				     "nuint)"));
	assert_false(gn_filter_helper("System.Math.Abs(int)"));
	assert_false(gn_filter_helper("N.System.Math.ConvertToChecked()"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_names),
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_bare_names),
		cmocka_unit_test(test_spaced_names),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_random_strings),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_glob_against_definition),
		cmocka_unit_test(test_glob_is_quick),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_filter_leaves_out),
		cmocka_unit_test(test_filter_by_module),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_which),
		cmocka_unit_test(test_helpers),
		cmocka_unit_test(test_may_hook),
		cmocka_unit_test(test_may_hook_against_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
