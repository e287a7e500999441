/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/denied.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INITIAL_USER_NS 0xeffffffdU /* its inode, on every machine */
#define NO_COMMAND	0x7fffffff  /* unknown to bpf() in any kernel */

static bool in_user_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != INITIAL_USER_NS;
}

/* proc_pid_status(5): 2 means that there is a filter. */
static bool has_seccomp_filter(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Seccomp: %d", &mode) == 1)
			break;
	if (f)
		fclose(f);
	return mode == 2;
}

/* Whether a filter forbids all of bpf(). To an unknown command the kernel
 * answers -EINVAL if the process has the capabilities; a filter does not look
 * at the command. */
static bool forbids_all(void)
{
	return syscall(SYS_bpf, NO_COMMAND, NULL, 0) < 0 && errno != EINVAL;
}

bool gn_capable(cap_value_t cap)
{
	cap_flag_value_t can = CAP_CLEAR;
	cap_t caps = cap_get_proc();

	if (caps)
		cap_get_flag(caps, cap, CAP_EFFECTIVE, &can);
	cap_free(caps);
	return can == CAP_SET;
}

bool gn_denied_by(int err)
{
	return err == -EPERM || err == -EACCES ||
	       (err == -ENOSYS && has_seccomp_filter());
}

static void lacks(bool bpf, bool perfmon, struct gn_denied *d)
{
	snprintf(d->what, sizeof(d->what),
		 "loading BPF programs is not permitted, %s%s%s missing",
		 bpf ? "" : "CAP_BPF", bpf || perfmon ? "" : " and ",
		 perfmon ? " is"
		 : bpf	 ? "CAP_PERFMON is"
			 : "CAP_PERFMON are");
	d->todo = geteuid() ? "run it as root (sudo gnomon ...)"
			    : "give them to the container or service (docker "
			      "run --cap-add BPF --cap-add PERFMON --cap-add "
			      "SYS_PTRACE)";
}

static void set(struct gn_denied *d, const char *what, const char *todo)
{
	snprintf(d->what, sizeof(d->what), "%s", what);
	d->todo = todo;
}

void gn_denied_find(int err, struct gn_denied *d)
{
	bool admin = gn_capable(CAP_SYS_ADMIN);
	bool bpf = admin || gn_capable(CAP_BPF);
	bool perfmon = admin || gn_capable(CAP_PERFMON);

	if (in_user_namespace())
		set(d,
		    "loading BPF programs is not permitted in a user namespace",
		    "run gnomon outside of it, as the machine's root");
	else if (!bpf || !perfmon)
		lacks(bpf, perfmon, d);
	else if (has_seccomp_filter() && forbids_all())
		set(d,
		    "a seccomp filter (most containers have one) forbids BPF "
		    "programs",
		    "start the container without it (docker run --security-opt "
		    "seccomp=unconfined)");
	else if (err == -EACCES)
		set(d,
		    "the kernel or a policy of this machine refuses one of "
		    "gnomon's BPF programs",
		    "gnomon doctor says more");
	else
		set(d,
		    "a policy of this machine does not permit loading BPF "
		    "programs",
		    "boot without lockdown, or change the rules of the "
		    "security module");
}

/* Even root cannot read every process. */
const char *gn_denied_process(int err)
{
	if (err != -EACCES && err != -EPERM)
		return "";
	if (gn_capable(CAP_SYS_PTRACE))
		return "; a container or a security module isolates it: run "
		       "gnomon outside of that";
	return geteuid() ? "; run it as root"
			 : "; give gnomon CAP_SYS_PTRACE (docker run --cap-add "
			   "SYS_PTRACE)";
}

const char *gn_denied_start(int err)
{
	struct rlimit limit;

	/* the address space has no room for a thread's stack */
	if (err == -EAGAIN && !getrlimit(RLIMIT_AS, &limit) &&
	    limit.rlim_cur != RLIM_INFINITY)
		return "raise the limit on its address space (ulimit -v) or "
		       "on processes (ulimit -u, or pids.max of the control "
		       "group)";
	return err == -EAGAIN ? "raise the limit on processes (ulimit -u, or "
				"pids.max of the control group)"
			      : "free some memory";
}

/* Probes that are perf events need more than CAP_PERFMON. So does looking up a
 * kernel function that only later kernels have. */
const char *gn_denied_probes(int err)
{
	return err == -EACCES && !gn_capable(CAP_SYS_ADMIN)
		       ? "attaching probes one by one (before Linux 6.6, or "
			 "with --attach single) needs CAP_SYS_ADMIN: run "
			 "gnomon as root with that capability (docker run "
			 "--cap-add SYS_ADMIN)"
		       : NULL;
}
