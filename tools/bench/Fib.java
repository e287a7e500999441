// SPDX-License-Identifier: BSD-2-Clause

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The Fibonacci number of N, computed and reported as by `work fib`. */
class Fib {
    static long calls;

    static long fib(int n) {
        calls++;
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] args) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();

        // until it is compiled and all that is done once is done
        for (int i = 0; i < 4; i++)
            fib(14);
        threads.getCurrentThreadCpuTime();

        long before = calls;
        long began = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();

        fib(Integer.parseInt(args[0]));
        cpu = threads.getCurrentThreadCpuTime() - cpu;
        System.out.println(calls - before + " " + (System.nanoTime() - began) + " " + cpu + " " + calls);
    }
}
