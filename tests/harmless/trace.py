# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program untraced and traced, and says in what the two differ."""

import json
import os
import re
import signal
import subprocess
import time

# Ticks of waiting: one that falls into a pause of this process counts as one.
TICK = 0.02
PLAIN_SECONDS = 20
TRACED_SECONDS = 90
LEFT_TICKS = 500 # it can get a CPU late
GNOMON_LINE = re.compile(r"^gnomon: .*$\n?", re.M)


class Run:
    """What a program answered."""

    def __init__(self, code, out, err, left):
        self.code, self.out, self.err, self.left = code, out, err, left

    def differs(self, other):
        for what in ("code", "out", "err", "left"):
            a, b = getattr(self, what), getattr(other, what)
            if a != b:
                return "%s: %r, untraced %r" % (what, short(b), short(a))
        return None


def short(text):
    text = text if isinstance(text, str) else repr(text)
    return text if len(text) < 600 else text[:300] + "..." + text[-300:]


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def marked(mark):
    """Processes with this word in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if mark.encode() in f.read().split(b"\0"):
                    with open("/proc/%s/stat" % pid, encoding="ascii",
                              errors="replace") as s:
                        if s.read().rsplit(")", 1)[1].split()[0] != "Z":
                            found.append(int(pid))
        except OSError:
            pass
    return found


class Started:
    """A command with its output in files, found again by a mark."""

    count = 0

    def __init__(self, words, folder, name, pipe=False):
        Started.count += 1
        self.mark = "GN_HARMLESS=%d.%d" % (os.getpid(), Started.count)
        self.out = os.path.join(folder, name + ".out")
        self.err = os.path.join(folder, name + ".err")
        self.read = 0 # bytes of the output, by one_more()
        env = dict(os.environ, GN_HARMLESS=self.mark.partition("=")[2])
        for unset in ("SUDO_UID", "SUDO_GID", "SUDO_USER"):
            env.pop(unset, None)
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE if pipe else subprocess.DEVNULL,
                stdout=out, stderr=err, env=env, cwd=folder, bufsize=0)

    def one_more(self, line):
        """Whether there is a line of the output that was not asked for yet."""
        with open(self.out, "rb") as f:
            f.seek(self.read)
            at = f.read().find(line.encode() + b" ")
        if at >= 0:
            self.read += at + len(line)
        return at >= 0

    def wait(self, seconds):
        """Its exit status, or None when it took longer."""
        ticks = int(seconds / TICK)
        while self.process.poll() is None and ticks:
            time.sleep(TICK)
            ticks -= 1
        return self.process.poll()

    def end(self, seconds):
        """Waits, and kills what is left: the Run."""
        code = self.wait(seconds)
        others = marked(self.mark)
        for _ in range(LEFT_TICKS): # a child that its parent does not wait for
            if code is None or not others:
                break
            time.sleep(TICK)
            others = marked(self.mark)
        if code is None:
            code = "no end within %d s" % seconds
        for pid in others:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()
        return Run(code, read(self.out), read(self.err), len(others))


def shell_code(code):
    """As gnomon gives it."""
    return 128 - code if isinstance(code, int) and code < 0 else code


def truth_of(out):
    truth = {}
    for name, n in re.findall(r"^calls (\S+) (\d+)$", out, re.M):
        truth[name] = truth.get(name, 0) + int(n)
    return truth


# what a report tells of records that it does not understand
DOUBTS = ("unmatched_leaves", "unmatched_unwinds", "doubtful_threads")
# what is no fault; of late stacks callers are not sure, but calls are
INNOCENT = ("unwound_frames", "open_frames", "late_stacks", "earlier_leaves",
            "mounted_leaves")


class Claims:
    """What a report, or a line of top, says: faults, what it tells of losses,
    how many records it does not understand."""

    def __init__(self):
        self.faults, self.told, self.doubt, self.calls = [], 0, 0, {}
        # functions that are told to have too few calls, and late processes
        self.unprobed, self.late = set(), 0

    def add(self, report):
        self.told += report["lost"]["records"] + \
            sum(report["lost"]["causes"].values())
        for check, n in report["checks"].items():
            if check in DOUBTS:
                self.doubt += n
            elif n and check not in INNOCENT:
                self.faults.append("check %s is %d" % (check, n))
        self.doubt += sum(report["counters"].get(c, 0)
                          for c in ("stack-busy", "torn"))
        for t in report["threads"]:
            if sum(t["classes"].values()) != t["elapsed_ns"]:
                self.faults.append("the account of thread %d is open" % t["tid"])
        for f in report["functions"]:
            self.calls[f["name"]] = self.calls.get(f["name"], 0) + f["calls"]
            if f.get("unprobed"):
                self.unprobed.add(f["name"])
        self.late += report["counters"].get("unprobed", 0)

    def read(self, path):
        """A report, or objects a line each."""
        text = read(path)
        try:
            reports = [json.loads(text)]
        except ValueError:
            reports = [json.loads(line) for line in text.splitlines()]
        for report in reports:
            self.add(report)
        if not reports:
            self.faults.append("the report is empty")

    def compare(self, out):
        """With the calls that the program has counted."""
        if self.unprobed and not self.late:
            self.faults.append("functions are unprobed, and no process is")
        for name, n in truth_of(out).items():
            if name not in self.calls or self.told or \
                    self.calls[name] < n and name in self.unprobed:
                continue
            if self.calls[name] != n:
                self.faults.append("%s: %d calls reported, %d made" % (
                    name, self.calls[name], n))


class Tracer:
    """Runs programs under one gnomon."""

    def __init__(self, gnomon, patience):
        self.gnomon = gnomon
        self.seconds = TRACED_SECONDS * patience
        self.plain_seconds = PLAIN_SECONDS * patience

    def plain(self, path, how, folder, name):
        rounds = ["serve"] if how["mode"] == "attach" else [str(how["rounds"])]
        started = Started([path] + rounds, folder, name,
                          pipe=how["mode"] == "attach")
        if how["mode"] == "attach":
            self.rounds(started, 3)
            started.process.stdin.close()
        return started.end(self.plain_seconds)

    def rounds(self, started, n):
        """Asks for rounds; False when the program has ended."""
        for _ in range(n):
            try:
                started.process.stdin.write(b"\n")
            except OSError:
                return False
            ticks = int(self.seconds / 0.002)
            while not started.one_more("done round") and ticks:
                if started.process.poll() is not None:
                    return False
                time.sleep(0.002)
                ticks -= 1
            if not ticks:
                return False
        return True

    def paced(self, started):
        """A round, and a rest: the program works a third of the time, so that
        what is waited for comes sooner."""
        begin = time.monotonic()
        alive = self.rounds(started, 1)
        time.sleep(min(2 * (time.monotonic() - begin), 0.2))
        return alive

    def traced(self, path, how, folder):
        """The program's Run under gnomon, and what is wrong besides."""
        if how["mode"] == "attach":
            return self.attached(path, how, folder)
        report = os.path.join(folder, "report.json")
        trace = os.path.join(folder, "trace")
        verb = {"run": ["run", "--format", "json", "-o", report],
                "record": ["record", "-o", trace],
                "top": ["top", "-b", "--format", "json", "-d", "100ms", "-o",
                        report]}[how["mode"]]
        for old in (report, trace):
            if os.path.exists(old):
                os.unlink(old)
        r = Started([self.gnomon, *verb, *how["options"], "--", path,
                     str(how["rounds"])], folder, "traced").end(self.seconds)
        notes = "".join(GNOMON_LINE.findall(r.err))
        r.err = GNOMON_LINE.sub("", r.err)
        if how["mode"] == "record" and os.path.exists(trace):
            subprocess.run([self.gnomon, "report", "-i", trace, "--format",
                            "json", "-o", report], check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        claims = Claims()
        if os.path.exists(report):
            claims.read(report)
            # a muted function has calls that were not seen
            if not {"--no-follow", "--budget"} & set(how["options"]):
                claims.compare(r.out)
        else:
            claims.faults.append("there is no report: " + short(notes))
        return r, claims, notes

    def attached(self, path, how, folder):
        """A program that runs rounds before, while and after it is traced."""
        report = os.path.join(folder, "report.json")
        if os.path.exists(report):
            os.unlink(report)
        program = Started([path, "serve"], folder, "traced", pipe=True)
        claims = Claims()
        alive = self.rounds(program, 1)
        g = Started([self.gnomon, "run", "--format", "json", "-o", report, "-p",
                     str(program.process.pid), *how["options"]], folder, "gnomon")
        late = time.monotonic() + self.seconds
        while alive and time.monotonic() < late and \
                g.process.poll() is None and \
                "gnomon: attached" not in read(g.err):
            alive = self.paced(program)
        alive = alive and self.rounds(program, how["rounds"])
        if g.process.poll() is None:
            g.process.send_signal(signal.SIGINT)
        late = time.monotonic() + self.seconds
        while alive and time.monotonic() < late and g.process.poll() is None:
            alive = self.paced(program)
        ended = g.end(self.seconds)
        notes = ended.err
        if os.path.exists(report):
            claims.read(report)
        told = [3] * (claims.told > 0) + [4] * (claims.doubt > 0)
        if ended.code not in [0] + told:
            claims.faults.append("gnomon ended with %s: %s" % (
                ended.code, short(notes)))
        if alive:
            claims.faults += left_in_text(program.process.pid)
            self.rounds(program, 1)
        program.process.stdin.close()
        r = program.end(self.seconds)
        return r, claims, notes

    def compare(self, path, how, folder, code):
        """(why it differs or None, whether the program itself is steady, what
        the report told of)"""
        plain = self.plain(path, how, folder, "plain")
        again = self.plain(path, how, folder, "again")
        says = "result" in plain.out
        if how["mode"] == "attach":
            plain.out, again.out = rounds_of(plain.out), rounds_of(again.out)
            says = says and len(plain.out[0]) == 1
        if plain.differs(again) or plain.left or plain.code != code or not says:
            return plain.differs(again) or "untraced: %s %s" % (
                plain.code, short(plain.out) + plain.err), False, ""
        r, claims, notes = self.traced(path, how, folder)
        full = r.out
        if how["mode"] == "attach":
            r.out = rounds_of(r.out)
        else:
            plain.code = shell_code(plain.code)
            if r.code == 4 and not claims.doubt:
                claims.faults.append("self-check: " + short(notes))
            if r.code == 4 or r.code == 3 and claims.told:
                r.code = plain.code
        told = "told" if claims.told else "doubt" if claims.doubt else ""
        why = plain.differs(r)
        if why and "code" in why:
            why += "\n" + short(notes + full[-300:])
        if why:
            return "ANSWER " + why, True, told
        if claims.faults:
            return "CLAIM " + "; ".join(claims.faults), True, told
        return None, True, told


def rounds_of(out):
    """The different rounds of an output, without the counts at its end."""
    rounds = re.sub(r"^calls .*\n", "", out, flags=re.M).split("done round 0\n")
    last = rounds.pop()
    return sorted(set(rounds)), last


def left_in_text(pid):
    """Code of a process that is not as its file has it."""
    faults = []
    try:
        with open("/proc/%d/maps" % pid, encoding="utf-8") as f:
            lines = [x.split(None, 5) for x in f]
        memory = open("/proc/%d/mem" % pid, "rb")
    except OSError:
        return faults
    with memory:
        for line in lines:
            if "x" not in line[1] or "w" in line[1] or line[4] == "0":
                continue
            begin, end = (int(x, 16) for x in line[0].split("-"))
            path = line[5].strip()
            if not os.path.exists(path):
                continue
            memory.seek(begin)
            got = memory.read(end - begin)
            with open(path, "rb") as f:
                f.seek(int(line[2], 16))
                want = f.read(end - begin)
            want += b"\0" * (len(got) - len(want))
            if got != want:
                at = next(i for i in range(len(got)) if got[i] != want[i])
                faults.append("%s differs in memory at offset %#x: %02x" % (
                    path, int(line[2], 16) + at, got[at]))
    return faults


def random_how(rng, program):
    """How a program is traced."""
    mode = rng.choice(["run"] * 10 + ["attach"] * 5 + ["record"] * 3 + ["top"])
    options = ["-f", "*"]
    if program["libraries"] and rng.random() < 0.6:
        options += ["-f", "lib?.so:*"]
    private = program["private_libc"] and "-static" not in program["link"]
    if private and rng.random() < 0.12:
        program["private_libc"] = "own"
        options += ["-f", rng.choice(["libc.so*:*", "*:*", "libstdc++*:*",
                                      "ld-*:*", "libc.so*:*printf*"])]
    leave = rng.choice([[], [], [], ["--leave", "auto"], ["--leave", "ret"]])
    options += leave
    if mode != "top":
        attach = rng.choice(["auto"] * 12 + ["session"] * 3 + ["multi"] * 4 +
                            ["single"])
        if attach == "single" and (program["private_libc"] == "own" or
                                   "-static" in program["link"]):
            attach = "multi" # thousands of probes one by one take minutes
        if attach != "auto":
            options += ["--attach", attach]
    if rng.random() < 0.1:
        options += ["--no-follow"]
    if rng.random() < 0.1:
        options += ["--os", rng.choice(["none", "syscalls", "faults,wakers",
                                        "wakeups"])]
    if mode == "run" and rng.random() < 0.1:
        options += rng.choice([["--raw"], ["--classify", "interval"],
                               ["--allow-loss"]])
    if mode == "top" and rng.random() < 0.5:
        options += ["--budget", "5"]
    return {"mode": mode, "options": options,
            "rounds": rng.choice([1, 1, 2, 3])}
