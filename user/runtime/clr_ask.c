/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the library in a CLR through its diagnostics socket. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hooksite/clr/clsid.h"
#include "runtime/clr_attach_parts.h"
#include "runtime/clr_ipc.h"

static int ask_as(struct gn_attached *a, bool beside, const char *request,
		  int ms, gn_wait_fn wait, void *ctx, int32_t *result)
{
	uint8_t *message = malloc(GN_CLR_IPC_MAX);
	int n = message ? gn_clr_ipc_attach(message, a->library, beside,
					    request, strlen(request))
			: -ENOMEM;

	if (n >= 0)
		n = gn_clr_ipc_ask(a->socket, a->pid, message, (size_t)n, ms,
				   wait, ctx, result);
	free(message);
	return n;
}

int gn_clr_ask(struct gn_attached *a, const char *request, int ms,
	       gn_wait_fn wait, void *ctx, int32_t *result)
{
	int err = ask_as(a, false, request, ms, wait, ctx, result);

	if (err || *result != GN_CLR_NO_ATTACH || a->functions)
		return err;
	return ask_as(a, true, request, ms, wait, ctx, result);
}
