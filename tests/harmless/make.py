# SPDX-License-Identifier: BSD-2-Clause
"""Random programs: which fragments, with what flags, linked how, and their
making. A program is a plain dictionary, so that it can be kept and read again."""

import glob
import os
import re
import shutil
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))

EXTRA = {
    "": [
        "-fomit-frame-pointer", "-fno-omit-frame-pointer",
        "-fcf-protection=full", "-fcf-protection=branch",
        "-fcf-protection=none", "-fpatchable-function-entry=5",
        "-fpatchable-function-entry=8,3", "-fstack-protector-strong",
        "-fstack-clash-protection", "-fno-plt", "-mno-red-zone",
        "-fno-optimize-sibling-calls", "-fno-jump-tables",
        "-ffunction-sections", "-fexceptions", "-fno-asynchronous-unwind-tables",
        "-fvisibility=hidden", "-fno-semantic-interposition", "-g",
    ],
    "gcc": [
        "-freorder-blocks-and-partition", "-mindirect-branch=thunk-inline",
        "-falign-functions=1", "-fno-reorder-blocks", "-mstackrealign",
        "-fipa-pta", "-fno-shrink-wrap", "-maccumulate-outgoing-args",
    ],
    "clang": ["-mretpoline", "-mstackrealign"],
}
# what cannot be together
CONFLICTS = [
    ("-fcf-protection=full", "-mindirect-branch=thunk-inline"),
    ("-fcf-protection=branch", "-mindirect-branch=thunk-inline"),
]
LINK_EXTRA = ["-Wl,-z,now", "-Wl,-z,lazy", "-Wl,-z,noseparate-code",
              "-Wl,--build-id=none", "-rdynamic", "-Wl,--gc-sections"]
LOADER = "ld-linux-x86-64.so.2"


class Unmade(Exception):
    """A program could not be compiled or linked."""


