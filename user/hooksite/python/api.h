/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the interpreter that the library calls. They are looked up
 * at run time, so that one library serves all versions. Nothing here depends on
 * the layout of an object.
 */
#ifndef GNOMON_PYTHON_API_H
#define GNOMON_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_py; /* any Python object */

typedef int (*gn_py_profile_fn)(struct gn_py *self, struct gn_py *frame,
				int what, struct gn_py *arg);
typedef int (*gn_py_audit_fn)(const char *event, struct gn_py *args, void *ctx);

/* A module that is a part of the interpreter (struct _inittab). */
struct gn_py_module {
	const char *name;
	struct gn_py *(*init)(void);
};

/* A function in C (struct PyMethodDef). */
struct gn_py_method {
	const char *name;
	struct gn_py *(*function)(struct gn_py *self, struct gn_py *arg);
	int flags;
	const char *doc;
};

/* What a profile function is called for. */
enum gn_py_event {
	GN_PY_CALL = 0,
	GN_PY_RETURN = 3,
	GN_PY_C_CALL = 4,
	GN_PY_C_EXCEPTION = 5,
	GN_PY_C_RETURN = 6,
};

/* X(field, result, parameters, name, other name or NULL, first version (minor)
 * in which it must be there; 0: it may be missing) */
#define GN_PY_LIST(X)                                                          \
	X(version, const char *, (void), "Py_GetVersion", NULL, 8)             \
	X(audit, int, (gn_py_audit_fn fn, void *ctx), "PySys_AddAuditHook",    \
	  NULL, 8)                                                             \
	X(set_profile, void, (gn_py_profile_fn fn, struct gn_py * arg),        \
	  "PyEval_SetProfile", NULL, 8)                                        \
	X(set_profile_of, int,                                                 \
	  (void *thread, gn_py_profile_fn fn, struct gn_py *arg),              \
	  "_PyEval_SetProfile", NULL, 0)                                       \
	X(swap, void *, (void *thread), "PyThreadState_Swap", NULL, 8)         \
	X(thread, void *, (void), "PyThreadState_Get", NULL, 8)                \
	X(next, void *, (void *thread), "PyThreadState_Next", NULL, 8)         \
	X(set_async, int, (unsigned long thread, struct gn_py *exception),     \
	  "PyThreadState_SetAsyncExc", NULL, 8)                                \
	X(new_thread, void *, (void *interpreter), "PyThreadState_New", NULL,  \
	  8)                                                                   \
	X(clear_thread, void, (void *thread), "PyThreadState_Clear", NULL, 8)  \
	X(free_thread, void, (void *thread), "PyThreadState_Delete", NULL, 8)  \
	X(thread_number, uint64_t, (void *thread), "PyThreadState_GetID",      \
	  NULL, 9)                                                             \
	X(thread_or_none, void *, (void), "_PyThreadState_UncheckedGet",       \
	  "PyThreadState_GetUnchecked", 8)                                     \
	X(is_initialized, int, (void), "Py_IsInitialized", NULL, 8)            \
	X(current_frame, struct gn_py *, (void), "PyEval_GetFrame", NULL, 8)   \
	X(own_thread, void *, (void), "PyGILState_GetThisThreadState", NULL,   \
	  8)                                                                   \
	X(interpreter, void *, (void), "PyInterpreterState_Get",               \
	  "_PyInterpreterState_Get", 8)                                        \
	X(interpreter_id, int64_t, (void *interpreter),                        \
	  "PyInterpreterState_GetID", NULL, 8)                                 \
	X(main_interpreter, void *, (void), "PyInterpreterState_Main", NULL,   \
	  8)                                                                   \
	X(thread_head, void *, (void *interpreter),                            \
	  "PyInterpreterState_ThreadHead", NULL, 8)                            \
	X(request_extra, long, (void (*free)(void *)),                         \
	  "PyUnstable_Eval_RequestCodeExtraIndex",                             \
	  "_PyEval_RequestCodeExtraIndex", 8)                                  \
	X(get_extra, int, (struct gn_py * code, long index, void **extra),     \
	  "PyUnstable_Code_GetExtra", "_PyCode_GetExtra", 8)                   \
	X(set_extra, int, (struct gn_py * code, long index, void *extra),      \
	  "PyUnstable_Code_SetExtra", "_PyCode_SetExtra", 8)                   \
	X(empty_code, struct gn_py *,                                          \
	  (const char *file, const char *name, int line), "PyCode_NewEmpty",   \
	  NULL, 8)                                                             \
	X(new_ref, struct gn_py *,                                             \
	  (struct gn_py * object, struct gn_py * call), "PyWeakref_NewRef",    \
	  NULL, 8)                                                             \
	X(new_native, struct gn_py *,                                          \
	  (struct gn_py_method * method, struct gn_py * self,                  \
	   struct gn_py * module),                                             \
	  "PyCFunction_NewEx", NULL, 8)                                        \
	X(new_number, struct gn_py *, (long number), "PyLong_FromLong", NULL,  \
	  8)                                                                   \
	X(frame_code, struct gn_py *, (struct gn_py * frame),                  \
	  "PyFrame_GetCode", NULL, 9)                                          \
	X(frame_lasti, int, (struct gn_py * frame), "PyFrame_GetLasti", NULL,  \
	  11)                                                                  \
	X(incref, void, (struct gn_py * object), "Py_IncRef", NULL, 8)         \
	X(decref, void, (struct gn_py * object), "Py_DecRef", NULL, 8)         \
	X(text, struct gn_py *, (const char *text), "PyUnicode_FromString",    \
	  NULL, 8)                                                             \
	X(own_attribute, struct gn_py *,                                       \
	  (struct gn_py * object, struct gn_py * name),                        \
	  "PyObject_GenericGetAttr", NULL, 8)                                  \
	X(tell_audit, int, (const char *event, const char *format, ...),       \
	  "PySys_Audit", NULL, 8)                                              \
	X(of_sys, struct gn_py *, (const char *name), "PySys_GetObject", NULL, \
	  8)                                                                   \
	X(has_attribute, int, (struct gn_py * object, const char *name),       \
	  "PyObject_HasAttrString", NULL, 8)                                   \
	X(modules, struct gn_py *, (void), "PyImport_GetModuleDict", NULL, 8)  \
	X(capsule, void *, (struct gn_py * capsule, const char *name),         \
	  "PyCapsule_GetPointer", NULL, 8)                                     \
	X(is_subtype, int, (struct gn_py * type, struct gn_py * of),           \
	  "PyType_IsSubtype", NULL, 8)                                         \
	X(item, struct gn_py *, (struct gn_py * dict, const char *key),        \
	  "PyDict_GetItemString", NULL, 8)                                     \
	X(has_key, int, (struct gn_py * mapping, const char *key),             \
	  "PyMapping_HasKeyString", NULL, 8)                                   \
	X(tuple_size, long, (struct gn_py * tuple), "PyTuple_Size", NULL, 8)   \
	X(tuple_item, struct gn_py *, (struct gn_py * tuple, long at),         \
	  "PyTuple_GetItem", NULL, 8)                                          \
	X(type_of, struct gn_py *, (struct gn_py * object), "PyObject_Type",   \
	  NULL, 8)                                                             \
	X(builtins, struct gn_py *, (void), "PyEval_GetBuiltins", NULL, 8)     \
	X(utf8, const char *, (struct gn_py * text, long *len),                \
	  "PyUnicode_AsUTF8AndSize", NULL, 8)                                  \
	X(number, long, (struct gn_py * number), "PyLong_AsLong", NULL, 8)     \
	X(bytes, int, (struct gn_py * bytes, char **at, long *len),            \
	  "PyBytes_AsStringAndSize", NULL, 8)                                  \
	X(clear_error, void, (void), "PyErr_Clear", NULL, 8)                   \
	X(native_function, void *, (struct gn_py * function),                  \
	  "PyCFunction_GetFunction", NULL, 8)                                  \
	X(native_self, struct gn_py *, (struct gn_py * function),              \
	  "PyCFunction_GetSelf", NULL, 8)

