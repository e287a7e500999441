/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/sleds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct gn_sled_table *gn_sled_table_new(void)
{
	return calloc(1, sizeof(struct gn_sled_table));
}

void gn_sled_table_free(struct gn_sled_table *t)
{
	if (!t)
		return;
	free(t->entry);
	free(t->path);
	free(t);
}

static int add_file(struct gn_sled_table *t, size_t file, const char *path)
{
	const char **grown;

	if (t->last == file + 1)
		return 0;
	grown = reallocarray(t->path, t->files + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->path = grown;
	grown[t->files++] = path;
	t->last = file + 1;
	return 0;
}

static int make_room(struct gn_sled_table *t, size_t more)
{
	size_t room = t->room ? t->room : 64;
	struct gn_sled_entry *grown;

	while (room < t->count + more)
		room *= 2;
	if (room == t->room)
		return 0;
	grown = reallocarray(t->entry, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->entry = grown;
	t->room = room;
	return 0;
}

static enum gn_sled_form form_of(const struct gn_sled *s, uint8_t first)
{
	if (s->kind == GN_SLED_XRAY && s->ends)
		return first == 0xc3 ? GN_SLED_LEAVE_RET : GN_SLED_TAIL_JUMP;
	if (s->kind == GN_SLED_XRAY)
		return GN_SLED_ENTER_JUMP;
	return first == 0x90 ? GN_SLED_ENTER_NOPS : GN_SLED_ENTER_NOP5;
}

static bool is_probed(const struct gn_plan *plan, uint64_t addr)
{
	for (size_t i = 0; i < plan->nleaves; i++)
		if (plan->leaves[i].addr == addr)
			return true;
	return plan->enter.addr == addr;
}

static bool has_sled(const struct gn_plan *plan, uint64_t addr)
{
	for (size_t i = 0; i < plan->nsleds; i++)
		if (plan->sleds[i].addr == addr)
			return true;
	return false;
}

static void put(struct gn_sled_table *t, uint32_t func, uint64_t addr, int form,
		uint8_t byte)
{
	t->entry[t->count++] = (struct gn_sled_entry){
		.addr = addr,
		.func = func,
		.file = (uint16_t)(t->files - 1),
		.form = (uint8_t)form,
		.byte = byte,
	};
}

/* A probe whose event is reported by a sled: the library restores its byte. */
static void put_probe(struct gn_sled_table *t, const struct gn_elf *elf,
		      uint32_t func, const struct gn_plan *plan, uint64_t addr)
{
	const uint8_t *code = gn_elf_code(elf, addr, 1);

	if (!has_sled(plan, addr) && code)
		put(t, func, addr, GN_SLED_PROBE, *code);
}

int gn_sled_table_add(struct gn_sled_table *t, size_t file, const char *path,
		      const struct gn_elf *elf, uint32_t func,
		      const struct gn_plan *plan)
{
	size_t most = plan->nsleds + plan->nleaves + 1;
	int err = add_file(t, file, path);

	if (err)
		return err;
	/* functions without room keep their probes */
	if (t->count + most > GN_SLEDS_MAX || t->files > UINT16_MAX)
		return 0;
	err = make_room(t, most);
	if (err)
		return err;
	for (size_t i = 0; i < plan->nsleds; i++) {
		const struct gn_sled *sled = &plan->sleds[i];
		const uint8_t *code = gn_elf_code(elf, sled->addr, 1);

		put(t, func, sled->addr, form_of(sled, code ? *code : 0),
		    is_probed(plan, sled->addr));
	}
	put_probe(t, elf, func, plan, plan->enter.addr);
	for (size_t i = 0; gn_plan_sleds_end(plan) && i < plan->nleaves; i++)
		put_probe(t, elf, func, plan, plan->leaves[i].addr);
	return 0;
}

static bool write_all(FILE *f, const struct gn_sled_table *t)
{
	struct gn_sled_head head = {
		.magic = GN_SLEDS_MAGIC,
		.entries = (uint32_t)t->count,
		.files = (uint32_t)t->files,
	};
	bool done =
		fwrite(&head, sizeof(head), 1, f) == 1 &&
		fwrite(t->entry, sizeof(*t->entry), t->count, f) == t->count;

	for (size_t i = 0; done && i < t->files; i++)
		done = fwrite(t->path[i], strlen(t->path[i]) + 1, 1, f) == 1;
	return done && !fflush(f);
}

int gn_sled_table_share(const struct gn_sled_table *t)
{
	int fd = memfd_create("gnomon", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int other = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *f = other < 0 ? NULL : fdopen(other, "w");
	bool done;

	if (!f) {
		int err = -errno;

		if (other >= 0)
			close(other);
		if (fd >= 0)
			close(fd);
		return err;
	}
	done = write_all(f, t);
	done = !fclose(f) && done &&
	       !fcntl(fd, F_ADD_SEALS,
		      F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
	if (done)
		return fd;
	close(fd);
	return -EIO;
}
