/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HotSpot Java virtual machine, by the USDT probes of its libjvm.so. If -f
 * names methods, a library reports those (java.c) and no method has a probe.
 *
 * The interpreter and compiled code run its method probes if the JVM was
 * started with -XX:+DTraceMethodProbes, also for inlined methods and where an
 * exception leaves a method. The probes report class, name and signature at
 * each call. They report no frame: inlined methods have the same stack pointer
 * as the method around them, so frames have no keys. Methods that the compiler
 * replaces by instructions (Math.abs, String.equals and some hundred more) have
 * no probe then.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooksite/clr/filter.h"
#include "names/java_name.h"
#include "process/target.h"
#include "runtime/java.h"

/* How texts make a name. */
enum form { METHOD = 1, MONITOR, CLASS };

#define SITE(name, kind, ...)                                            \
	{                                                                \
		name, NULL, GN_PROG_MANAGED, GN_KIND_##kind, __VA_ARGS__ \
	}
#define NAMED(name, kind, ...)                                            \
	{                                                                 \
		name, NULL, GN_PROG_INTERNED, GN_KIND_##kind, __VA_ARGS__ \
	}
#define NOTHING .func = 0

static const struct gn_runtime_site sites[] = {
	NAMED("method__entry", ENTER, .text = {2, 4, 6}, .form = METHOD),
	NAMED("method__return", LEAVE, .text = {2, 4, 6}, .form = METHOD),
	/* from when a thread wants a monitor that another one holds until it
	 * has the monitor */
	NAMED("monitor__contended__enter", ENTER, .text = {3}, .form = MONITOR),
	NAMED("monitor__contended__entered", LEAVE, .text = {3},
	      .form = MONITOR),
	SITE("method__compile__begin", JIT_BEGIN, NOTHING),
	NAMED("method__compile__begin", JIT_BEGIN, .text = {3, 5, 7},
	      .form = METHOD),
	SITE("method__compile__end", JIT_END, NOTHING),
	NAMED("compiled__method__load", CODE, .text = {1, 3, 5}, .form = METHOD,
	      .frame = 7, .value = {8}),
	/* the frame key: whether all generations are collected */
	SITE("gc__begin", GC_BEGIN, .frame = 1),
	SITE("gc__end", GC_END, NOTHING),
	/* on the thread that stops the others, around the whole stop */
	{"safepoint__begin", "hs_private", GN_PROG_MANAGED,
	 GN_KIND_SUSPEND_BEGIN, NOTHING},
	{"safepoint__end", "hs_private", GN_PROG_MANAGED, GN_KIND_SUSPEND_END,
	 NOTHING},
	SITE("vm__init__begin", RUNTIME, NOTHING),
	NAMED("class__loaded", EVENT, .text = {1}, .form = CLASS,
	      .event = GN_RT_CLASS_DEFINED),
	NAMED("class__unloaded", EVENT, .text = {1}, .form = CLASS,
	      .event = GN_RT_CLASS_FREED),
	/* the JVM frees it later, and its names with it */
	{"class__unloaded", NULL, GN_PROG_MANAGED, 0, .flags = GN_SPEC_FORGETS},
};

extern const struct gn_runtime gn_runtime_hotspot;

static const char *const script_options[] = {
	"MAVEN_OPTS", "ANT_OPTS", "GRADLE_OPTS", "SBT_OPTS", "JAVA_OPTS", NULL};

/* The launcher that a script will start. Scripts look for it in this order. */
static int find_launcher(char *path)
{
	const char *home = getenv("JAVA_HOME");
	char java[PATH_MAX];

	snprintf(java, sizeof(java), "%s/bin/java", home ? home : "");
	return gn_target_resolve(home && *home ? java : "java", path);
}

/* Finds the libjvm.so of a launcher, relative to the folder of the launcher. */
static int find_core(const char *program, char *path)
{
	const char *launcher = program;
	char started[PATH_MAX];
	static const char *const places[] = {"../lib/server",
					     "../jre/lib/amd64/server",
					     "../lib/amd64/server"};
	char real[PATH_MAX], tried[PATH_MAX * 2];
	char *slash;

	if (gn_runtime_script_option(&gn_runtime_hotspot, program)) {
		if (find_launcher(started))
			return -ENOENT;
		launcher = started;
	}
	if (!realpath(launcher, real))
		return -errno;
	slash = strrchr(real, '/');
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(tried, sizeof(tried), "%s/%s/libjvm.so", real,
			 places[i]);
		if (realpath(tried, path))
			return 0;
	}
	*path = '\0'; /* it has a part of the path */
	return -ENOENT;
}

