/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of .NET as recorded, and as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "names/clr_name.h"

struct name_case {
	const char *name, *form; /* form: NULL: there is none */
};

static void has_forms(const struct name_case *cases, size_t n,
		      enum gn_clr_form form)
{
	char text[256];

	for (size_t i = 0; i < n; i++) {
		bool has =
			gn_clr_spell(cases[i].name, form, text, sizeof(text));

		if (has != (cases[i].form != NULL))
			print_error("%s\n", cases[i].name);
		assert_int_equal(has, cases[i].form != NULL);
		if (has)
			assert_string_equal(text, cases[i].form);
	}
}

#define FORMS(form, ...)                                                    \
	do {                                                                \
		static const struct name_case cases[] = {__VA_ARGS__};      \
		has_forms(cases, sizeof(cases) / sizeof(cases[0]), (form)); \
	} while (0)

static void types_lose_their_name_spaces(void **state)
{
	(void)state;
	FORMS(GN_CLR_SHORT, {"Demo.Program.Main()", "Program.Main()"},
	      {"Program.Main(string[])", "Program.Main(string[])"},
	      {"System.Collections.Generic.List<int>.Add(int)",
	       "List<int>.Add(int)"},
	      {"N.Startup.Configure(Microsoft.AspNetCore.Builder."
	       "IApplicationBuilder)",
	       "Startup.Configure(IApplicationBuilder)"},
	      {"N.A<int>+B<N.C,string>.Do<N.D+E>(N.A<int>+B<N.C,string>,long)",
	       "A<int>.B<C, string>.Do<D.E>(A<int>.B<C, string>, long)"},
	      {"N.P.Try(string,int&,N.Q*[],System.Decimal[,])",
	       "P.Try(string, ref int, Q*[], decimal[,])"},
	      {"N.P.M(System.Nullable<int>,System.ValueTuple<int,N.Q>&)",
	       "P.M(int?, ref (int, Q))"},
	      {"N.P.M(System.ValueTuple<int>,delegate*<int,void>)",
	       "P.M(ValueTuple<int>, delegate*<int, void>)"},
	      {"N.Box<System.__Canon>.Get(System.__Canon[])",
	       "Box<T>.Get(T[])"},
	      {"Main()", "Main()"}, {"N.C.M(int", NULL}, {"N.C.M)", "C.M)"},
	      {"N.C<int.M()", NULL}, {"", NULL}, {"N..", NULL});
}

static void members_are_as_in_the_language(void **state)
{
	(void)state;
	FORMS(GN_CLR_SHORT, {"System.String.get_Length()", "String.Length.get"},
	      {"N.P.set_Name(string)", "P.Name.set"},
	      {"N.P.get_(string)", "P.get_(string)"},
	      {"N.P.get_Item(int,N.Q)", "P.this[int, Q].get"},
	      {"System.Collections.Generic.List<int>.set_Item(int,int)",
	       "List<int>.this[int].set"},
	      {"System.String.get_Chars(int)", "String.this[int].get"},
	      {"N.E.get_Vowels(string)", "E.Vowels.get(string)"},
	      {"N.E.set_Vowels(string,int)", "E.Vowels.set(string)"},
	      {"N.E.get_First<T>(System.Collections.Generic.List<T>)",
	       "E.First<T>.get(List<T>)"},
	      {"N.E.set_First<N.Q>(N.Q[],N.Q)", "E.First<Q>.set(Q[])"},
	      {"N.P.add_Click(System.EventHandler)", "P.Click.add"},
	      {"N.P.remove_Click(System.EventHandler)", "P.Click.remove"},
	      {"System.Collections.Generic.List<int>..ctor(int)",
	       "List<int>.List(int)"},
	      {"N.P..cctor()", "P.static P()"}, {"N.P.Finalize()", "P.~P()"},
	      {"N.P.Finalize(int)", "P.Finalize(int)"},
	      {"N.P.op_Addition(N.P,N.P)", "P.operator +(P, P)"},
	      {"N.P.op_CheckedAddition(N.P,N.P)", "P.operator checked +(P, P)"},
	      {"N.P.op_AdditionAssignment(int)", "P.operator +=(int)"},
	      {"N.P.op_CheckedMultiplicationAssignment(N.P)",
	       "P.operator checked *=(P)"},
	      {"N.P.op_UnsignedRightShiftAssignment(int)",
	       "P.operator >>>=(int)"},
	      {"N.P.op_DecrementAssignment()", "P.operator --()"},
	      {"N.P.op_LessThan(N.P,int)", "P.operator <(P, int)"},
	      {"N.P.op_Implicit(int)~N.P", "P.implicit operator P(int)"},
	      {"N.P.op_Explicit(N.P)~System.Decimal",
	       "P.explicit operator decimal(P)"},
	      {"N.P.op_CheckedExplicit(N.P)~byte",
	       "P.explicit operator checked byte(P)"},
	      {"N.P.op_Implicit(int)", "P.implicit operator(int)"},
	      {"N.P.op_Other(int)", "P.op_Other(int)"},
	      {"N.P.<Clone>$()", "P.Clone()"},
	      {"Program.<Main>$(string[])", "Program.Main(string[])"});
}

