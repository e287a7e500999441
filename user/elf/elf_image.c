// SPDX-License-Identifier: BSD-2-Clause
/* One ELF file on disk: opening it, its sections, its build-id. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_internal.h"
#include "process/regular.h"

#define INTERP_MAX 4096 /* bytes */

static int image_check(const struct gn_image *image)
{
	GElf_Ehdr ehdr;

	if (elf_kind(image->elf) != ELF_K_ELF ||
	    gelf_getclass(image->elf) != ELFCLASS64 ||
	    !gelf_getehdr(image->elf, &ehdr))
		return -ENOEXEC;
	if (ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    ehdr.e_machine != EM_X86_64 ||
	    (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN))
		return -ENOEXEC;
	return 0;
}

/* libelf's own error numbers are not public. */
int gn_image_refused(void)
{
	return errno == ENOMEM || errno == EIO ? -errno : -ENOEXEC;
}

int gn_image_open(const char *path, struct gn_image *image)
{
	struct stat st;
	int err;

	*image = (struct gn_image){.fd = -1};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	image->fd = gn_regular_open(path);
	if (image->fd < 0)
		return image->fd;
	if (fstat(image->fd, &st)) {
		err = -errno;
		goto fail;
	}
	err = -ENOEXEC;
	if (st.st_size <= 0)
		goto fail;
	err = -EFBIG;
	if ((uint64_t)st.st_size > GN_ELF_MAX_SIZE)
		goto fail;
	image->size = (uint64_t)st.st_size;
	errno = 0;
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	err = gn_image_refused();
	if (!image->elf)
		goto fail;
	err = image_check(image);
	if (err)
		goto fail;
	/* unreadable section headers count as none */
	if (elf_getshdrnum(image->elf, &image->nsections) ||
	    image->nsections > GN_ELF_MAX_SECTIONS)
		image->nsections = 0;
	return 0;
fail:
	gn_image_close(image);
	return err;
}

void gn_image_detach(struct gn_image *image)
{
	if (image->elf)
		elf_cntl(image->elf, ELF_C_FDDONE);
	if (image->fd >= 0)
		close(image->fd);
	image->fd = -1;
}

void gn_image_close(struct gn_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	*image = (struct gn_image){.fd = -1};
}

int gn_image_read(const struct gn_image *image, uint64_t offset, void *to,
		  size_t size)
{
	uint8_t *p = to;

	if (offset > image->size || size > image->size - offset)
		return -ENODATA;
	while (size) {
		ssize_t n = pread(image->fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		p += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

int gn_image_offset(const struct gn_image *image, uint64_t addr, uint32_t flag,
		    uint64_t *offset)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(image->elf, &n) || n > GN_ELF_MAX_SEGMENTS)
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &ph) ||
		    ph.p_type != PT_LOAD || !(ph.p_flags & flag))
			continue;
		if (addr >= ph.p_vaddr && addr - ph.p_vaddr < ph.p_filesz) {
			*offset = addr - ph.p_vaddr + ph.p_offset;
			return 0;
		}
	}
	return -ENOENT;
}

int gn_image_interp(const struct gn_image *image, char **out)
{
	GElf_Phdr ph;
	size_t n;

	*out = NULL;
	if (elf_getphdrnum(image->elf, &n) || n > GN_ELF_MAX_SEGMENTS)
		return 0;
	for (size_t i = 0; i < n && !*out; i++) {
		char *s;

		if (!gelf_getphdr(image->elf, (int)i, &ph) ||
		    ph.p_type != PT_INTERP || !ph.p_filesz ||
		    ph.p_filesz > INTERP_MAX)
			continue;
		s = calloc(1, ph.p_filesz + 1);
		if (!s)
			return -ENOMEM;
		if (gn_image_read(image, ph.p_offset, s, ph.p_filesz))
			free(s);
		else
			*out = s;
	}
	return 0;
}

bool gn_image_section(const struct gn_image *image, size_t i, GElf_Shdr *shdr,
		      Elf_Scn **scn)
{
	if (!i || i >= image->nsections)
		return false;
	*scn = elf_getscn(image->elf, i);
	return *scn && gelf_getshdr(*scn, shdr);
}

Elf_Scn *gn_image_find(const struct gn_image *image, const char *name,
		       GElf_Shdr *shdr)
{
	Elf_Data *strs;
	Elf_Scn *scn;
	size_t at;

	if (!image->nsections || elf_getshdrstrndx(image->elf, &at) ||
	    !gn_image_section(image, at, shdr, &scn))
		return NULL;
	strs = gn_image_data(scn, shdr);
	for (size_t i = 1; i < image->nsections; i++)
		if (gn_image_section(image, i, shdr, &scn) &&
		    gn_string_is(strs, shdr->sh_name, name))
			return scn;
	return NULL;
}

bool gn_image_is_go(const struct gn_image *image)
{
	GElf_Shdr shdr;

	return gn_image_find(image, ".gopclntab", &shdr) ||
	       gn_image_find(image, ".go.buildinfo", &shdr);
}

