/* SPDX-License-Identifier: BSD-2-Clause */
/* A library that exports what CPython does. The test writes over the bytes of
 * its variables in copies of the file. */
#define EXPORTED __attribute__((visibility("default"), used))

#ifndef NO_RUNTIME
EXPORTED unsigned long _PyRuntime[64] = {0x5f5f656d69746e75};
#endif
#ifndef NO_VERSION
EXPORTED unsigned long Py_Version = 0x5f5f6e6f69737265;
#endif
EXPORTED unsigned long PyCode_Type[2], PyUnicode_Type[2] = {1, 2};
/* PyDict_Type is missing */

EXPORTED int PyEval_EvalCode(int x)
{
	return x + 1;
}

#ifndef NO_CONFIG
EXPORTED void PyConfig_InitPythonConfig(void)
{
}
#endif
