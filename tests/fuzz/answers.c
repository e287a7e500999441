/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hostile processes answer at the sockets by which gnomon attaches to .NET
 * and to JVMs. An input is whom gnomon asks and what, then the parts in which
 * the answer arrives: a length, and the bytes. gn_socket_say(), which only
 * sends, is replaced.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "runtime/clr_ipc.h"
#include "runtime/java_attach_parts.h"

#define NOBODY	  INT_MAX /* no process has this PID */
#define PARTS_MAX 64
#define MS	  60000

enum { DOTNET_ATTACH, DOTNET_RENEWS, JVM_LOAD, ASKED };

int __wrap_gn_socket_say(int fd, pid_t pid, const void *message, size_t size,
			 const struct gn_socket_limits *l);

/* `fd` is that of the answer. */
int __wrap_gn_socket_say(int fd, pid_t pid, const void *message, size_t size,
			 const struct gn_socket_limits *l)
{
	(void)pid, (void)message, (void)size, (void)l;
	return fd;
}

struct answer {
	size_t size; /* as far as it was sent */
	uint8_t bytes[PARTS_MAX * UINT8_MAX + 1];
};

/* Each part is received by itself. Returns a socket that has all of them, and
 * then the end. */
static int send_parts(struct gn_fuzz_in *in, struct answer *a)
{
	int ends[2];

	must(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends),
	     "there are sockets");
	for (int i = 0; i < PARTS_MAX && in->left; i++) {
		size_t n = gn_fuzz_take(in, 1);

		n = n < in->left ? n : in->left;
		if (!n || send(ends[1], in->p, n, MSG_DONTWAIT) != (ssize_t)n)
			break;
		memcpy(a->bytes + a->size, in->p, n);
		a->size += n;
		in->p += n;
		in->left -= n;
	}
	close(ends[1]);
	return ends[0];
}

static bool is_dotnet(const struct answer *a)
{
	return a->size >= 20 && !memcmp(a->bytes, "DOTNET_IPC_V1", 14) &&
	       a->bytes[16] == 0xff &&
	       (a->bytes[17] == 0 || a->bytes[17] == 0xff);
}

static void ask_attach(int fd, const struct answer *a)
{
	int32_t result = 0, told;
	int err = gn_clr_ipc_ask(fd, NOBODY, (const uint8_t *)"", 0, MS, NULL,
				 NULL, &result);

	must(!err || err == -EPROTO || err == -ECONNRESET, "an answer is read");
	if (err)
		return;
	memcpy(&told, a->bytes + 20, sizeof(told));
	must(is_dotnet(a) && a->bytes[14] + 256 * a->bytes[15] >= 24,
	     "a result is from a whole answer");
	must(result == told && (!a->bytes[17] || result < 0),
	     "the result is that of the answer");
}

static void ask_renews(int fd, const struct answer *a)
{
	int is = gn_clr_ipc_renews(fd, NOBODY, MS, NULL, NULL);

	if (is_dotnet(a))
		must(is == !a->bytes[17], "the answer says it");
	else
		must(is == (a->size < 20 ? -ECONNRESET : -EPROTO),
		     "what is no answer says nothing");
}

/* The JVM's own status, then what the library returned. */
static bool is_loaded(const char *answer)
{
	return !strncmp(answer, "0\nreturn code: 0", 16) ||
	       !strcmp(answer, "0\n0\n"); /* Java 8 */
}

/* The answer to a JVM's own tools is a text. */
static void ask_load(int fd, const struct answer *a)
{
	struct gn_java_listener l = {.pid = NOBODY, .root = -1, .socket = fd};
	struct gn_socket_limits limits = gn_socket_limits(MS, NULL, NULL);
	char why[GN_WHY_MAX] = "";
	int err = gn_java_listener_load(&l, "/l.so", "", &limits, why);

	must(!err == is_loaded((const char *)a->bytes),
	     "what says so is done, and only that");
	must(!err == !*why, "an error is told");
	must(gn_fuzz_is_text(why, strlen(why), ""), "for people");
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	static void (*const ask[ASKED])(int fd, const struct answer *a) = {
		[DOTNET_ATTACH] = ask_attach,
		[DOTNET_RENEWS] = ask_renews,
		[JVM_LOAD] = ask_load,
	};
	struct gn_fuzz_in in = {bytes, size};
	uint64_t what = gn_fuzz_take(&in, 1) % ASKED;
	struct answer a = {.size = 0};

	ask[what](send_parts(&in, &a), &a);
}