static void interfaces_stay_with_their_members(void **state)
{
	(void)state;
	FORMS(GN_CLR_SHORT,
	      {"System.String.System.IConvertible.ToBoolean("
	       "System.IFormatProvider)",
	       "String.IConvertible.ToBoolean(IFormatProvider)"},
	      {"N.C<int>.System.Collections.Generic.IList<int>.get_Item(int)",
	       "C<int>.IList<int>.this[int].get"},
	      {"N.C+D.N.IWork.Do()", "C.D.IWork.Do()"},
	      {"N.C.N.IWork.Do()", "C.IWork.Do()"},
	      {"System.Collections.IList.Add(object)", "IList.Add(object)"},
	      {"N.C+<Items>d__1.System.IDisposable.Dispose()",
	       "C.Items.IDisposable.Dispose()"});
}

static void what_compilers_made_has_its_methods_name(void **state)
{
	(void)state;
	FORMS(GN_CLR_SHORT, {"N.P+<Fetch>d__3.MoveNext()", "P.Fetch"},
	      {"N.P+<Fetch>d__3#1.MoveNext()", "P.Fetch"},
	      {"N.P<T>+<Fetch>d__3.MoveNext()", "P<T>.Fetch"},
	      {"N.P+<Gen>d__14<System.Tuple<int,string>>.MoveNext()",
	       "P.Gen<Tuple<int, string>>"},
	      {"N.Sx+<A-IWork-Do>d__0.MoveNext()", "Sx.IWork.Do"},
	      {"N.C+<A-IGet<System-Collections-Generic-KeyValuePair<System-"
	       "String,N-Q[]>>-Get>d__6.MoveNext()",
	       "C.IGet<KeyValuePair<string, Q[]>>.Get"},
	      {"N.P+<>c+<<Lambdas>b__34_0>d.MoveNext()", "P.Lambdas.lambda#0"},
	      {"N.P+<>c+<<-ctor>b__5_0>d.MoveNext()", "P.P.lambda#0"},
	      {"N.P+<>c+<<-cctor>b__5_0>d.MoveNext()", "P.static P.lambda#0"},
	      {"N.P<T>+<<-ctor>g__La|1_3>d.MoveNext()", "P<T>.P.La"},
	      {"N.C+<>c+<<A-IGet<System-Int32>-Get>b__4_0>d.MoveNext()",
	       "C.IGet<int>.Get.lambda#0"},
	      {"N.P+<>c__DisplayClass33_0+<<Host>g__Loc|0>d.MoveNext()",
	       "P.Host.Loc"},
	      {"N.P+<Fetch>d__3.SetStateMachine(int)",
	       "P.Fetch.SetStateMachine(int)"},
	      {"N.P+<Items>d__3..ctor(int)", "P.Items.new(int)"},
	      {"N.P+<Fetch>d__3..ctor()", "P.Fetch.new()"},
	      {"C+VB$StateMachine_3_Fetch.MoveNext()", "C.Fetch"},
	      {"C+VB$StateMachine_12_Fetch<T>.MoveNext()", "C.Fetch<T>"},
	      {"N.P+<>c.<Main>b__0_1(int)", "P.Main.lambda#1(int)"},
	      {"N.P+<>c__DisplayClass3_0.<Main>b__2()", "P.Main.lambda#2()"},
	      {"N.P<T>+<>c.<Main>b__0_1(T)", "P<T>.Main.lambda#1(T)"},
	      {"N.P+<>c<T>.<Main>b__0_1(T)", "P<T>.Main.lambda#1(T)"},
	      {"N.P+<>c__3<T>.<Main>b__3_1(T)", "P.Main.lambda#1<T>(T)"},
	      {"N.P.<Main>g__Local|0_0(int)", "P.Main.Local(int)"},
	      {"N.P.<Main>g__Local|0_0<T>(T)", "P.Main.Local<T>(T)"},
	      {"Program.<<Main>$>g__Local|0_0()", "Program.Main.Local()"},
	      {"N.P.<get_Name>b__0()", "P.Name.get.lambda#0()"},
	      {"N.P+<>c.<.ctor>b__0_0()", "P.P.lambda#0()"},
	      {"N.P+<>c..ctor()", "P.closure.closure()"},
	      {"N.P+<>c..cctor()", "P.closure.static closure()"},
	      {"N.P+<>c__DisplayClass2_0<T>..ctor()",
	       "P.closure#2_0<T>.closure()"},
	      {"N.P.<Main>g__Local|0_0(int,N.P+<>c__DisplayClass0_0&)",
	       "P.Main.Local(int, ref P.closure#0_0)"},
	      {"System.Builder<int>.Start<N.P+<Fetch>d__3>(N.P+<Fetch>d__3&)",
	       "Builder<int>.Start<P.Fetch>(ref P.Fetch)"},
	      {"N.P.M(N.A<N.P+<>c+<<-ctor>b__5_0>d>,N.P+<Gen>d__1<int>[])",
	       "P.M(A<P.P.lambda#0>, P.Gen<int>[])"},
	      {"N.P.M(N.A<<>f__AnonymousType0<int,N.Q>>)",
	       "P.M(A<AnonymousType0<int, Q>>)"},
	      /* of Mono's compiler */
	      {"N.P+<Fetch>c__async3.MoveNext()", "P.Fetch"},
	      {"N.P<T>+<Items>c__Iterator0.MoveNext()", "P<T>.Items"},
	      {"N.P+<Items>c__Iterator0..ctor()", "P.Items.new()"},
	      {"N.P.<Main>m__5(int)", "P.Main.lambda#5(int)"},
	      {"N.P+<Main>c__AnonStorey4.<>m__0(int)",
	       "P.Main.lambda#4-0(int)"},
	      {"N.P+<Main>c__AnonStorey4..ctor()", "P.Main.new()"},
	      {"N.P+<Main>c__AnonStorey4+<Main>c__async1.MoveNext()", "P.Main"},
	      {"<>f__AnonymousType0<int>.get_Id()",
	       "AnonymousType0<int>.Id.get"},
	      {"<>f__AnonymousType0<<Id>j__TPar,<B>j__TPar>..ctor("
	       "<Id>j__TPar,<B>j__TPar)",
	       "AnonymousType0<Id, B>.AnonymousType0(Id, B)"},
	      {"N.<File>F12AB__Local.Do()", "Local.Do()"},
	      {"N.P+<Fetch>d__3", NULL},
	      {"N.P+<Fetch>d__3<int.MoveNext()", NULL}, {"N.P+<Fetch", NULL},
	      {"+<", NULL}, {"C+VB$StateMachine_", NULL});
}

