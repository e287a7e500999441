/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library calls of Mono: functions that the runtime exports for
 * profilers and hosts (mono/metadata/profiler.h and others). They are found by
 * name when the program starts, so that the library needs no Mono.
 */
#ifndef GNOMON_MONO_API_H
#define GNOMON_MONO_API_H

#include <stdbool.h>
#include <stdint.h>

/* Objects of the runtime, which only it looks into. */
struct gn_mono_object;
typedef struct gn_mono_object *gn_mono;

/* Flags with which a method is compiled. */
enum gn_mono_hooks {
	GN_MONO_NONE = 0,
	GN_MONO_ENTER = 1 << 1,
	GN_MONO_LEAVE = 1 << 3,
	GN_MONO_TAILCALL = 1 << 5,
	GN_MONO_UNWOUND = 1 << 6,
};

enum gn_mono_gc_event {
	GN_MONO_GC_START = 0,
	GN_MONO_GC_END = 5,
	GN_MONO_GC_STOP = 6,
	GN_MONO_GC_STOPPED = 7,
	GN_MONO_GC_RESUME = 8,
	GN_MONO_GC_RESUMED = 11,
};

/* X(member, the runtime's name, result, parameters...) */
#define GN_MONO_API_LIST(X)                                                    \
	X(create, "mono_profiler_create", gn_mono, void *)                     \
	X(set_filter,                                                          \
	  "mono_profiler_set_call_instrumentation_filter_callback", void,      \
	  gn_mono, int (*)(void *, gn_mono))                                   \
	X(on_enter, "mono_profiler_set_method_enter_callback", void, gn_mono,  \
	  void (*)(void *, gn_mono, void *))                                   \
	X(on_leave, "mono_profiler_set_method_leave_callback", void, gn_mono,  \
	  void (*)(void *, gn_mono, void *))                                   \
	X(on_tailcall, "mono_profiler_set_method_tail_call_callback", void,    \
	  gn_mono, void (*)(void *, gn_mono, gn_mono))                         \
	X(on_unwound, "mono_profiler_set_method_exception_leave_callback",     \
	  void, gn_mono, void (*)(void *, gn_mono, gn_mono))                   \
	X(on_jit_begin, "mono_profiler_set_jit_begin_callback", void, gn_mono, \
	  void (*)(void *, gn_mono))                                           \
	X(on_jit_failed, "mono_profiler_set_jit_failed_callback", void,        \
	  gn_mono, void (*)(void *, gn_mono))                                  \
	X(on_jit_done, "mono_profiler_set_jit_done_callback", void, gn_mono,   \
	  void (*)(void *, gn_mono, gn_mono))                                  \
	X(on_gc, "mono_profiler_set_gc_event_callback", void, gn_mono,         \
	  void (*)(void *, int, uint32_t, int))                                \
	X(on_domain, "mono_profiler_set_domain_loading_callback", void,        \
	  gn_mono, void (*)(void *, gn_mono))                                  \
	X(on_throw, "mono_profiler_set_exception_throw_callback", void,        \
	  gn_mono, void (*)(void *, gn_mono))                                  \
	X(on_image_begin, "mono_profiler_set_image_loading_callback", void,    \
	  gn_mono, void (*)(void *, gn_mono))                                  \
	X(on_image_failed, "mono_profiler_set_image_failed_callback", void,    \
	  gn_mono, void (*)(void *, gn_mono))                                  \
	X(on_image_end, "mono_profiler_set_image_loaded_callback", void,       \
	  gn_mono, void (*)(void *, gn_mono))                                  \
	X(on_thread, "mono_profiler_set_thread_started_callback", void,        \
	  gn_mono, void (*)(void *, uintptr_t))                                \
	X(on_thread_end, "mono_profiler_set_thread_stopped_callback", void,    \
	  gn_mono, void (*)(void *, uintptr_t))                                \
	X(on_thread_name, "mono_profiler_set_thread_name_callback", void,      \
	  gn_mono, void (*)(void *, uintptr_t, const char *))                  \
	X(on_shutdown, "mono_profiler_set_runtime_shutdown_begin_callback",    \
	  void, gn_mono, void (*)(void *))                                     \
	X(walk_stack, "mono_stack_walk_no_il", void,                           \
	  int (*)(gn_mono, int, int, int, void *), void *)                     \
	X(object_class, "mono_object_get_class", gn_mono, gn_mono)             \
	X(code_start, "mono_jit_info_get_code_start", void *, gn_mono)         \
	X(code_size, "mono_jit_info_get_code_size", int, gn_mono)              \
	X(full_name, "mono_method_full_name", char *, gn_mono, int)            \
	X(method_name, "mono_method_get_name", const char *, gn_mono)          \
	X(method_token, "mono_method_get_token", uint32_t, gn_mono)            \
	X(method_class, "mono_method_get_class", gn_mono, gn_mono)             \
	X(method_signature, "mono_method_signature", gn_mono, gn_mono)         \
	X(params, "mono_signature_get_desc", char *, gn_mono, int)             \
	X(result, "mono_signature_get_return_type", gn_mono, gn_mono)          \
	X(class_type, "mono_class_get_type", gn_mono, gn_mono)                 \
	X(class_image, "mono_class_get_image", gn_mono, gn_mono)               \
	X(type_name, "mono_type_full_name", char *, gn_mono)                   \
	X(image_file, "mono_image_get_filename", const char *, gn_mono)        \
	X(free, "mono_free", void, void *)

struct gn_mono_api {
#define GN_MONO_MEMBER(member, name, result, ...) result (*member)(__VA_ARGS__);
	GN_MONO_API_LIST(GN_MONO_MEMBER)
#undef GN_MONO_MEMBER
};

extern struct gn_mono_api gn_mono_api;

/* False: the runtime lacks a function. */
bool gn_mono_find(void *loaded);

#endif
