// SPDX-License-Identifier: BSD-2-Clause
// Coroutines of C++20: a generator, one that throws, nested awaits.
// HARMLESS: flags=-std=c++20 gcc=-fcoroutines clang=no
#include <coroutine>
#include <exception>

#include "../fragment.h"

struct Generator {
	struct promise_type {
		long value = 0;
		std::exception_ptr thrown;
		Generator get_return_object()
		{
			return Generator{std::coroutine_handle<
				promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(long v)
		{
			value = v;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			thrown = std::current_exception();
		}
	};
	std::coroutine_handle<promise_type> handle;

	explicit Generator(std::coroutine_handle<promise_type> h) : handle(h)
	{
	}
	Generator(const Generator &) = delete;
	~Generator()
	{
		handle.destroy();
	}
};

extern "C" {
COUNTED(coro20_leaf)
KEEP long coro20_leaf(long n)
{
	COUNT(coro20_leaf);
	if (n == 13)
		throw 13;
	return n * 2;
}
}

static Generator count_up(long from, long to)
{
	for (long i = from; i < to; i++)
		co_yield coro20_leaf(i);
}

extern "C" {
COUNTED(coro20_sum)
KEEP long coro20_sum(long from, long to)
{
	Generator g = count_up(from, to);
	long sum = 0;

	COUNT(coro20_sum);
	while (g.handle.resume(), !g.handle.done())
		sum += g.handle.promise().value;
	if (g.handle.promise().thrown)
		std::rethrow_exception(g.handle.promise().thrown);
	return sum;
}
}

FRAGMENT(coro20)
{
	long sum = 0;

	for (long i = 0; i < 4; i++) {
		try {
			sum += coro20_sum(i, i + how % 20);
		} catch (int n) {
			sum += n * 1000;
		}
	}
	return sum;
}