static void other_languages_closures_are_readable(void **state)
{
	(void)state;
	FORMS(GN_CLR_SHORT,
	      {"N.P+_Closure$__._Lambda$__5-1(int)", "P.lambda#5-1(int)"},
	      {"N.P+_Closure$__5-0._Lambda$__2(int)", "P.lambda#5-2(int)"},
	      {"N.P._Lambda$__7-0()", "P.lambda#7-0()"},
	      {"N.P+B<T>+_Closure$__._Lambda$__8-0(T)", "P.B<T>.lambda#8-0(T)"},
	      {"N.P+_Closure$__7-0<U>._Lambda$__1(U)", "P.lambda#7-1<U>(U)"},
	      {"N.P+_Closure$__5-0+VB$StateMachine___Lambda$__2.MoveNext()",
	       "P.lambda#5-2"},
	      {"N.P+_Closure$__..cctor()", "P.closure.static closure()"},
	      {"N.P+_Closure$__5-0..ctor(N.P+_Closure$__5-0)",
	       "P.closure#5-0.closure(P.closure#5-0)"},
	      {"N.P+_Closure$__5-0.*", "P.*"},
	      {"N.P+_Closure$__5-0+VB$StateMachine___Lambda$__2.*",
	       "P.lambda#5-2*"},
	      {"N.P+fetch@15.MoveNext()", "P.fetch"},
	      {"N.P+fetch@15-1<T>.MoveNext()", "P.fetch<T>"},
	      {"N.P+items@27.GenerateNext(System.Collections.Generic."
	       "IEnumerable<int>&)",
	       "P.items"},
	      {"N.P+items@27.Close()", "P.items@27.Close()"},
	      {"N.P+main@50-2.Invoke(int)", "P.main@50-2(int)"},
	      {"N.P+main@50-2<T>.Invoke(T)", "P.main@50-2<T>(T)"},
	      {"N.P+main@50-2.Invoke", "P.main@50-2"},
	      {"N.P+main@50..ctor(int)", "P.main@50.main@50(int)"},
	      {"N.P+Pipe #1 input at line 4@4.Invoke(int)",
	       "P.Pipe #1 input at line 4@4(int)"},
	      {"N.P+main@50-2<*>.*", "P.main*"}, {"N.P+main@50.*", "P.main*"},
	      {"N.P+A@b.Invoke()", "P.A@b.Invoke()"},
	      {"N.P+@1.Invoke()", "P.@1.Invoke()"},
	      {"N.P+A@-1.Invoke()", "P.A@-1.Invoke()"},
	      {"N.P@1.Invoke()", "P@1.Invoke()"});
}