struct gn_py_api {
#define GN_PY_FIELD(field, result, parameters, name, other, since) \
	result(*field) parameters;
	GN_PY_LIST(GN_PY_FIELD)
#undef GN_PY_FIELD
	int minor; /* of the version, 3.minor */
};

extern struct gn_py_api gn_py __attribute__((visibility("hidden")));

/* The first and the last minor version that the library knows. */
#define GN_PY_FIRST 8
#define GN_PY_LAST  14

/* Looks in the library that has the interpreter; NULL: in the program. False:
 * it is no interpreter that gnomon knows. */
bool gn_py_find(void *loaded);

/* An attribute, as objects have it that define nothing else: no code of the
 * program runs, such as that of a class of classes. */
struct gn_py *gn_py_attribute(struct gn_py *object, const char *name);

/* An attribute as UTF-8, which lives as long as `*held`: decref that. NULL:
 * there is no such text, and nothing to decref. */
const char *gn_py_text(struct gn_py *object, const char *attribute,
		       struct gn_py **held);

/* An attribute as a number; `other` if there is none. */
long gn_py_number(struct gn_py *object, const char *attribute, long other);

/* The definition in C of what a type has by a name, if it is of this kind: a
 * method, an attribute, a member (the type of its descriptor). */
void *gn_py_definition(struct gn_py *type, const char *name, const void *kind);

#endif
