/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server PORT REQUESTS: four threads answer this many connections, each with
 * the checksum of a page. The fault: the log is written and flushed under a
 * lock.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define THREADS	 4

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static atomic_int left;
static int listener;

static NOINLINE unsigned long checksum(const char *text, size_t n)
{
	unsigned long sum = 5381;

	for (int round = 0; round < 200; round++)
		for (size_t i = 0; i < n; i++)
			sum = sum * 33 + (unsigned char)text[i];
	return sum;
}

static NOINLINE void write_log(const char *line)
{
	pthread_mutex_lock(&log_lock);
	for (int i = 0; i < 20; i++) {
		fprintf(log_file, "%d %s", i, line);
		fflush(log_file);
		fsync(fileno(log_file));
	}
	pthread_mutex_unlock(&log_lock);
}

static NOINLINE void answer(int fd)
{
	char request[512], reply[128];
	ssize_t n = read(fd, request, sizeof(request));

	if (n > 0) {
		snprintf(reply, sizeof(reply), "HTTP/1.0 200 OK\r\n\r\n%lx\n",
			 checksum(request, (size_t)n));
		write_log("request\n");
		if (write(fd, reply, strlen(reply)) < 0)
			perror("write");
	}
	close(fd);
}

static void *serve(void *unused)
{
	while (atomic_fetch_sub(&left, 1) > 0) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0)
			answer(fd);
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	pthread_t threads[THREADS];
	int on = 1;

	if (argc != 3)
		return 2;
	a.sin_port = htons((unsigned short)atoi(argv[1]));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	atomic_store(&left, atoi(argv[2]));
	log_file = fopen("server.log", "w");
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!log_file || bind(listener, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(listener, 64)) {
		perror("server");
		return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, serve, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return fclose(log_file) ? 1 : 0;
}