static void a_long_form_keeps_the_name_spaces(void **state)
{
	(void)state;
	FORMS(GN_CLR_LONG, {"N.P.Main(N.Q,int)", "N.P.Main(N.Q,int)"},
	      {"N.P+<Fetch>d__3.MoveNext()", "N.P.Fetch"},
	      {"N.P+<Gen>d__14<System.Tuple<int,string>>.MoveNext()",
	       "N.P.Gen<System.Tuple<int,string>>"},
	      {"N.Sx+<A-IWork-Do>d__0.MoveNext()", "N.Sx.A.IWork.Do"},
	      {"N.Sx+<A-IGet<N-Q>-Do>d__0.MoveNext()", "N.Sx.A.IGet<N.Q>.Do"},
	      {"N.P+<>c+<<-ctor>b__5_0>d.MoveNext()", "N.P.P.lambda#0"},
	      {"M.C.M.IWork.Do()", "M.C.M.IWork.Do()"},
	      {"N.P+<>c.<Main>b__0_1(N.Q)", "N.P.Main.lambda#1(N.Q)"});
}

/* A glob has a form that all names which it matches have. */
static void globs_have_the_form_of_all(void **state)
{
	(void)state;
	FORMS(GN_CLR_SHORT, {"N.P.*", "P.*"}, {"N.P<*>.*", "P<*>.*"},
	      {"N.P+Q<*>.*", "P.Q<*>.*"}, {"N.P+<Fetch>d__3.*", "P.Fetch*"},
	      {"N.P+<>c.*", "P.*"}, {"N.P+<>c__DisplayClass0_0.*", "P.*"},
	      {"N.P+<Fetch>d__3.MoveNext", "P.Fetch"},
	      {"N.P..ctor(*)", "P.P(*)"}, {"N.P.get_Item(*)", "P.this[*].get"},
	      {"N.P.set_Item(*)", "P.this[*].set"},
	      {"N.P.get_Name(*)", "P.Name.get*"},
	      {"N.P.set_Name(*)", "P.Name.set*"},
	      {"N.P.get_Name<*>(*)", "P.Name<*>.get*"},
	      {"N.P.set_Item", "P.Item.set"}, {"N.P.Finalize", "P.~P*"},
	      {"N.P.op_Implicit", "P.implicit operator*"},
	      {"N.P.op_Implicit(*)", "P.implicit operator*"});
}