#define METHODS	 "-XX:+DTraceMethodProbes"
#define MONITORS "-XX:+DTraceMonitorProbes"
#define COPIES	 "C1MaxInlineSize"
#define TINY	 "C1MaxTrivialSize"
/*
 * C1 makes no probe where an exception leaves a method that it has inlined.
 * That call would not end, and all later calls would be in it. So C1 must not
 * inline.
 */
#define NO_COPY "-XX:" COPIES "=0"
#define NO_TINY "-XX:" TINY "=0"
/* A script can start another JVM than the one that gnomon looked at. */
#define ANY_MACHINE "-XX:+IgnoreUnrecognizedVMOptions"

/* The same options as variables of the JVM. To set zero, 4 bytes are enough. */
static const struct gn_runtime_option options[] = {
	{.name = COPIES, .size = 4},
	{.name = TINY, .size = 4},
	{.name = "DTraceMethodProbes", .value = 1, .size = 1, .needed = true},
	{.name = "DTraceMonitorProbes", .value = 1, .size = 1, .beside = true},
	{.name = NULL},
};

/* Whether the JVM that the program starts has these two options, as Java 16 and
 * later. A JVM without them would refuse to start. */
static bool can_copy_none(const char *program)
{
	char core[PATH_MAX];

	return !find_core(program, core) && gn_runtime_file_has(core, COPIES);
}

static int add_to_script(struct gn_launch *l, const char *variable)
{
	const char *had = getenv(variable);
	char *all;
	int err;

	if (asprintf(&all, "%s%s%s%s", had ? had : "", had && *had ? " " : "",
		     MONITORS,
		     l->library			 ? ""
		     : can_copy_none(l->program) ? " " METHODS " " ANY_MACHINE
						   " " NO_COPY " " NO_TINY
						 : " " METHODS) < 0)
		return -ENOMEM;
	err = gn_launch_env(l, variable, all);
	free(all);
	return err;
}

/*
 * The java launcher takes JVM options as they are; launchers of tools, such as
 * javac, take them with a prefix. gnomon cannot use the variables that the JVM
 * itself reads: the JVM reports them on stderr.
 */
static int prepare(struct gn_launch *l)
{
	static const char *const flags[] = {MONITORS, METHODS, NO_COPY,
					    NO_TINY};
	const char *variable =
		gn_runtime_script_option(&gn_runtime_hotspot, l->program);
	char real[PATH_MAX], arg[PATH_MAX + 32];
	const char *name, *prefix;
	size_t n;
	int err = 0;

	if (l->library && l->set_later)
		return 0; /* the program sees no options of ours */
	if (variable)
		return add_to_script(l, variable);
	if (!realpath(l->program, real))
		return -errno;
	name = strrchr(real, '/') + 1;
	prefix = strcmp(name, "java") ? "-J" : "";
	n = l->library ? 1 : can_copy_none(l->program) ? 4 : 2;
	for (size_t i = 0; !err && i < n; i++) {
		snprintf(arg, sizeof(arg), "%s%s", prefix, flags[i]);
		err = gn_launch_arg(l, arg);
	}
	return err;
}

/* A part of a name, up to a NUL. */
static struct gn_span span_of(const struct gn_name_part *part)
{
	return (struct gn_span){part->text, part->len};
}

static void name(unsigned int form, const struct gn_name_part *part,
		 unsigned int number, char *out, size_t size, char *module,
		 size_t module_size)
{
	struct gn_spell name = {.at = out, .left = size};
	struct gn_spell package = {.at = module, .left = module_size};

	(void)number;
	*out = *module = '\0';
	if (form == MONITOR)
		gn_spell_text(&name, GN_MONITOR_OF);
	if (form == METHOD)
		gn_java_put_method(&name, span_of(&part[0]), span_of(&part[1]),
				   span_of(&part[2]));
	else
		gn_java_put_class(&name, span_of(&part[0]));
	/* the package is the module */
	gn_java_put_package(&package, span_of(&part[0]));
}

/* JAVA_VERSION="17.0.15" from the `release` file that every build has; else
 * "". */