Elf_Data *gn_image_data(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data;

	if (shdr->sh_type == SHT_NOBITS || shdr->sh_flags & SHF_COMPRESSED)
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf ? data : NULL;
}

bool gn_image_symbols(const struct gn_image *image, uint32_t type,
		      Elf_Data **syms, Elf_Data **strs)
{
	uint64_t left = image->size; /* sections do not overlap */
	GElf_Shdr sh, strh;
	Elf_Scn *scn, *str;

	for (size_t i = 1; i < image->nsections; i++) {
		if (!gn_image_section(image, i, &sh, &scn) ||
		    sh.sh_type != type || !sh.sh_size || sh.sh_size > left ||
		    sh.sh_size / sizeof(Elf64_Sym) > GN_ELF_MAX_SYMBOLS ||
		    !gn_image_section(image, sh.sh_link, &strh, &str) ||
		    strh.sh_type != SHT_STRTAB ||
		    strh.sh_size > left - sh.sh_size)
			continue;
		left -= sh.sh_size + strh.sh_size;
		*syms = gn_image_data(scn, &sh);
		*strs = gn_image_data(str, &strh);
		if (*syms && *strs)
			return true;
	}
	return false;
}

void gn_image_relatives(const struct gn_image *image,
			void (*each)(void *ctx, uint64_t slot, uint64_t value),
			void *ctx)
{
	uint64_t left = image->size; /* sections do not overlap */
	GElf_Shdr sh;
	GElf_Rela r;
	Elf_Scn *scn;

	for (size_t i = 1; i < image->nsections; i++) {
		Elf_Data *data;

		if (!gn_image_section(image, i, &sh, &scn) ||
		    sh.sh_type != SHT_RELA || !(sh.sh_flags & SHF_ALLOC) ||
		    sh.sh_size > left)
			continue;
		left -= sh.sh_size;
		data = gn_image_data(scn, &sh);
		for (int k = 0; data && gelf_getrela(data, k, &r); k++)
			if (GELF_R_TYPE(r.r_info) == R_X86_64_RELATIVE)
				each(ctx, r.r_offset, (uint64_t)r.r_addend);
	}
}

uint64_t gn_image_entry(const struct gn_image *image)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(image->elf, &ehdr) ? ehdr.e_entry : 0;
}

/* Finds the build-id among `size` bytes of notes. Returns its length; 0:
 * none. */
static size_t find_note(const uint8_t *p, size_t size, const uint8_t **id)
{
	while (size >= 12) {
		uint32_t head[3]; /* name size, description size, type */
		size_t name, desc;

		memcpy(head, p, sizeof(head));
		p += 12;
		size -= 12;
		name = ((size_t)head[0] + 3) & ~(size_t)3;
		desc = ((size_t)head[1] + 3) & ~(size_t)3;
		if (name > size || desc > size - name)
			return 0;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    !memcmp(p, "GNU", 4) && head[1] && head[1] <= 64) {
			*id = p + name;
			return head[1];
		}
		p += name + desc;
		size -= name + desc;
	}
	return 0;
}

static bool note_id(const struct gn_image *image, uint64_t offset,
		    uint64_t size, char *hex)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t notes[4096];
	const uint8_t *id = NULL;
	size_t n;

	if (size > sizeof(notes))
		size = sizeof(notes); /* it is near the beginning */
	if (gn_image_read(image, offset, notes, size))
		return false;
	n = find_note(notes, size, &id);
	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[id[i] >> 4];
		hex[2 * i + 1] = digits[id[i] & 15];
	}
	hex[2 * n] = '\0';
	return n > 0;
}

void gn_image_build_id(const struct gn_image *image, char hex[2 * 64 + 1])
{
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	Elf_Scn *scn;
	size_t n = 0;

	hex[0] = '\0';
	/* sections first: program headers of a debug file can point beyond its
	 * end */
	for (size_t i = 1; i < image->nsections; i++)
		if (gn_image_section(image, i, &shdr, &scn) &&
		    shdr.sh_type == SHT_NOTE &&
		    note_id(image, shdr.sh_offset, shdr.sh_size, hex))
			return;
	if (elf_getphdrnum(image->elf, &n) || n > GN_ELF_MAX_SEGMENTS)
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(image->elf, (int)i, &phdr) &&
		    phdr.p_type == PT_NOTE &&
		    note_id(image, phdr.p_offset, phdr.p_filesz, hex))
			return;
}

const char *gn_string(const Elf_Data *strs, uint64_t offset)
{
	const char *s;
	size_t most;

	if (!strs || !strs->d_buf || offset >= strs->d_size)
		return NULL;
	s = (const char *)strs->d_buf + offset;
	most = strs->d_size - offset;
	/* else each symbol of a hostile file could cost as much as all names */
	if (most > GN_STRING_MAX)
		most = GN_STRING_MAX;
	return memchr(s, 0, most) ? s : NULL;
}

bool gn_string_is(const Elf_Data *strs, uint64_t offset, const char *name)
{
	size_t size = strlen(name) + 1;

	return strs && strs->d_buf && offset < strs->d_size &&
	       size <= strs->d_size - offset &&
	       !memcmp((const char *)strs->d_buf + offset, name, size);
}
