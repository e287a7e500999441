/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of .NET methods as people write them. They come from traced programs,
 * so they can be any text. The recorded form is:
 *
 *	Namespace.Outer+Inner<int>.Method<string>(int,Other.Type[])
 */
#ifndef GNOMON_NAMES_CLR_NAME_H
#define GNOMON_NAMES_CLR_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a name; a longer one is left as it is. */
#define GN_CLR_NAME_MAX 2048

enum gn_clr_form {
	/* "Outer.Inner<int>.Method<string>(int, Type[])" */
	GN_CLR_SHORT,
	/* The same, but types keep their name spaces and their recorded
	 * spelling. */
	GN_CLR_LONG,
};

/*
 * Accessors, operators and constructors are written as in C#. A lambda or local
 * function follows the method that contains it. What a compiler made of an
 * async method or an iterator has that method's name, without parameters; the
 * constructor of such a type is P.Fetch.new():
 *
 *	Stack<T>.this[int].get	   Money.operator +(Money, Money)
 *	Stack<T>.Stack(int)	   P.Main.lambda#0(string)
 *	P.Main.Local(int)	   P.Fetch
 *
 * The type that holds the variables of lambdas, "P+<>c__DisplayClass2_0", is
 * P.closure#2_0. Visual Basic keeps only the number of the method that contains
 * a lambda, and F# the name that a closure was bound to, with its line:
 *
 *	P.lambda#5-1(int)	   P.add@50-2(int)
 *
 * A name may be a glob for the methods of a type ("N.P+Q.*"), or for a method
 * without its parameters. Then the result is a glob for all that they become.
 * False: it is not such a name, or there is no room.
 */
bool gn_clr_spell(const char *name, enum gn_clr_form form, char *text,
		  size_t size);

/* A type only: "Outer.Inner<int>" of "Namespace.Outer+Inner<int>". False: there
 * is no room. */
bool gn_clr_spell_type(const char *name, char *text, size_t size);

/* Returns the length of a method's name, in any form, without its
 * parameters. */
size_t gn_clr_plain(const char *name);

#endif
