// SPDX-License-Identifier: BSD-2-Clause
#include "class.h"

#include <string.h>

#define MAGIC	  0xcafebabeu
#define VERSION	  50 /* of Java 6: all JVMs with JVMTI 1.2 take it */
#define UTF8	  1
#define CLASS	  7
#define PUBLIC	  0x0001
#define STATIC	  0x0008
#define FINAL	  0x0010
#define SUPER	  0x0020
#define NATIVE	  0x0100
#define SYNTHETIC 0x1000
#define NOP	  0
#define RETURN	  177

/* Constants, by their numbers. */
enum {
	SELF_NAME = 1,
	SELF,
	BASE_NAME,
	BASE,
	TYPE,
	ENTER,
	LEAVE,
	UNWOUND,
	ROOM,
	ROOM_TYPE,
	CODE,
	END
};

static uint8_t *put2(uint8_t *at, unsigned int v)
{
	*at++ = (uint8_t)(v >> 8);
	*at++ = (uint8_t)v;
	return at;
}

static uint8_t *put_text(uint8_t *at, const char *text)
{
	size_t n = strlen(text);

	*at++ = UTF8;
	at = put2(at, (unsigned int)n);
	memcpy(at, text, n);
	return at + n;
}

static uint8_t *put_class(uint8_t *at, unsigned int name)
{
	*at++ = CLASS;
	return put2(at, name);
}

static uint8_t *put_native(uint8_t *at, unsigned int name)
{
	at = put2(at, PUBLIC | STATIC | NATIVE | SYNTHETIC);
	at = put2(at, name);
	at = put2(at, TYPE);
	return put2(at, 0);
}

/* It does nothing. But from C the JVM does not call a method that only
 * returns. */
static uint8_t *put_idle(uint8_t *at, unsigned int name, unsigned int type)
{
	at = put2(at, PUBLIC | STATIC | SYNTHETIC);
	at = put2(at, name);
	at = put2(at, type);
	at = put2(at, 1);
	at = put2(at, CODE);
	at = put2(at, 0);
	at = put2(at, 14); /* the bytes from here on */
	at = put2(at, 0);  /* stack */
	at = put2(at, 0);  /* locals */
	at = put2(at, 0);
	at = put2(at, 2); /* the bytes of code */
	*at++ = NOP;
	*at++ = RETURN;
	at = put2(at, 0); /* handlers */
	return put2(at, 0);
}

size_t gn_java_class_put(uint8_t to[GN_JAVA_CLASS_MAX], const char *name)
{
	uint8_t *at = to;

	at = put2(at, MAGIC >> 16);
	at = put2(at, MAGIC & 0xffff);
	at = put2(at, 0);
	at = put2(at, VERSION);
	at = put2(at, END);
	at = put_text(at, name);
	at = put_class(at, SELF_NAME);
	at = put_text(at, "java/lang/Object");
	at = put_class(at, BASE_NAME);
	at = put_text(at, "(I)V");
	at = put_text(at, GN_JAVA_ENTER);
	at = put_text(at, GN_JAVA_LEAVE);
	at = put_text(at, GN_JAVA_UNWOUND);
	at = put_text(at, GN_JAVA_ROOM);
	at = put_text(at, "()V");
	at = put_text(at, "Code");
	at = put2(at, PUBLIC | FINAL | SUPER | SYNTHETIC);
	at = put2(at, SELF);
	at = put2(at, BASE);
	at = put2(at, 0); /* interfaces */
	at = put2(at, 0); /* fields */
	at = put2(at, 4);
	at = put_native(at, ENTER);
	at = put_native(at, LEAVE);
	at = put_native(at, UNWOUND);
	at = put_idle(at, ROOM, ROOM_TYPE);
	at = put2(at, 0); /* attributes */
	return (size_t)(at - to);
}
