/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks in the methods of a Java class file (JVMS 4): calls of static methods
 * at a method's start and wherever it ends. The class file is hostile: a
 * malformed one is refused.
 *
 * A hooked method calls enter(index) first. It calls leave(index) before each
 * return instruction, and unwound(index) when an exception leaves it. So each
 * enter has exactly one leave or unwound, on these conditions:
 *
 * - The hooks throw nothing after they have counted. What is thrown at the call
 *   of a hook, before it has counted, is a StackOverflowError. The call of
 *   enter is covered by no handler, so this error leaves the method as one that
 *   was not entered. For leave and unwound the error would lose the end of a
 *   call. So enter must need more stack than the other two, even if it is
 *   compiled and they are not: then they have enough wherever enter had
 *   (room.h).
 * - Our handler does not cover the calls of leave and the return instructions:
 *   an asynchronous exception (Thread.stop() before Java 20, StopThread of
 *   JVMTI) comes when leave returns, after it has counted. A handler of the
 *   method's own that covers the return instruction covers the call of leave,
 *   too: it may release a lock. If it catches an asynchronous exception there,
 *   the method goes on, and leaves a second time.
 * - An asynchronous exception when enter returns is not seen: that call has no
 *   end.
 *
 * A constructor is entered when its object is initialized: enter is called when
 * super() or this() has returned. What is before that belongs to the caller,
 * and nothing is called if it throws. The verifier of HotSpot lets no handler
 * cover the call of super() or this(), so we could not see that it throws. For
 * java/lang/Object, which has no super(), this does not apply.
 *
 * A synchronized method has its lock before it calls enter, and until after its
 * end: a wait for the lock belongs to the caller.
 *
 * Lines in stack traces stay as they are.
 */
#ifndef GNOMON_JAVA_REWRITE_H
#define GNOMON_JAVA_REWRITE_H

#include <stddef.h>
#include <stdint.h>

/* Names in modified UTF-8, as in the class file, not NUL-terminated, valid
 * during the call that gets them. `class` is as in java/lang/Object. */
struct gn_java_method {
	const char *class, *name, *descriptor;
	uint16_t class_len, name_len, descriptor_len;
	uint16_t access; /* JVMS 4.6 */
};

/* Static methods of type (I)V of a class, which hooked classes must be able to
 * see, and whose own methods must not be selected: NUL-terminated modified
 * UTF-8, as in java/lang/Object. */
struct gn_java_hooks {
	const char *class;
	const char *enter, *leave, *unwound;
};

/* Why a selected method stays as it is. */
enum gn_java_refusal {
	GN_JAVA_NO_CODE = 1, /* abstract or native */
	GN_JAVA_MALFORMED, /* the code, or an attribute that must be adapted */
	GN_JAVA_TOO_LARGE, /* code, a branch, a table or the constant pool */
	/* finalize() that only returns: with hooks HotSpot would register each
	 * object of the class to be finalized */
	GN_JAVA_EMPTY_FINALIZER,
	/* With hooks the code would be longer than 8000 bytes, which HotSpot
	 * never compiles unless it is told to; without, it is not. */
	GN_JAVA_NOT_COMPILED,
	/* A constructor that calls a subroutine (jsr) before its object is
	 * initialized, or has code that runs both before and after. No compiler
	 * that we know makes such. */
	GN_JAVA_CONSTRUCTOR,
};

/* Chooses a method: its index for the hooks, or UINT32_MAX to leave it as it
 * is. Called once for each method of the class, in their order. */
typedef uint32_t (*gn_java_select_fn)(void *ctx,
				      const struct gn_java_method *m);
/* Told of a selected method that got no hooks. May be NULL. */
typedef void (*gn_java_refused_fn)(void *ctx, uint32_t index,
				   enum gn_java_refusal why);
/* Memory, aligned as by malloc(), or NULL. The rewriter frees nothing: every
 * block is the caller's, also after an error. *out is one of them. */
typedef void *(*gn_java_alloc_fn)(void *ctx, size_t size);

/*
 * Rewrites a class file. Returns the number of methods that got hooks. 0:
 * nothing is changed, and there is no output. -EBADMSG: malformed. -ENOMEM.
 * Does not depend on anything else, so any thread may call it, several at once.
 */
int gn_java_rewrite(const uint8_t *bytes, size_t len,
		    const struct gn_java_hooks *hooks, gn_java_select_fn select,
		    gn_java_refused_fn refused, gn_java_alloc_fn alloc,
		    void *ctx, uint8_t **out, size_t *out_len);

#endif
