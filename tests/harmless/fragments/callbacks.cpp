// SPDX-License-Identifier: BSD-2-Clause
// The C library calls back: qsort, bsearch, scandir-like walks, printf to a
// stream of the program's own; virtual calls, std::function, lambdas.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "../fragment.h"

extern "C" {
COUNTED(callbacks_compare)
KEEP int callbacks_compare(const void *a, const void *b)
{
	long x = *static_cast<const long *>(a);
	long y = *static_cast<const long *>(b);

	COUNT(callbacks_compare);
	return x < y ? -1 : x > y;
}

COUNTED(callbacks_apply)
KEEP long callbacks_apply(const std::function<long(long)> &f, long n)
{
	COUNT(callbacks_apply);
	if (n == 5)
		throw std::string("five");
	return f(n);
}
}

struct Shape {
	virtual ~Shape() = default;
	virtual long area() const = 0;
};
struct Square : Shape {
	long n;
	explicit Square(long side) : n(side)
	{
	}
	KEEP long area() const override
	{
		return n * n;
	}
};
struct Line : Shape {
	KEEP long area() const override
	{
		return 0;
	}
};

FRAGMENT(callbacks)
{
	std::vector<long> v;
	std::map<std::string, long> m;
	long sum = 0, x = how;
	char text[64];

	for (unsigned int i = 0; i < 10 + how % 30; i++) {
		x = (x * 1103515245 + 12345) & 0x7fffffff;
		v.push_back(x % 1000);
	}
	std::qsort(v.data(), v.size(), sizeof(long), callbacks_compare);
	sum += bsearch(&v[3], v.data(), v.size(), sizeof(long),
		       callbacks_compare) != nullptr;
	std::sort(v.begin(), v.end(), [](long a, long b) { return a > b; });
	for (long n : v) {
		try {
			sum += callbacks_apply([&](long y) { return y + sum; },
					       n % 10) %
			       1000;
		} catch (const std::string &s) {
			m[s]++;
		}
		snprintf(text, sizeof(text), "%ld-%g", n % 7, n / 8.0);
		m[text] += n;
	}
	for (const auto &p : m)
		sum += static_cast<long>(p.first.size()) * p.second;
	Square square(how % 12);
	Line line;
	const Shape *shapes[] = {&square, &line};
	for (const Shape *s : shapes)
		sum += s->area();
	return sum;
}
