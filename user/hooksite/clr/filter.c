// SPDX-License-Identifier: BSD-2-Clause
#include "filter.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "names/clr_name.h"
#include "names/spell.h"

/* A name as recorded, and in its short and long spelling; each of these also
 * without arguments. A form is made when it is first needed. */
#define FORMS 3
struct form {
	bool made;
	const char *text; /* NULL: the name has no such form */
	size_t len;
	size_t plain;	/* bytes before the list of parameters */
	size_t literal; /* bytes before the first *, if it is a glob */
};

struct forms {
	const char *name;
	bool spelled[FORMS];
	struct form whole[FORMS], bare[FORMS];
	char room[FORMS - 1][GN_CLR_NAME_MAX];
	char stripped[FORMS][GN_CLR_NAME_MAX];
};

/* A glob with one of these names parameters, type arguments or an operator. */
#define ARGUMENTS "()<>[] "

static bool asks_whole(const char *glob, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(ARGUMENTS, glob[i]))
			return true;
	return false;
}

static bool is_word(char c)
{
	return c == '_' || (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The length of the type arguments or the index with which `rest` begins; 0: it
 * begins with neither. */
static size_t arguments(struct gn_span rest, char before)
{
	return is_word(before) && (*rest.at == '<' || *rest.at == '[')
		       ? gn_span_pair(&rest)
		       : 0;
}

/* Copies the name without parameters, type arguments and indexes. `spaced`:
 * keeps what follows a space; otherwise that is the sign or type of an
 * operator, which is dropped. */
static void put_bare(const char *name, bool spaced, char bare[GN_CLR_NAME_MAX])
{
	struct gn_span rest = {name, gn_clr_plain(name)};
	size_t n = 0;

	while (rest.n && (spaced || *rest.at != ' ') &&
	       n + 1 < GN_CLR_NAME_MAX) {
		size_t args = arguments(rest, n ? bare[n - 1] : '\0');

		if (!args)
			bare[n++] = *rest.at;
		rest = gn_span_from(&rest, args ? args : 1);
	}
	bare[n] = '\0';
}

/* F# names that are written ``like this`` can have spaces. */
static bool is_spaced(const char *recorded)
{
	return memchr(recorded, ' ', gn_clr_plain(recorded));
}

static void forms_init(struct forms *f, const char *name)
{
	f->name = name;
	for (int i = 0; i < FORMS; i++)
		f->spelled[i] = f->whole[i].made = f->bare[i].made = false;
}

static const char *spelled(struct forms *f, int i)
{
	if (!i)
		return f->name;
	if (!f->spelled[i] &&
	    !gn_clr_spell(f->name, i == 1 ? GN_CLR_SHORT : GN_CLR_LONG,
			  f->room[i - 1], GN_CLR_NAME_MAX))
		f->room[i - 1][0] = '\0';
	f->spelled[i] = true;
	return f->room[i - 1];
}

static const struct form *form_of(struct forms *f, int i, bool whole)
{
	struct form *form = whole ? &f->whole[i] : &f->bare[i];
	const char *text;

	if (form->made)
		return form;
	*form = (struct form){.made = true};
	text = spelled(f, i);
	if (i && !*text)
		return form;
	if (!whole && strpbrk(text, "<[( ")) {
		put_bare(text, is_spaced(f->name), f->stripped[i]);
		text = f->stripped[i];
	}
	form->text = text;
	form->len = strlen(text);
	form->plain = whole ? gn_clr_plain(text) : form->len;
	form->literal = strcspn(text, "*");
	return form;
}

static bool name_matches(const char *glob, size_t len, struct forms *f)
{
	bool whole = asks_whole(glob, len);

	for (int i = 0; i < FORMS; i++) {
		const struct form *form = form_of(f, i, whole);

		if (form->text &&
		    (gn_glob(glob, len, form->text, form->len) ||
		     (form->plain < form->len &&
		      gn_glob(glob, len, form->text, form->plain))))
			return true;
	}
	return false;
}

static bool module_matches(const char *glob, size_t len, const char *module)
{
	const char *file = gn_base_name(module);
	const char *dot = strrchr(file, '.');

	/* a glob with a slash is for the path */
	if (memchr(glob, '/', len))
		return gn_glob(glob, len, module, strlen(module));
	return gn_glob(glob, len, file, strlen(file)) ||
	       (dot && gn_glob(glob, len, file, (size_t)(dot - file)));
}

/* Names of PHP's closures and anonymous classes say where these are written:
 * "{closure:app.php:12}", "class@anonymous:app.php:20::run". */
static bool is_place(const char *line, const char *colon)
{
	static const char anonymous[] = "class@anonymous";
	size_t len = (size_t)(colon - line);

	return memchr(line, '{', len) ||
	       memmem(line, len, anonymous, strlen(anonymous));
}

/* The colon between LIB and GLOB: a single one, because names of other runtimes
 * have pairs of colons. */
static const char *lib_colon(const char *line, size_t len)
{
	const char *first = memchr(line, ':', len);

	if (!first)
		return NULL;
	for (size_t i = first == line ? 1 : (size_t)(first - line); i < len;
	     i++) {
		if (line[i] != ':')
			continue;
		if (i + 1 == len || line[i + 1] != ':')
			return is_place(line, line + i) ? NULL : line + i;
		i++;
	}
	return NULL;
}

static bool line_matches(const char *line, size_t len, struct forms *f,
			 const char *module)
{
	const char *colon = lib_colon(line, len);
	size_t lib = colon ? (size_t)(colon - line) : 0;

	if (!colon)
		return name_matches(line, len, f);
	return module_matches(line, lib, module) &&
	       name_matches(colon + 1, len - lib - 1, f);
}

bool gn_filter_hooks(const char *filter, const char *name, const char *module)
{
	bool chosen = false, matched = false, asks = false;
	struct forms forms;

	if (filter && *filter)
		forms_init(&forms, name);
	while (filter && *filter) {
		size_t len = strcspn(filter, "\n");
		bool leave_out = *filter == '!';
		const char *line = filter + leave_out;
		size_t line_len = len - leave_out;

		if (line_len) {
			asks |= !leave_out;
			if (line_matches(line, line_len, &forms, module)) {
				matched = true;
				chosen = !leave_out;
			}
		}
		filter += len + (filter[len] == '\n');
	}
	return matched ? chosen : !asks;
}

int gn_filter_which(const char *lines, const char *name, const char *module,
		    const char **word)
{
	struct forms forms;

	forms_init(&forms, name);
	for (int i = 0; *lines; i++) {
		size_t len = strcspn(lines, "\n");
		size_t glob = strcspn(lines, " \n") + 1;

		*word = lines;
		if (glob < len &&
		    line_matches(lines + glob, len - glob, &forms, module))
			return i;
		lines += len + (lines[len] == '\n');
	}
	return -1;
}

bool gn_filter_asks(const char *filter)
{
	while (filter && *filter) {
		size_t len = strcspn(filter, "\n");

		if (len && *filter != '!')
			return true;
		filter += len + (filter[len] == '\n');
	}
	return false;
}

#define MEET_MAX 4096 /* a longer name counts as any name */

/* Whether some text matches both globs. ? counts as *, because it can be
 * several bytes. */
static bool globs_meet(const char *a, size_t a_len, const char *b, size_t b_len)
{
	/* at[j]: some text matches both the first i bytes of a and the first j
	 * bytes of b */
	bool at[MEET_MAX + 1];
	bool any;

	if (b_len > MEET_MAX)
		return true;
	for (size_t j = 0; j <= b_len; j++)
		at[j] = !j || (at[j - 1] && b[j - 1] == '*');
	for (size_t i = 0; i < a_len; i++) {
		bool star = a[i] == '*' || a[i] == '?';
		bool before = at[0]; /* at[j - 1] before this byte of a */

		at[0] = at[0] && star;
		any = at[0];
		for (size_t j = 1; j <= b_len; j++) {
			bool was = at[j];

			if (star || b[j - 1] == '*')
				at[j] = was || at[j - 1];
			else
				at[j] = before && a[i] == b[j - 1];
			before = was;
			any |= at[j];
		}
		if (!any)
			return false;
	}
	return at[b_len];
}

/* Whether a spelling of a name can have the word although the recorded name
 * does not: words for accessors, operators and lambdas (names/). */
static bool is_spelled(const char *word, size_t len)
{
	static const char *const all[] = {
		"this",	   "get",      "set",	   "add",     "remove",
		"static",  "implicit", "explicit", "lambda",  "operator",
		"checked", "true",     "false",	   "closure", "new",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (memmem(all[i], strlen(all[i]), word, len))
			return true;
	return false;
}

/* The length of the glob's next word from *at on that recorded names must have;
 * 0: there are no more. Moves *at behind the word. Numbers, as lambdas have,
 * are not words. */
static size_t next_word(const char *glob, size_t len, size_t *at,
			const char **word)
{
	while (*at < len) {
		size_t n = 0, digits = 0;

		*word = glob + *at;
		while (*at + n < len && is_word((*word)[n])) {
			digits += (*word)[n] >= '0' && (*word)[n] <= '9';
			n++;
		}
		*at += n + 1;
		if (n > digits && !is_spelled(*word, n))
			return n;
	}
	return 0;
}

/* Where the type begins in a glob: after the last dot but one. All types of a
 * namespace have in common what is before it. */
static size_t type_at(const char *glob, size_t len)
{
	int dots = 0;

	while (len && (glob[len - 1] != '.' || ++dots < 2))
		len--;
	return len;
}

static bool same_word(const struct gn_filter_word *a,
		      const struct gn_filter_word *b)
{
	return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

static void take_longest(struct gn_filter_line *line, size_t at, size_t len)
{
	struct gn_filter_word w;

	while ((w.len = next_word(line->glob, len, &at, &w.at))) {
		size_t end = (size_t)(w.at - line->glob) + w.len;

		w.ends = end == line->len || !strchr("*?", line->glob[end]);
		if (w.len > line->word.len) {
			line->other = line->word;
			line->word = w;
		} else if (w.len > line->other.len &&
			   !same_word(&w, &line->word)) {
			line->other = w;
		}
	}
}

bool gn_filter_word_at(const struct gn_filter_word *word, const char *at,
		       size_t left)
{
	return word->len <= left && !memcmp(at, word->at, word->len) &&
	       (!word->ends || word->len == left || !is_word(at[word->len]));
}

#define LONG_WORD 5 /* few names have it by chance */

/* Names in the metadata have no arguments, and a wildcard can stand for the
 * bracket that begins them. */
static void find_word(struct gn_filter_line *line)
{
	size_t len = 0;

	while (len < line->literal && !strchr(ARGUMENTS, line->glob[len]))
		len++;
	if (!line->whole)
		len = line->len;
	take_longest(line, type_at(line->glob, len), len);
	if (line->word.len < LONG_WORD)
		take_longest(line, 0, len);
}

bool gn_filter_line_is_in(const struct gn_filter_line *line, const char *module)
{
	return !line->lib || module_matches(line->lib, line->lib_len, module);
}

static void parse(const char *at, size_t len, struct gn_filter_line *line)
{
	const char *colon = lib_colon(at, len);

	*line = (struct gn_filter_line){.glob = at, .len = len};
	if (colon) {
		line->lib = at;
		line->lib_len = (size_t)(colon - at);
		line->glob = colon + 1;
		line->len -= line->lib_len + 1;
	}
	while (line->literal < line->len && line->glob[line->literal] != '*' &&
	       line->glob[line->literal] != '?')
		line->literal++;
	line->whole = asks_whole(line->glob, line->len);
	find_word(line);
}

bool gn_filter_parse(const char *filter, struct gn_filter_lines *out)
{
	uint32_t room = 1;

	for (const char *c = filter; c && *c; c++)
		room += *c == '\n';
	*out = (struct gn_filter_lines){
		.line = calloc(room, sizeof(*out->line))};
	while (out->line && filter && *filter) {
		size_t len = strcspn(filter, "\n");

		if (len && *filter != '!')
			parse(filter, len, &out->line[out->n++]);
		filter += len + (filter[len] == '\n');
	}
	return out->line;
}

void gn_filter_lines_free(struct gn_filter_lines *lines)
{
	free(lines->line);
	*lines = (struct gn_filter_lines){0};
}

/* Most names differ before the first wildcard of either. */
static bool begin_alike(const struct gn_filter_line *line,
			const struct form *names)
{
	size_t n =
		line->literal < names->literal ? line->literal : names->literal;

	return !memcmp(line->glob, names->text, n) &&
	       (names->literal < names->len || line->literal < line->len ||
		line->len == names->len);
}

static bool form_may_hook(const struct gn_filter_line *line, struct forms *f)
{
	for (int i = 0; i < FORMS; i++) {
		const struct form *names = form_of(f, i, line->whole);

		if (names->text && begin_alike(line, names) &&
		    globs_meet(line->glob, line->len, names->text, names->len))
			return true;
	}
	return false;
}

static bool counts(const struct gn_filter_lines *lines, uint32_t i,
		   enum gn_filter_kinds kinds)
{
	const struct gn_filter_line *line = &lines->line[i];

	return kinds & (line->whole ? GN_FILTER_WHOLE : GN_FILTER_BARE) &&
	       (!lines->exact || line->literal == line->len);
}

bool gn_filter_may_hook(const struct gn_filter_lines *lines,
			enum gn_filter_kinds kinds, const char *names,
			const char *module)
{
	struct forms f;

	forms_init(&f, names);
	for (uint32_t i = 0; i < lines->n; i++) {
		const struct gn_filter_line *line = &lines->line[i];

		if (counts(lines, i, kinds) && form_may_hook(line, &f) &&
		    gn_filter_line_is_in(line, module))
			return true;
	}
	return false;
}

static bool has_word(const char *name, size_t len,
		     const struct gn_filter_word *word)
{
	return !word->len || memmem(name, len, word->at, word->len);
}

bool gn_filter_has_words(const struct gn_filter_lines *lines, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < lines->n; i++) {
		const struct gn_filter_line *line = &lines->line[i];

		if (counts(lines, i, GN_FILTER_BARE) &&
		    has_word(name, len, &line->word) &&
		    has_word(name, len, &line->other))
			return true;
	}
	return false;
}

static bool ends_with(const char *filter, const char *line)
{
	bool found = false;

	while (filter && *filter) {
		size_t len = strcspn(filter, "\n");

		if (len)
			found = len == strlen(line) &&
				!memcmp(filter, line, len);
		filter += len + (filter[len] == '\n');
	}
	return found;
}

bool gn_filter_never(const char *name)
{
	static const char poll[] = "System.Threading.Thread.*PollGC*";

	return gn_glob(poll, sizeof(poll) - 1, name, strlen(name));
}

bool gn_filter_helper(const char *name)
{
	static const char *const globs[] = {
		"System.Runtime.CompilerServices.CastHelpers.*",
		"System.Runtime.CompilerServices.CastCache.*",
		"Internal.Runtime.CompilerHelpers.ThrowHelpers.*",
		"System.Buffer.BulkMoveWithWriteBarrier*",
		"System.Math.ConvertTo*Checked*",
		"System.SpanHelpers.ClearWithoutReferences*",
		"System.SpanHelpers.Fill*",
		"System.SpanHelpers.Memmove*",
	};

	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
		if (gn_glob(globs[i], strlen(globs[i]), name, strlen(name)))
			return true;
	return false;
}

bool gn_filter_hooks_nothing(const char *filter)
{
	return ends_with(filter, "!*");
}

bool gn_filter_hooks_all(const char *filter)
{
	return ends_with(filter, "*");
}
