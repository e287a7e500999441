// SPDX-License-Identifier: BSD-2-Clause
// A small file for the C# compiler, which is the .NET program that quickstart
// traces.
using System;
using System.Collections.Generic;

static class Hello
{
	static IEnumerable<int> Squares(int n)
	{
		for (int i = 1; i <= n; i++)
			yield return i * i;
	}

	static int Main()
	{
		int sum = 0;
		foreach (int s in Squares(10))
			sum += s;
		Console.WriteLine($"the sum of the first ten squares is {sum}");
		return sum == 385 ? 0 : 1;
	}
}
