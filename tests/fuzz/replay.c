/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_NAME FILE|FOLDER...: runs inputs in builds without libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

static int run_file(const char *path, size_t size)
{
	unsigned char *bytes = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");
	int err = !f || !bytes || fread(bytes, 1, size, f) != size;

	if (err)
		perror(path);
	else
		LLVMFuzzerTestOneInput(bytes, size);
	if (f)
		fclose(f);
	free(bytes);
	return err;
}

/* Runs a file, or all files of a folder. Adds to *count. -1: an error. */
static int run(const char *path, unsigned long *count)
{
	struct dirent **names;
	struct stat st;
	int n, err = 0;

	if (stat(path, &st)) {
		perror(path);
		return -1;
	}
	if (S_ISREG(st.st_mode)) {
		++*count;
		/* the last line before a crash names the input */
		fprintf(stderr, "%s\n", path);
		return run_file(path, (size_t)st.st_size) ? -1 : 0;
	}
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		char *file;

		if (names[i]->d_name[0] != '.' && !err) {
			err = asprintf(&file, "%s/%s", path, names[i]->d_name) <
			      0;
			err = err ? -1 : run(file, count);
			free(file);
		}
		free(names[i]);
	}
	free(names);
	return err;
}

int main(int argc, char **argv)
{
	unsigned long count = 0;

	for (int i = 1; i < argc; i++)
		if (run(argv[i], &count))
			return 1;
	printf("%lu inputs\n", count);
	if (count)
		return 0;
	fprintf(stderr, "usage: %s FILE|FOLDER...: there is no input\n",
		argv[0]);
	return 1;
}
