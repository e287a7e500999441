// SPDX-License-Identifier: BSD-2-Clause
/* What attaching to all runtimes has in common. */
#include "runtime/attach_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process/copy.h"
#include "process/ended.h"
#include "process/groups.h"

#define LOCK_MS 3000
#define GONE_MS 500

void gn_attach_sleep(int ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000L};

	nanosleep(&t, NULL);
}

static int tell_ended(pid_t pid, char *why)
{
	snprintf(why, GN_WHY_MAX, "process %d has ended", (int)pid);
	return -ESRCH;
}

/* Only one gnomon at a time traces a process. The guard of a killed gnomon
 * holds the lock until it is done. */
int gn_attach_lock(pid_t pid, char *why)
{
	char path[32];
	int err, fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int ms = 0; fd >= 0; ms += 20) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return fd;
		if (errno != EWOULDBLOCK || ms >= LOCK_MS)
			break;
		gn_attach_sleep(20);
	}
	if (fd < 0 && errno != ENOENT && errno != ESRCH) {
		err = -errno;
		snprintf(why, GN_WHY_MAX, "process %d cannot be locked (%s)",
			 (int)pid, strerror(-err));
		return err;
	}
	if (fd < 0)
		return tell_ended(pid, why);
	close(fd);
	snprintf(why, GN_WHY_MAX,
		 "another gnomon is attached to process %d, or its hooks are "
		 "still being removed there; wait until that is over",
		 (int)pid);
	return -EBUSY;
}

/* 1: the process sees the same file at the same path and may read it. 0: it
 * does not. -errno: `why` says what failed. */
int gn_attach_sees(pid_t pid, const char *library, char *why)
{
	char path[PATH_MAX + 64];
	struct stat ours, theirs;
	int seen;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, library);
	if (stat(library, &ours) || stat(path, &theirs) ||
	    ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
		return gn_process_ends(pid, 0) ? tell_ended(pid, why) : 0;
	seen = gn_copy_is_needless(pid, library);
	if (seen == -ESRCH)
		return tell_ended(pid, why);
	if (seen < 0)
		snprintf(why, GN_WHY_MAX,
			 "the status of process %d cannot be read (%s)",
			 (int)pid, strerror(-seen));
	return seen;
}

int gn_attach_tell_older(pid_t pid, char *why)
{
	snprintf(why, GN_WHY_MAX,
		 "process %d was traced by an earlier build of gnomon and "
		 "still has its library; start the process again to trace its "
		 "functions",
		 (int)pid);
	return -ESTALE;
}

void gn_attach_tell_no_copy(pid_t pid, const char *library, int err, char *why)
{
	if (err == -ESRCH)
		tell_ended(pid, why);
	else if (err == -ESTALE)
		gn_attach_tell_older(pid, why);
	else if (gn_attach_lacks(err))
		snprintf(why, GN_WHY_MAX,
			 "process %d does not see '%.240s', and gnomon cannot "
			 "copy it there (%s)",
			 (int)pid, library, strerror(-err));
	else
		snprintf(why, GN_WHY_MAX,
			 "process %d does not see '%.240s' (it is in a "
			 "container, or its user has no permission), and %s; "
			 "mount that folder there at the same path, or let its "
			 "user read the file",
			 (int)pid, library,
			 err == -EACCES
				 ? "no /tmp of it has room for an executable "
				   "copy that no other user can change"
				 : strerror(-err));
}

bool gn_attach_is_stopped(pid_t pid)
{
	char path[32], state = 0, text[512], *end;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	end = strrchr(text, ')');
	if (end && end[1] == ' ')
		state = end[2];
	/* by a signal or a tracer */
	return state == 'T' || state == 't';
}

const char *gn_attach_silence(pid_t pid)
{
	if (gn_attach_is_stopped(pid))
		return "it is stopped; continue it (kill -CONT, or in the "
		       "debugger that holds it)";
	if (gn_groups_freeze(pid))
		return "its control group is frozen, as of a paused "
		       "container; continue that";
	return NULL;
}

/* A runtime that shuts down closes its socket some time before it ends. */
int gn_attach_told_end(pid_t pid, int err, char *why)
{
	return gn_process_ends(pid, GONE_MS) ? tell_ended(pid, why) : err;
}

bool gn_attach_lacks(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE ||
	       err == -EAGAIN;
}

const char *gn_attach_remedy(void)
{
	return geteuid() ? "run gnomon as that user or as root"
			 : "give gnomon CAP_DAC_OVERRIDE";
}