class Fragment:
    """A file of fragments/ and what its HARMLESS: line says of it."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.cxx = path.endswith(".cpp")
        self.facts = {}
        with open(path, encoding="utf-8") as f:
            for words in re.findall(r"HARMLESS: (.*?)(?:\*/)?$", f.read(), re.M):
                for word in words.split():
                    key, _, value = word.partition("=")
                    self.facts[key] = value

    def words(self, key):
        value = self.facts.get(key, "")
        return value.split(",") if value else []


def fragments():
    paths = glob.glob(os.path.join(HERE, "fragments", "*.c"))
    paths += glob.glob(os.path.join(HERE, "fragments", "*.cpp"))
    found = [Fragment(p) for p in sorted(paths)]
    return {f.name: f for f in found}


def random_flags(rng):
    """What a batch of fragments is compiled with: the compiler first."""
    cc = rng.choice(["gcc", "gcc", "clang"])
    flags = [rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os", "-Og"])]
    for flag in EXTRA[""] + EXTRA[cc]:
        same = flag.split("=")[0]
        if rng.random() < 0.12 and all(f.split("=")[0] != same for f in flags):
            flags.append(flag)
    if cc == "clang" and rng.random() < 0.4:
        flags += ["-fxray-instrument", "-fxray-instruction-threshold=1"]
    for a, b in CONFLICTS:
        if a in flags and b in flags:
            flags.remove(b)
    return [cc] + flags


class Maker:
    """Compiles each fragment once for each set of flags, and links programs.
    Threads may share it."""

    def __init__(self, folder):
        self.folder = folder
        self.fragments = fragments()
        self.locks = {}
        self.lock = threading.Lock()
        os.makedirs(os.path.join(folder, "objects"), exist_ok=True)
        self.libc = self.copy_libc(os.path.join(folder, "libc"))

    def run(self, words):
        r = subprocess.run(words, stdout=subprocess.PIPE, check=False,
                           stderr=subprocess.STDOUT, text=True, errors="replace")
        if r.returncode:
            raise Unmade(" ".join(words) + "\n" + r.stdout)

    def compile(self, source, flags, pic, defines=()):
        """The object of a source file; compiled when nobody did yet."""
        name = os.path.basename(source) + " ".join(flags) + pic + "".join(defines)
        name = re.sub(r"[^A-Za-z0-9.,=-]", "_", name)
        path = os.path.join(self.folder, "objects", name + ".o")
        with self.lock:
            lock = self.locks.setdefault(path, threading.Lock())
        with lock:
            if not os.path.exists(path):
                cc = flags[0]
                if source.endswith(".cpp"):
                    cc = {"gcc": "g++", "clang": "clang++"}[cc]
                self.run([cc, "-w", "-pthread", *flags[1:], pic, *defines, "-c",
                          source, "-o", path + ".new"])
                os.rename(path + ".new", path)
        return path

    def fragment(self, name, flags, pic):
        f = self.fragments[name]
        flags = [x for x in flags if x not in f.words("avoid")]
        if f.cxx or f.words("flags"):
            flags = [x for x in flags if x != "-fno-asynchronous-unwind-tables"]
        flags = flags + f.words("flags") + f.words(flags[0])
        return self.compile(f.path, flags, pic)

    @staticmethod
    def copy_libc(folder):
        """Copies of the C library, of which no other process has probes."""
        os.makedirs(folder, exist_ok=True)
        for name in [LOADER, "libc.so.6", "libm.so.6", "libstdc++.so.6",
                     "libgcc_s.so.1"]:
            to = os.path.join(folder, name)
            if os.path.exists(to):
                continue
            source = subprocess.run(["gcc", "-print-file-name=" + name],
                                    stdout=subprocess.PIPE, check=True,
                                    text=True).stdout.strip()
            if not os.path.isabs(source):
                source = "/lib64/" + name
            shutil.copy(source, to)
        return folder

    def table(self, path, steps, counts, ending):
        """The program's own source: what it runs and how it ends."""
        with open(path, "w", encoding="ascii") as f:
            f.write('#include <signal.h>\n#include <stdlib.h>\n'
                    '#include <pthread.h>\n#include <unistd.h>\n'
                    '#include "driver.h"\n')
            for s in steps:
                if not s["library"]:
                    f.write("long fragment_%s(unsigned int);\n" % s["name"])
            for c in counts:
                f.write("void %s(void);\n" % c)
            f.write("const struct step module_steps[] = {\n")
            for s in steps:
                f.write('{"%s", %s, %uu, %s, %d},\n' % (
                    s["name"],
                    "0" if s["library"] else "fragment_" + s["name"], s["how"],
                    '"%s"' % s["library"] if s["library"] else "0", s["keep"]))
            f.write("{0, 0, 0, 0, 0}};\n")
            f.write("void (*const module_counts[])(void) = {%s};\n" %
                    ", ".join(counts + ["0"]))
            f.write("void module_ending(void)\n{\n\t%s;\n}\n" % ENDINGS[ending][0])

    def library(self, program, lib, folder):
        """A library of fragments; its path."""
        path = os.path.join(folder, lib["name"] + ".so")
        counts = "late_counts_of" if lib["late"] else "counts_" + lib["name"]
        flags = program["flags"][lib["flags"]]
        objects = [self.fragment(n, flags, "-fPIC") for n in lib["fragments"]
                   if n in [s["name"] for s in program["steps"]]]
        objects.append(self.compile(os.path.join(HERE, "counters.c"),
                                    ["gcc", "-O2"], "-fPIC",
                                    ["-DCOUNTS=" + counts]))
        self.run(["g++", "-shared", "-o", path, *objects, "-pthread"])
        return path, None if lib["late"] else counts

    def make(self, program, folder):
        """The path of the executable."""
        os.makedirs(folder, exist_ok=True)
        static = program["link"] in ("-static", "-static-pie")
        pic = {"-no-pie": "-fno-pie", "-static": "-fno-pie"}.get(
            program["link"], "-fPIE")
        names = [s["name"] for s in program["steps"]]
        inside, steps, libraries, counts = {}, [], [], ["counts_own"]
        for lib in program["libraries"]:
            if not [n for n in lib["fragments"] if n in names]:
                continue
            path, counts_of = self.library(program, lib, folder)
            for n in lib["fragments"]:
                inside[n] = path if lib["late"] else ""
            if counts_of:
                libraries.append(path)
                counts.append(counts_of)
        objects = []
        for s in program["steps"]:
            steps.append(dict(s, library=inside.get(s["name"], "")))
            if s["name"] not in inside:
                objects.append(self.fragment(
                    s["name"], program["flags"][s["flags"]], pic))
        table = os.path.join(folder, "table.c")
        self.table(table, steps, counts, program["ending"])
        base = ["gcc", program["base"]]
        for name in ["driver.c", "nolate.c" if static else "late.c"]:
            objects.append(self.compile(os.path.join(HERE, name), base, pic))
        objects.append(self.compile(os.path.join(HERE, "counters.c"), base, pic,
                                    ["-DCOUNTS=counts_own"]))
        path = os.path.join(folder, "program")
        words = ["g++", program["link"], *program["link_extra"], "-o", path,
                 "-I", HERE, "-x", "c", pic, "-O1", "-w", table, "-x", "none",
                 *sorted(set(objects)), *libraries, "-pthread"]
        if program["private_libc"] and not static:
            libc = self.libc
            if program["private_libc"] == "own":
                libc = self.copy_libc(os.path.join(folder, "libc"))
            words += ["-Wl,--dynamic-linker=" + os.path.join(libc, LOADER),
                      "-Wl,-rpath," + libc]
        if not any(self.fragments[n].cxx for n in names) and not program["cxx"]:
            words[0] = "gcc"
            if "-static" not in program["link"]:
                words.append("-Wl,--as-needed")
        if not static: # a static PIE with a path in it does not start
            words += ["-ldl", "-Wl,-rpath," + folder]
        self.run(words)
        return path