static void read_version(const char *root, char *version, size_t size)
{
	char path[PATH_MAX + 16], line[256];
	FILE *f;

	*version = '\0';
	snprintf(path, sizeof(path), "%s/release", root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *value = line + strlen("JAVA_VERSION=\"");

		if (strncmp(line, "JAVA_VERSION=\"", (size_t)(value - line)))
			continue;
		value[strcspn(value, "\"\n")] = '\0';
		snprintf(version, size, "%.*s", (int)size - 1, value);
	}
	if (f)
		fclose(f);
}

#define SERVER "lib/server/libjvm.so"

/* Skips links, which are further names of the same builds. */
static int is_real(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_type != DT_LNK;
}

static int find(const char *home, gn_runtime_found_fn each, void *ctx)
{
	static const char dir[] = "/usr/lib/jvm";
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_real, versionsort), err = 0;

	(void)home;
	for (int i = 0; i < n; i++) {
		char root[PATH_MAX], core[PATH_MAX + 32], version[64];

		snprintf(root, sizeof(root), "%s/%s", dir, list[i]->d_name);
		snprintf(core, sizeof(core), "%s/" SERVER, root);
		if (!err && !access(core, R_OK)) {
			read_version(root, version, sizeof(version));
			err = each(ctx, root, version);
		}
		free(list[i]);
	}
	free(list);
	return err;
}

struct each_core {
	gn_runtime_core_fn fn;
	void *ctx;
};

static int take_root(void *ctx, const char *root, const char *version)
{
	const struct each_core *each = ctx;
	char core[PATH_MAX];

	(void)version;
	if (snprintf(core, sizeof(core), "%s/" SERVER, root) >=
	    (int)sizeof(core))
		return 0;
	return each->fn(each->ctx, core);
}

/* First those that a script would find, then all that are installed. */
static int find_cores(gn_runtime_core_fn fn, void *ctx)
{
	struct each_core each = {fn, ctx};
	char java[PATH_MAX], core[PATH_MAX];
	int err = 0;

	if (!find_launcher(java) && !find_core(java, core))
		err = fn(ctx, core);
	if (!err && !gn_target_resolve("java", java) && !find_core(java, core))
		err = fn(ctx, core);
	return err ?: find(NULL, take_root, &each);
}

static const char *const limits[] = {
	"without -f, methods are seen only if the JVM starts under gnomon or "
	"with " METHODS "; those that -f names are seen in a running JVM, too",
	"methods that the JIT replaces by instructions (intrinsics) are not "
	"seen",
	"without -f, a call in a virtual thread is counted, but its time is "
	"only the time until its first wait",
	"without -f, methods of a JVM that a child process starts are seen "
	"only if gnomon knows its libjvm.so (in /usr/lib/jvm, of JAVA_HOME, or "
	"of the java in PATH), and not if a .NET program starts it",
	NULL};

const struct gn_runtime gn_runtime_hotspot = {
	.id = GN_RUNTIME_HOTSPOT,
	.title = "HotSpot JVM",
	.provider = "hotspot",
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.methods = &gn_runtime_java,
	.core = GN_HOTSPOT_CORE,
	.marker = "JLI_Launch",
	.script_options = script_options,
	.own_thread = "VM Periodic Tas",
	.lacking =
		", but its methods were not traced: gnomon did not know its "
		"libjvm.so, was too late, or lacks CAP_SYS_PTRACE; name them "
		"with -f, set JAVA_HOME to the folder of that JVM, let gnomon "
		"start java itself, or start java with " METHODS
		" and attach to it (-p PID)",
	.find_core = find_core,
	.find_cores = find_cores,
	.options = options,
	.options_read = "vm__init__begin",
	.prepare = prepare,
	.matches = gn_filter_hooks,
	.always = gn_hotspot_always,
	.name = name,
	.roles = &gn_hotspot_roles,
	.attached = "its methods are seen only if -f names them, or if it was "
		    "started with " METHODS,
	.untold = "its methods are not seen, because -f names none (as in -f "
		  "'com.example.*') and it was started without " METHODS
		  "; everything else is seen, but a wait for a monitor "
		  "(synchronized) counts as an event",
	.apart = "the launcher of a JVM runs the program in a new thread, and "
		 "--no-follow leaves new threads out: only the launcher's own "
		 "thread is seen, which waits; leave --no-follow out",
	.limits = limits,
	.find = find,
	.get = "install openjdk-17-jre-headless: gnomon needs a build with "
	       "USDT probes",
};
