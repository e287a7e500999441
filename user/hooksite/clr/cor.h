/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library needs of the CLR's profiling and metadata interfaces: slots
 * of their function tables, flags and types. From the runtime's corprof.idl and
 * cor.h; the same in CoreCLR 3.1 to 10 on x86-64.
 */
#ifndef GNOMON_CLR_COR_H
#define GNOMON_CLR_COR_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t gn_hr;	    /* HRESULT: negative is a failure */
typedef uint16_t gn_wchar;  /* WCHAR is UTF-16 on every system */
typedef uint32_t gn_token;  /* metadata token: table in the high byte */
typedef uint64_t gn_cor_id; /* FunctionID, ClassID, ModuleID, AssemblyID */

struct gn_guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

/* Part of a blob. */
struct gn_bytes {
	const uint8_t *at;
	size_t n;
};

/* A little-endian integer of up to four bytes. */
static inline uint32_t gn_le_get(const uint8_t *p, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

#define GN_S_OK			 ((gn_hr)0)
#define GN_E_NOINTERFACE	 ((gn_hr)0x80004002)
#define GN_E_FAIL		 ((gn_hr)0x80004005)
#define GN_CLASS_E_NOAGGREGATION ((gn_hr)0x80040110)
#define GN_CLASS_E_NOTAVAILABLE	 ((gn_hr)0x80040111)
/* Initialize: unload the library without a message, and run on */
#define GN_CORPROF_E_CANCEL_ACTIVATION ((gn_hr)0x80131375)
/* ReJITError: edit and continue can change the module */
#define GN_CORPROF_E_MODULE_IS_ENC ((gn_hr)0x8013138a)

/* The function in a slot of a COM object, as a pointer of type `type`. */
#define GN_COM(object, slot, type) ((type)((*(void ***)(object))[slot]))

/* IUnknown */
enum {
	GN_UNKNOWN_QUERY = 0,
	GN_UNKNOWN_RELEASE = 2,
};

/* ICorProfilerInfo .. 8 */
enum {
	GN_INFO_IS_ARRAY_CLASS = 11,
	GN_INFO_MODULE_METADATA = 21,
	GN_INFO_IL_BODY = 22,
	GN_INFO_APPDOMAIN_INFO = 25,
	GN_INFO_ASSEMBLY_INFO = 26,
	GN_INFO_FUNCTION_INFO2 = 38,
	GN_INFO_CLASS_INFO2 = 41,
	GN_INFO_SET_MAPPER2 = 59,
	GN_INFO_SET_HOOKS3 = 61,
	GN_INFO_ENUM_MODULES = 66,
	GN_INFO_RUNTIME_INFORMATION = 67,
	GN_INFO_MODULE_INFO2 = 70,
	GN_INFO_REQUEST_REJIT = 73,
	GN_INFO_REQUEST_REVERT = 74,
	GN_INFO_ENUM_COMPILED = 79, /* EnumJITedFunctions2 */
	GN_INFO_OBJECT_SIZE2 = 80,
	GN_INFO_SET_EVENT_MASK2 = 82,
	GN_INFO_DYNAMIC_FUNCTION_INFO = 89,
	/* 9 */
	GN_INFO_CODE_ADDRESSES = 90, /* GetNativeCodeStartAddresses */
	GN_INFO_CODE_INFO4 = 92,
	GN_INFO_REQUEST_REJIT_INLINERS = 96,
	GN_INFO_SUSPEND = 97, /* SuspendRuntime */
	GN_INFO_RESUME = 98,
	/* 11 */
	GN_INFO_SET_VARIABLE = 100, /* SetEnvironmentVariable */
};

/* Enumerators of the profiling interface. */
enum {
	GN_ENUM_NEXT = 7,
};

/* ICorProfilerFunctionControl */
enum {
	GN_CONTROL_SET_IL = 4,
	GN_CONTROL_SET_IL_MAP = 5,
};

/* IMetaDataImport2 */
enum {
	GN_MD_CLOSE_ENUM = 3,
	GN_MD_TYPEDEF_PROPS = 12,
	GN_MD_TYPEREF_PROPS = 14,
	GN_MD_METHOD_PROPS = 30,
	GN_MD_TYPESPEC = 44,
	GN_MD_NESTED_CLASS = 62,
	GN_MD_ENUM_GENERIC_PARAMS = 65,
	GN_MD_GENERIC_PARAM_PROPS = 66,
};

/* IMetaDataEmit */
enum {
	GN_EMIT_TYPEREF = 12,
	GN_EMIT_SIG_TOKEN = 23,
	GN_EMIT_TYPESPEC_TOKEN = 26,
};

/* IMetaDataAssemblyEmit */
enum {
	GN_ASSEMBLY_EMIT_REF = 4,
};

/* ASSEMBLYMETADATA: an assembly's identity but for its name; all 0: any. */
struct gn_assembly_data {
	uint16_t version[4];
	gn_wchar *locale;
	uint32_t locale_size;
	uint32_t *processors;
	uint32_t nprocessors;
	void *systems;
	uint32_t nsystems;
};

/* Tables of metadata tokens. */
enum {
	GN_TOKEN_MODULE = 0x00,
	GN_TOKEN_TYPEREF = 0x01,
	GN_TOKEN_TYPEDEF = 0x02,
	GN_TOKEN_METHODDEF = 0x06,
	GN_TOKEN_SIG = 0x11,
	GN_TOKEN_MODULEREF = 0x1a,
	GN_TOKEN_TYPESPEC = 0x1b,
	GN_TOKEN_ASSEMBLYREF = 0x23,
};
#define GN_TOKEN_TABLE(t) ((t) >> 24)
#define GN_TOKEN_ROW(t)	  ((t)&0x00ffffff)

/* GetModuleInfo2: the module was made in memory; can be unloaded; has the same
 * layout in memory as in its file. */
#define GN_MODULE_DYNAMIC     0x4u
#define GN_MODULE_COLLECTIBLE 0x8u
#define GN_MODULE_FLAT	      0x20u

#endif
