/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the interpreter that the library calls. They are looked up
 * at run time, so that one library serves all versions. None of those that are
 * called while the program runs creates an object, runs Ruby code or raises.
 */
#ifndef GNOMON_RUBY_API_H
#define GNOMON_RUBY_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t gn_rb_value;
typedef uintptr_t gn_rb_id;

#define GN_RB_FALSE ((gn_rb_value)0)

/* Events (ruby/internal/event.h), the same in all versions. */
enum {
	GN_RB_CALL = 0x0008,
	GN_RB_RETURN = 0x0010,
	GN_RB_C_CALL = 0x0020,
	GN_RB_C_RETURN = 0x0040,
	GN_RB_B_CALL = 0x0100,
	GN_RB_B_RETURN = 0x0200,
	GN_RB_THREAD_BEGIN = 0x0400,
	GN_RB_FIBER_SWITCH = 0x1000,
	GN_RB_GC_END_MARK = 0x800000,
	GN_RB_GC_ENTER = 0x2000000,
	GN_RB_GC_EXIT = 0x4000000,
};

/* The start of a fiber's execution context. */
struct gn_rb_context {
	const void *stack; /* of the virtual machine; grows down to its start */
	size_t size;	   /* in words */
};

/* A control frame (vm_core.h), the same from Ruby 2.5 to 3.4. */
struct gn_rb_frame {
	const void *pc, *sp, *code;
	gn_rb_value self;
	const uintptr_t *scope; /* at the flags of the frame */
};

#define GN_RB_FRAME_KIND   0x7fff0001u
#define GN_RB_FRAME_RESCUE 0x78880001u

/*
 * What the interpreter tells a hook of an event. The type is opaque to
 * programs, but has been the same since Ruby 2.0. gn_rb_check() compares it
 * with what the public functions say of such an event, before the program runs.
 */
struct gn_rb_event {
	uint32_t event;
	const struct gn_rb_context *context;
	uintptr_t frame; /* its address in the virtual machine's stack */
	gn_rb_value self;
	gn_rb_id id, called_id;
	gn_rb_value class; /* 0: not known yet */
	gn_rb_value data;
};

enum {
	GN_RB_HOOK_SAFE = 0x01,
	GN_RB_HOOK_RAW = 0x04, /* the hook takes a struct gn_rb_event */
};

typedef void (*gn_rb_raw_fn)(gn_rb_value data, struct gn_rb_event *e);
typedef void (*gn_rb_event_fn)(uint32_t event, gn_rb_value data,
			       gn_rb_value self, gn_rb_id id,
			       gn_rb_value class);

/* X(field, result, parameters, name, whether it must be there) */
#define GN_RB_LIST(X)                                                          \
	X(add_hook, void,                                                      \
	  (gn_rb_event_fn fn, uint32_t events, gn_rb_value data, int flags),   \
	  "rb_add_event_hook2", true)                                          \
	X(remove_hook, int, (gn_rb_event_fn fn), "rb_remove_event_hook", true) \
	X(event_flag, uint32_t, (struct gn_rb_event *),                        \
	  "rb_tracearg_event_flag", true)                                      \
	X(event_self, gn_rb_value, (struct gn_rb_event *), "rb_tracearg_self", \
	  true)                                                                \
	X(event_method, gn_rb_value, (struct gn_rb_event *),                   \
	  "rb_tracearg_method_id", true)                                       \
	X(event_class, gn_rb_value, (struct gn_rb_event *),                    \
	  "rb_tracearg_defined_class", true)                                   \
	X(event_path, gn_rb_value, (struct gn_rb_event *), "rb_tracearg_path", \
	  true)                                                                \
	X(event_line, gn_rb_value, (struct gn_rb_event *),                     \
	  "rb_tracearg_lineno", true)                                          \
	X(symbol_id, gn_rb_id, (gn_rb_value symbol), "rb_sym2id", true)        \
	X(id_text, const char *, (gn_rb_id id), "rb_id2name", true)            \
	X(intern, gn_rb_id, (const char *text), "rb_intern", true)             \
	X(module_name, gn_rb_value, (gn_rb_value module), "rb_mod_name", true) \
	X(real_class, gn_rb_value, (gn_rb_value class), "rb_class_real", true) \
	X(class_of, gn_rb_value, (gn_rb_value object), "rb_obj_class", true)   \
	X(is_kind, gn_rb_value, (gn_rb_value object, gn_rb_value class),       \
	  "rb_obj_is_kind_of", true)                                           \
	X(variable, gn_rb_value, (gn_rb_value object, gn_rb_id id),            \
	  "rb_attr_get", true)                                                 \
	X(attached, gn_rb_value, (gn_rb_value singleton),                      \
	  "rb_class_attached_object", false)                                   \
	X(text, char *, (gn_rb_value * string), "rb_string_value_ptr", true)   \
	X(call, gn_rb_value,                                                   \
	  (gn_rb_value object, gn_rb_id id, int n, const gn_rb_value *args),   \
	  "rb_funcallv", true)                                                 \
	X(frames, int, (int start, int limit, gn_rb_value *to, int *lines),    \
	  "rb_profile_frames", true)                                           \
	X(eval, gn_rb_value, (const char *text), "rb_eval_string", true)       \
	X(frame_label, gn_rb_value, (gn_rb_value frame),                       \
	  "rb_profile_frame_label", true)

struct gn_rb_api {
#define GN_RB_FIELD(field, result, parameters, name, needed) \
	result(*field) parameters;
	GN_RB_LIST(GN_RB_FIELD)
#undef GN_RB_FIELD
	gn_rb_value *object_class, *module_class, *class_class;
	gn_rb_value main, nil; /* nil differs between versions */
	gn_rb_id attached_id, refined_id;
};

/* Where each thread has the address of its context, from the thread pointer on;
 * 0: it is not known. Call it after gn_rb_check(). */
ptrdiff_t gn_rb_context_at(void);

extern struct gn_rb_api gn_rb __attribute__((visibility("hidden")));

/* False: this process has no interpreter that the library knows. */
bool gn_rb_find(void);

/* Whether the type of events is as declared here. Call it in the interpreter,
 * before the program runs. */
bool gn_rb_check(void);

#endif
