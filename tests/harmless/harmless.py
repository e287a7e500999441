# SPDX-License-Identifier: BSD-2-Clause
"""Random programs answer under gnomon as they do without it.

Each program is made of fragments (fragments/) that do what tracers are known to
break: exceptions, jumps, switches of stacks, signals, cancelled threads, forks,
libraries that come and go. It is run twice as it is and once traced: output,
exit status and what is left behind must be the same, and what gnomon reports
must be what the program counted."""

import argparse
import concurrent.futures
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

import make
import trace

BATCH = 500 # programs that share sets of flags, so that objects are shared
FLAG_SETS = 4


def case_of(seed, number, known):
    """The program of a number and how it is traced."""
    batch_rng = random.Random("%d batch %d" % (seed, number // BATCH))
    batch = [make.random_flags(batch_rng) for _ in range(FLAG_SETS)]
    rng = random.Random("%d program %d" % (seed, number))
    program = make.random_program(rng, batch, known)
    return {"program": program, "how": trace.random_how(rng, program)}


def smaller(case):
    """Cases with something less."""
    p, how = case["program"], case["how"]
    if len(p["steps"]) > 1:
        for i in range(len(p["steps"])):
            yield {"program": dict(p, steps=p["steps"][:i] + p["steps"][i + 1:]),
                   "how": how}
    for i in range(len(p["libraries"])):
        yield {"program": dict(p, libraries=p["libraries"][:i] +
                               p["libraries"][i + 1:]), "how": how}
    for key, plain in (("ending", "return"), ("link_extra", []),
                       ("private_libc", False), ("link", "-no-pie"),
                       ("base", "-O2")):
        if p[key] != plain:
            yield {"program": dict(p, **{key: plain}), "how": how}
    for i, flags in enumerate(p["flags"]):
        for j in range(2, len(flags)):
            less = list(p["flags"])
            less[i] = flags[:j] + flags[j + 1:]
            yield {"program": dict(p, flags=less), "how": how}
    if how["rounds"] > 1:
        yield {"program": p, "how": dict(how, rounds=1)}
    words = how["options"]
    for i in range(2, len(words)):
        if words[i].startswith("-"):
            end = i + 1
            while end < len(words) and not words[end].startswith("-"):
                end += 1
            yield {"program": p, "how": dict(how,
                                             options=words[:i] + words[end:])}


class Harmless:
    """One run of the test."""

    def __init__(self, args):
        self.args = args
        self.folder = tempfile.mkdtemp(prefix="harmless.")
        os.chmod(self.folder, 0o755)
        self.maker = make.Maker(self.folder)
        self.tracer = trace.Tracer(args.gnomon, args.patience)
        self.known = {n: f for n, f in self.maker.fragments.items()
                      if n not in args.without and
                      (n in args.fragments or not args.fragments)}
        self.print_lock = threading.Lock()
        self.stopped = False
        self.failed = self.unsteady = self.unmade = self.done = 0
        self.told = {"told": 0, "doubt": 0}

    def say(self, text):
        with self.print_lock:
            print(text, flush=True)

    def try_case(self, case, name):
        """As Tracer.compare(); the files stay in the folder."""
        folder = os.path.join(self.folder, name)
        path = self.maker.make(case["program"], folder)
        code = make.ENDINGS[case["program"]["ending"]][1]
        return self.tracer.compare(path, case["how"], folder, code)

    def minimize(self, case, why, name):
        """The smallest case that still fails; each step must fail once in
        three tries."""
        kind = why.split()[0]
        tries = 0
        again = True
        while again and tries < self.args.minimize:
            again = False
            for less in smaller(case):
                tries += 1
                if tries > self.args.minimize:
                    break
                for _ in range(3):
                    try:
                        new, steady, _ = self.try_case(less, name + ".less")
                    except make.Unmade:
                        break
                    if steady and new and new.split()[0] == kind:
                        case, why, again = less, new, True
                        break
                if again:
                    break
        return case, why

    def keep(self, case, why, number):
        """The failing program, its command line and both outputs."""
        folder = os.path.join(self.args.keep, "%d.%d" % (self.args.seed, number))
        os.makedirs(folder, exist_ok=True)
        last = why
        for _ in range(5):
            try:
                last, _, _ = self.try_case(case, "kept.%d" % number)
            except make.Unmade as e:
                last = str(e)
            if last:
                break
        made = os.path.join(self.folder, "kept.%d" % number)
        shutil.copytree(made, folder, dirs_exist_ok=True)
        with open(os.path.join(folder, "case.json"), "w",
                  encoding="utf-8") as f:
            json.dump(case, f, indent=1)
        with open(os.path.join(folder, "why"), "w", encoding="utf-8") as f:
            f.write("%s\nagain: %s\n" % (why, last))
        self.say("  kept in %s" % folder)

    def one(self, number):
        name = "%d" % number
        case = case_of(self.args.seed, number, self.known)
        try:
            why, steady, told = self.try_case(case, name)
        except make.Unmade as e:
            self.unmade += 1
            if self.args.verbose:
                self.say("%d: not made: %s" % (number, e))
            why, steady, told = None, True, ""
        self.done += 1
        if self.done % 100 == 0:
            print("harmless: %d programs" % self.done, file=sys.stderr)
        if not steady:
            self.unsteady += 1
            if self.args.verbose:
                self.say("%d: not steady: %s: %s" % (number, [
                    s["name"] for s in case["program"]["steps"]], why))
        elif why:
            self.failed += 1
            self.say("FAILED --seed %d --only %d: %s\n  %s %s" % (
                self.args.seed, number, why,
                [s["name"] for s in case["program"]["steps"]], case["how"]))
            if self.args.minimize:
                case, why = self.minimize(case, why, name)
                self.say("  smaller: %s\n  %s" % (why, json.dumps(case)))
            self.keep(case, why, number)
        if told:
            self.told[told] += 1
        for made in (name, name + ".less"):
            shutil.rmtree(os.path.join(self.folder, made), ignore_errors=True)

    def run(self):
        begin = time.monotonic()

        def stop(*_):
            self.stopped = True

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        numbers = iter(range(self.args.first, 1 << 31))
        if self.args.only is not None:
            numbers = iter([self.args.only])
        elif not self.args.time:
            numbers = iter(range(self.args.first,
                                 self.args.first + self.args.count))
        lock = threading.Lock()

        def work():
            most = self.args.time or self.args.most
            while not most or time.monotonic() - begin < most:
                with lock:
                    number = next(numbers, None)
                if number is None or self.stopped or \
                        self.failed >= self.args.max_failures:
                    return
                self.one(number)

        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for f in [pool.submit(work) for _ in range(self.args.jobs)]:
                f.result()
        self.say("harmless: seed %d, %d programs in %d s: %d differ, %d not "
                 "steady by themselves, %d not made; %d reports told of losses, "
                 "%d of records in doubt" % (
                     self.args.seed, self.done, time.monotonic() - begin,
                     self.failed, self.unsteady, self.unmade,
                     self.told["told"], self.told["doubt"]))
        shutil.rmtree(self.folder, ignore_errors=True)
        bad = self.unsteady + self.unmade
        if bad > 3 and bad * 20 > self.done:
            self.say("harmless: too many programs say nothing")
            return 1
        return 1 if self.failed else 0


def seconds(text):
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    return float(text[:-1]) * unit if unit else float(text)


def words(text):
    return text.split(",")


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--gnomon", required=True, help="the program to test")
    p.add_argument("--seed", type=int, default=0, help="0: by the clock")
    p.add_argument("--count", type=int, default=500)
    p.add_argument("--first", type=int, default=0, help="number to begin with")
    p.add_argument("--only", type=int, help="one program by its number")
    p.add_argument("--time", type=seconds, default=0, help="as 90s, 10m, 1h")
    p.add_argument("--most", type=seconds, default=0, metavar="TIME",
                   help="no new program after it, whatever --count says")
    p.add_argument("--jobs", type=int, default=3 * os.cpu_count(),
                   help="at a time; most of a program's time is waiting")
    p.add_argument("--keep", default="harmless.found",
                   help="where programs that differ are kept")
    p.add_argument("--minimize", type=int, default=0, metavar="TRIES",
                   help="smaller programs to try for one that differs")
    p.add_argument("--patience", type=float, default=1, metavar="N",
                   help="N times the time that a program may take")
    p.add_argument("--max-failures", type=int, default=20)
    p.add_argument("--fragments", type=words, default=[], metavar="A,B",
                   help="only of these")
    p.add_argument("--without", type=words, default=[], metavar="A,B",
                   help="of all but these")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    args.gnomon = os.path.abspath(args.gnomon)
    args.keep = os.path.abspath(args.keep)
    if os.environ.get("LIVE_LONG"):  # tools/test --long
        args.count *= 20
        args.most *= 10
    if not args.seed:
        args.seed = int(time.time())
    if os.geteuid():
        print("harmless: skipped: only root can trace")
        return 77
    return Harmless(args).run()


if __name__ == "__main__":
    sys.exit(main())
