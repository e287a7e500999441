/* SPDX-License-Identifier: BSD-2-Clause */
#include "pingpong.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_line(int fd, char *line, size_t size)
{
	size_t n = 0;

	while (n < size - 1) {
		ssize_t got = read(fd, line + n, 1);

		if (got <= 0)
			return got < 0 ? -errno : -ECHILD;
		if (line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	return 0;
}

static int ask(const struct pingpong *p, unsigned long trips)
{
	return dprintf(p->in, "%lu\n", trips) < 0 ? -errno : 0;
}

static int start(const struct bench *b, int cpu, const int in[2],
		 const int out[2], struct pingpong *p)
{
	char number[16];
	const char *const work[] = {"switch", number, NULL};
	int err;

	snprintf(number, sizeof(number), "%d", cpu);
	err = process_start(b, NULL, work, &(struct streams){in[0], out[1], -1},
			    &p->pid);
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
	p->going = false;
	if (err) {
		close(p->in);
		close(p->out);
		return err;
	}
	err = read_line(p->out, p->pids, sizeof(p->pids));
	if (err)
		pingpong_stop(p);
	return err;
}

int pingpong_start(const struct bench *b, int cpu, struct pingpong *p)
{
	int in[2], out[2], err;

	if (pipe2(in, O_CLOEXEC))
		return -errno;
	if (!pipe2(out, O_CLOEXEC))
		return start(b, cpu, in, out, p);
	err = -errno;
	close(in[0]);
	close(in[1]);
	return err;
}

int pingpong_time(struct pingpong *p, unsigned long trips, struct run *out)
{
	char line[128];
	int err = ask(p, trips);

	/* first the output from before the request */
	if (!err && p->going)
		err = read_line(p->out, line, sizeof(line));
	p->going = false;
	if (!err)
		err = read_line(p->out, line, sizeof(line));
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	return sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &out->ops,
		      &out->elapsed, &out->cpu) == 3 &&
			       out->ops
		       ? 0
		       : -EPROTO;
}

int pingpong_go(struct pingpong *p)
{
	int err = ask(p, 0);

	p->going = !err;
	return err;
}

int pingpong_stop(struct pingpong *p)
{
	int status;

	close(p->in);
	status = process_wait(p->pid);
	close(p->out);
	return status > 0 ? -ECHILD : status;
}