# how programs end, and the status that this has
ENDINGS = {
    "return": ("", 0),
    "exit": ("exit(7)", 7),
    "_exit": ("_exit(8)", 8),
    "abort": ("abort()", -6),
    "sigterm": ("raise(SIGTERM)", -15),
    "sigkill": ("raise(SIGKILL)", -9),
    "fault": ("*(volatile int *)16 = 1", -11),
    "trap": ("__builtin_trap()", -4),
    "pthread_exit": ("pthread_exit(0)", 0),
    "quick_exit": ("quick_exit(6)", 6),
}


def random_program(rng, batch, known):
    """A program of some of the fragments; `batch`: its sets of flags."""
    flags = rng.sample(range(len(batch)), 2)
    # a static one has the C library's functions too: slow to attach to
    link = rng.choice(["-pie", "-no-pie"] * 5 + ["-static", "-static-pie"])
    n = rng.choice([1, 1, 1, 2, 2, 3, 4, 6])
    names = rng.sample(sorted(known), min(n, len(known)))
    if rng.random() < 0.3 and "plain" in known and "plain" not in names:
        names.append("plain")
    names = [n for n in names if usable(known[n], batch[flags[0]][0]) and
             usable(known[n], batch[flags[1]][0])] or [sorted(known)[0]]
    steps = [{"name": n, "how": rng.randrange(1 << 16), "keep": rng.randrange(2),
              "flags": rng.randrange(2)} for n in names]
    libraries = []
    if not link.startswith("-static") and rng.random() < 0.45:
        for i in range(rng.choice([1, 1, 2])):
            left = [n for n in names
                    if not any(n in x["fragments"] for x in libraries)]
            some = [n for n in left if rng.random() < 0.6]
            if some:
                libraries.append({"name": "lib%d" % i, "fragments": some,
                                  "late": rng.random() < 0.6,
                                  "flags": rng.randrange(2)})
    return {
        "flags": [batch[f] for f in flags],
        "base": rng.choice(["-O0", "-O2", "-O2"]),
        "link": link,
        "link_extra": [x for x in LINK_EXTRA if rng.random() < 0.12],
        "cxx": rng.random() < 0.3,
        "steps": steps,
        "libraries": libraries,
        "ending": rng.choice(["return"] * 6 + sorted(ENDINGS)),
        "private_libc": rng.random() < 0.6,
    }


def usable(fragment, cc):
    return fragment.facts.get(cc) != "no"