/* A name that just fits the room, and a longer one. */
static void room_is_kept(void **state)
{
	static const char name[] = "N.P+<Fetch>d__3.MoveNext()";
	char text[16];

	(void)state;
	for (size_t size = 0; size <= sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		assert_int_equal(gn_clr_spell(name, GN_CLR_SHORT, text, size),
				 size > strlen("P.Fetch"));
		for (size_t i = size; i < sizeof(text); i++)
			assert_int_equal(text[i], '#');
	}
}

static void a_type_alone_loses_its_name_space(void **state)
{
	static const char *const cases[][2] = {
		{"System.Uri", "Uri"},
		{"string[]", "string[]"},
		{"N.A+B<N.C,int>[]", "A.B<C, int>[]"},
		{"Top", "Top"},
		{"N.P+<>c", "P.closure"},
		{"N.B<N.P+<F>d__1>", "B<P.F>"},
	};
	char text[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(gn_clr_spell_type(cases[i][0], text, sizeof(text)));
		assert_string_equal(text, cases[i][1]);
	}
	assert_false(gn_clr_spell_type("", text, sizeof(text)));
	assert_false(gn_clr_spell_type("N.Fifteen_letters", text, 15));
}

static void parameters_are_last(void **state)
{
	(void)state;
	assert_int_equal(gn_clr_plain("P.M(int)"), 3);
	assert_int_equal(gn_clr_plain("P<(int, Q)>.M((int, Q))"), 13);
	assert_int_equal(gn_clr_plain("P.operator <(P, P)"), 12);
	assert_int_equal(gn_clr_plain("P.operator <<=(P)"), 14);
	assert_int_equal(gn_clr_plain("P.a (b) (c) d(int,(P))"), 13);
	assert_int_equal(gn_clr_plain("P.op_Explicit(P)~Q(int)"), 13);
	assert_int_equal(gn_clr_plain("P.a(b) c"), 3);
	assert_int_equal(gn_clr_plain("P.a(b) c(int"), 8);
	assert_int_equal(gn_clr_plain("P.M"), 3);
	assert_int_equal(gn_clr_plain(""), 0);
}

/* Plain names of types have a fast path; a member's name has none. */
static void plain_types_are_as_others(void **state)
{
	static const char *const words[] = {"A",      "System", "Bee", "_c1",
					    "Outer2", "VB",	"d__3"};
	uint32_t seed = 1;
	size_t same = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char type[256] = "", name[300], fast[300], slow[300];
		int parts;

		seed = seed * 1664525u + 1013904223u;
		parts = 1 + (seed >> 8) % 7;
		for (int k = 0; k < parts; k++) {
			seed = seed * 1664525u + 1013904223u;
			if (k)
				strcat(type, (seed >> 28) % 3 ? "." : "+");
			strcat(type, words[(seed >> 8) % 7]);
		}
		for (int form = GN_CLR_SHORT; form <= GN_CLR_LONG; form++) {
			bool did, does;

			snprintf(name, sizeof(name), "%s.*", type);
			did = gn_clr_spell(name, form, fast, sizeof(fast));
			snprintf(name, sizeof(name), "%s.q", type);
			does = gn_clr_spell(name, form, slow, sizeof(slow));
			assert_int_equal(did, does);
			slow[strlen(slow) - 1] = '*';
			assert_string_equal(fast, slow);
			same++;
		}
	}
	assert_int_equal(same, 40000);
	assert_false(gn_clr_spell("N.C.*", GN_CLR_LONG, (char[5]){0}, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_lose_their_name_spaces),
		cmocka_unit_test(members_are_as_in_the_language),
		cmocka_unit_test(interfaces_stay_with_their_members),
		cmocka_unit_test(what_compilers_made_has_its_methods_name),
		cmocka_unit_test(other_languages_closures_are_readable),
		cmocka_unit_test(a_long_form_keeps_the_name_spaces),
		cmocka_unit_test(globs_have_the_form_of_all),
		cmocka_unit_test(room_is_kept),
		cmocka_unit_test(a_type_alone_loses_its_name_space),
		cmocka_unit_test(parameters_are_last),
		cmocka_unit_test(plain_types_are_as_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
