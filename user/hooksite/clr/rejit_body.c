// SPDX-License-Identifier: BSD-2-Clause
/* Rewrites the IL of a method that is recompiled. */
#include <stdlib.h>
#include <string.h>

#include <gnomon/machine_state.h>

#include "il.h"
#include "image.h"
#include "md_async.h"
#include "profiler.h"
#include "rejit.h"
#include "sig.h"
#include "sites.h"
#include "valued.h"

#define WIDE_MAX     128
#define HOOK_SIG_MAX 32

typedef gn_hr (*query_fn)(void *, const struct gn_guid *, void **);
typedef uint32_t (*release_fn)(void *);
typedef gn_hr (*assembly_ref_fn)(void *, const void *, uint32_t,
				 const gn_wchar *,
				 const struct gn_assembly_data *, const void *,
				 uint32_t, uint32_t, gn_token *);
typedef gn_hr (*module_metadata_fn)(void *, gn_cor_id, uint32_t,
				    const struct gn_guid *, void **);
typedef gn_hr (*il_body_fn)(void *, gn_cor_id, gn_token, const uint8_t **,
			    uint32_t *);
typedef gn_hr (*typeref_fn)(void *, gn_token, const gn_wchar *, gn_token *);
typedef gn_hr (*sig_token_fn)(void *, const uint8_t *, uint32_t, gn_token *);
typedef gn_hr (*set_il_fn)(void *, uint32_t, const uint8_t *);
typedef gn_hr (*set_map_fn)(void *, uint32_t, const struct gn_il_map *);

#define CONVENTIONS "System.Runtime.CompilerServices"
#define QUICK	    "CallConvSuppressGCTransition"

static void widen(gn_wchar wide[WIDE_MAX], const char *text)
{
	size_t n = 0;

	for (; *text && n < WIDE_MAX - 1; text++)
		wide[n++] = (gn_wchar)*text;
	wide[n] = 0;
}

/*
 * A reference to the core library, which every runtime finds by this name. The
 * library that the module itself refers to can be a facade without the type:
 * netstandard, or a trimmed one. If a call is compiled with a stub, the runtime
 * loads the types of its signature, and a failure would throw into the program.
 * 0: no reference can be made.
 */
static gn_token core_library(void *emit)
{
	static const struct gn_guid assembly_emit = {
		0x211ef15b,
		0x5317,
		0x4438,
		{0xb1, 0x96, 0xde, 0xc8, 0x7b, 0x88, 0x76, 0x93}};
	static const uint8_t public_key[] = {0x7c, 0xec, 0x85, 0xd7,
					     0xbe, 0xa7, 0x79, 0x8e};
	const struct gn_assembly_data data = {.version = {0}};
	gn_wchar name[WIDE_MAX];
	gn_token token = 0;
	void *assembly = NULL;

	if (GN_COM(emit, GN_UNKNOWN_QUERY, query_fn)(emit, &assembly_emit,
						     &assembly) < 0)
		return 0;
	widen(name, "System.Private.CoreLib");
	if (GN_COM(assembly, GN_ASSEMBLY_EMIT_REF,
		   assembly_ref_fn)(assembly, public_key, sizeof(public_key),
				    name, &data, NULL, 0, 0, &token) < 0)
		token = 0;
	GN_COM(assembly, GN_UNKNOWN_RELEASE, release_fn)(assembly);
	return token;
}

/* A reference to a type of the core library. */
static gn_token convention(void *emit, gn_token scope, const char *name)
{
	gn_wchar wide[WIDE_MAX];
	gn_token token = 0;

	widen(wide, name);
	if (GN_COM(emit, GN_EMIT_TYPEREF, typeref_fn)(emit, scope, wide,
						      &token) < 0)
		return 0;
	return token;
}

static uint8_t *put_modifier(uint8_t *p, gn_token type)
{
	uint32_t tag = GN_TOKEN_TABLE(type) == GN_TOKEN_TYPEREF;
	uint32_t coded = GN_TOKEN_ROW(type) << 2 | tag;

	*p++ = 0x20; /* CMOD_OPT */
	if (coded < 0x80) {
		*p++ = (uint8_t)coded;
	} else if (coded < 0x4000) {
		*p++ = (uint8_t)(0x80 | coded >> 8);
		*p++ = (uint8_t)coded;
	} else {
		*p++ = (uint8_t)(0xc0 | coded >> 24);
		*p++ = (uint8_t)(coded >> 16);
		*p++ = (uint8_t)(coded >> 8);
		*p++ = (uint8_t)coded;
	}
	return p;
}

/*
 * The token of the signature void(nuint, nuint), with one more nuint for each
 * of `values`. The call uses C's convention and does not switch the thread to
 * preemptive mode: hooks do not call back into the runtime, and a managed call
 * would keep a thread in a probe from being suspended. 0: no signature can be
 * made.
 *
 * In a method that native code calls, hooks are called with the transition.
 * After calls without it the compiler checks for a pending collection, and .NET
 * 10 does so at the very end of the method, when the thread has left managed
 * code. The thread then goes on as if it were in managed code, and its next
 * call from native code ends the program.
 */
static gn_token hook_call(struct gn_rejit_module *m, bool from_native,
			  uint32_t values)
{
	/* C's own convention; or the platform's, which is the same but takes
	 * modifiers */
	uint8_t sig[HOOK_SIG_MAX] = {from_native ? 0x01 : 0x09,
				     (uint8_t)(2 + values)};
	uint8_t *p = sig + 2;
	gn_token token = 0;

	if (m->call[from_native][values])
		return m->call[from_native][values];
	if (!from_native)
		p = put_modifier(p, m->quick);
	*p++ = 0x01; /* void */
	for (uint32_t i = 0; i < 2 + values; i++)
		*p++ = 0x19; /* native unsigned int */
	if (GN_COM(m->emit, GN_EMIT_SIG_TOKEN,
		   sig_token_fn)(m->emit, sig, (uint32_t)(p - sig), &token) < 0)
		return 0;
	return m->call[from_native][values] = token;
}

/* Opens the module's metadata for what hooks need. The caller holds the lock.
 * Not before the runtime has accepted a method: metadata that an edit was made
 * for must not change. */
static bool open_metadata(struct gn_rejit *r, struct gn_rejit_module *m,
			  gn_cor_id module, const struct gn_image *image)
{
	static const struct gn_guid metadata_emit = {
		0xba3fee4c,
		0xecb9,
		0x4e41,
		{0x83, 0xb7, 0x18, 0x3f, 0xa4, 0x1c, 0xd8, 0x59}};
	gn_token scope;

	if (m->emit)
		return m->quick;
	if (GN_COM(r->info, GN_INFO_MODULE_METADATA, module_metadata_fn)(
		    r->info, module, 1, &metadata_emit, &m->emit) < 0 ||
	    !m->emit)
		return false;
	/* the core library defines the type itself */
	m->quick = gn_md_find_type(&image->md, CONVENTIONS, QUICK);
	if (!m->quick) {
		scope = core_library(m->emit);
		m->quick = scope ? convention(m->emit, scope,
					      CONVENTIONS "." QUICK)
				 : 0;
	}
	return m->quick;
}

/* The hooks that IL calls. Each passes its site, or writes a record itself. */
#define IL_HOOKS(X) \
	X(enter)    \
	X(leave)    \
	X(unwound)  \
	X(awaits)   \
	X(awaited)  \
	X(resumed)  \
	X(suspended)

enum il_hook {
#define IL_HOOK(name) HOOK_##name,
	IL_HOOKS(IL_HOOK)
#undef IL_HOOK
};

static uintptr_t hook_of(enum il_hook which, bool fast)
{
#define IL_HOOK(name)                              \
	[HOOK_##name] = {                          \
		(uintptr_t)GN_CLR_HOOK(il_##name), \
		(uintptr_t)GN_CLR_FAST(il_##name), \
	},
	static const uintptr_t hooks[][2] = {IL_HOOKS(IL_HOOK)};
#undef IL_HOOK

	return hooks[which][fast];
}

/*
 * Hooks called with a transition are not in managed code. Such a hook can be
 * running while an attached session's memory is unmapped, so it does not write
 * to that memory.
 */
static bool is_fast(const struct gn_clr *clr, bool from_native)
{
	return clr->fast && (!from_native || clr->rejit.from_start);
}

/* Sets the hooks of a method that the runtime suspends (`list`: its awaits;
 * else NULL), or that is called when it suspends one. */
static void set_suspends(const struct gn_clr *clr,
			 const struct gn_il_awaits *list, bool fast,
			 struct gn_il_hooks *hooks)
{
	const struct gn_rejit *r = &clr->rejit;
	struct gn_il_suspends *s = &hooks->suspends;

	s->list = list;
	s->awaits = hook_of(HOOK_awaits, fast);
	s->awaited = hook_of(HOOK_awaited, fast);
	s->resumed = hook_of(HOOK_resumed, fast);
	if (list && !r->from_start) {
		s->now = &r->session;
		s->session = atomic_load(s->now);
	}
	if (!gn_rejit_is_base(clr, hooks->index))
		return;
	s->suspended = hook_of(HOOK_suspended, fast);
	s->field = r->awaits.suspends.field;
	if (!atomic_load(&gn_id_of(&clr->ids, hooks->index)->chosen))
		hooks->enter = hooks->leave = hooks->unwound = 0;
}

static void set_hooks(struct gn_il_hooks *hooks, bool fast)
{
	hooks->enter = hook_of(HOOK_enter, fast);
	hooks->leave = hook_of(HOOK_leave, fast);
	hooks->unwound = hook_of(HOOK_unwound, fast);
}

static bool prepare_calls(struct gn_clr *clr, struct gn_rejit_module *m,
			  const struct gn_md *md,
			  const struct gn_valued_method *method,
			  struct gn_il_hooks *hooks)
{
	struct gn_il_values *v = &hooks->values;
	bool from_native = gn_md_from_native(md, GN_TOKEN_ROW(method->token));
	bool fast = is_fast(clr, from_native);

	set_hooks(hooks, fast);
	set_suspends(clr, method->awaits, fast, hooks);
	gn_valued_il(clr, method, hooks);
	hooks->call = hook_call(m, from_native, 0);
	v->enter = hook_call(m, from_native, v->nargs);
	v->leave = hook_call(m, from_native, v->asks_result);
	return hooks->call && v->enter && v->leave;
}

/* If the method has awaits, the caller frees its signature. */
static bool describe(const struct gn_md *md, gn_token token, void *emit,
		     const struct gn_il_awaits *awaits,
		     struct gn_valued_method *method)
{
	*method = (struct gn_valued_method){
		.md = md,
		.token = token,
		.sig = gn_md_method_sig(md, GN_TOKEN_ROW(token)),
		.awaits = awaits,
		.emit = emit,
	};
	if (awaits)
		method->sig = gn_sig_awaited(&method->sig);
	return method->sig.at;
}

/* Finds the awaits of a method that the runtime suspends. `list`: NULL for
 * another method. */
static bool find_awaits(const struct gn_md *md, gn_token token,
			const struct gn_bytes *body, struct gn_il_awaits *own,
			const struct gn_il_awaits **list)
{
	struct gn_il_method il;

	*own = (struct gn_il_awaits){0};
	*list = NULL;
	if (!gn_md_is_suspended(md, GN_TOKEN_ROW(token)))
		return true;
	*list = own;
	return !gn_il_read(body->at, body->n, &il) &&
	       !gn_il_find_awaits(&il, gn_md_call, md, own);
}

/* Prepares what the rewriting needs from the method's module. The caller holds
 * the lock. */
static bool prepare(struct gn_clr *clr, struct gn_rejit_module *m,
		    const struct gn_md *md, gn_token token,
		    const struct gn_bytes *body,
		    const struct gn_il_awaits *awaits,
		    struct gn_il_hooks *hooks)
{
	struct gn_valued_method method;
	struct gn_bytes old, locals;
	gn_token old_token;
	bool done;
	gn_hr hr;

	if (gn_il_locals_token(body->at, body->n, &old_token))
		return false;
	old = gn_md_locals(md, old_token);
	/* the module has no such signature: it would be one that this library
	 * added */
	if ((old_token && !old.n) ||
	    !describe(md, token, m->emit, awaits, &method))
		return false;
	done = !gn_il_locals(&old, &method.sig, &locals, &hooks->frame,
			     &hooks->result);
	if (done) {
		hr = GN_COM(m->emit, GN_EMIT_SIG_TOKEN, sig_token_fn)(
			m->emit, locals.at, (uint32_t)locals.n, &hooks->locals);
		free((void *)locals.at);
		done = hr >= 0 && prepare_calls(clr, m, md, &method, hooks);
	}
	if (awaits)
		free((void *)method.sig.at);
	return done;
}

/* The same without anything new in the metadata, if the module has it all. */
static bool borrow(struct gn_clr *clr, struct gn_rejit_module *m,
		   const struct gn_md *md, gn_token token,
		   const struct gn_bytes *body, struct gn_il_hooks *hooks)
{
	set_hooks(hooks, true);
	return gn_rejit_borrow(clr, m, md, token, body, hooks);
}

static bool set_body(void *control, const struct gn_il_body *body)
{
	if (GN_COM(control, GN_CONTROL_SET_IL,
		   set_il_fn)(control, (uint32_t)body->size, body->bytes) < 0)
		return false;
	/* failure costs only the line numbers of stack traces */
	GN_COM(control, GN_CONTROL_SET_IL_MAP, set_map_fn)
	(control, (uint32_t)body->nmap, body->map);
	return true;
}

static bool find_machine(const struct gn_md *md, gn_token method,
			 const struct gn_bytes *body,
			 struct gn_il_machine *machine, bool *is_async)
{
	struct gn_il_method m;

	*is_async = gn_md_is_machine(md, GN_TOKEN_ROW(method));
	return *is_async && !gn_il_read(body->at, body->n, &m) &&
	       !gn_il_machine(&m, gn_md_machine_member, md, machine);
}

/* Whether a method is recompiled only to remove copies from it. Then it will be
 * requested again. */
static bool is_removing(struct gn_clr *clr, uint32_t index)
{
	struct gn_rejit *r = &clr->rejit;
	uint32_t place = gn_rejit_place_of(clr, index);

	return atomic_load(&r->removes) &&
	       !(place && atomic_load(&r->module[place - 1].loaded));
}

/* Whether a method gets hooks now. */
static bool is_hooked(struct gn_clr *clr, uint32_t index)
{
	return atomic_load(&gn_id_of(&clr->ids, index)->chosen) &&
	       !is_removing(clr, index);
}

/*
 * Chooses how an async method's state machine is rewritten. In a process that
 * ran before the session it gets tags, unless the session numbers are used up,
 * or precompiled code holds a copy of the method, which might not be found. The
 * order matters: the end of a session first clears `chosen` and then reads
 * `tagged`. False: leave the method as it is.
 */
static bool choose_how(struct gn_clr *clr, uint32_t index,
		       struct gn_il_async *async)
{
	struct gn_id *id = gn_id_of(&clr->ids, index);
	struct gn_rejit *r = &clr->rejit;

	async->session = atomic_load(&r->session);
	if (r->from_start) {
		async->how = GN_IL_STATES;
		return true;
	}
	if (async->session && async->session <= GN_STATE_SESSIONS &&
	    !is_removing(clr, index) && !atomic_load(&id->copied)) {
		atomic_store(&id->tagged, 1);
		async->how = GN_IL_TAGS;
		if (atomic_load(&id->chosen))
			return true;
	}
	async->how = GN_IL_UNTAGS;
	return atomic_load(&id->tagged);
}

/* False: not an async method, or not in the form that known compilers emit. */
static bool prepare_async(struct gn_clr *clr, const struct gn_md *md,
			  gn_token method, uint32_t index,
			  const struct gn_bytes *body,
			  struct gn_il_async *async)
{
	bool is_async, found;

	*async = (struct gn_il_async){
		.entered = (uintptr_t)GN_CLR_HOOK(async_entered),
		.suspends = (uintptr_t)GN_CLR_HOOK(async_suspends),
		.completes = (uintptr_t)GN_CLR_HOOK(async_completes),
		.faults = (uintptr_t)GN_CLR_HOOK(async_faults),
	};
	found = find_machine(md, method, body, &async->machine, &is_async) &&
		choose_how(clr, index, async);
	if (is_async && (!found || async->how == GN_IL_UNTAGS) &&
	    is_hooked(clr, index))
		GN_CLR_SITE(selected)(GN_SELECTED_ASYNC_LEFT, 1);
	return found;
}

static bool set_rewritten(const struct gn_bytes *body,
			  const struct gn_il_hooks *hooks, void *control)
{
	struct gn_il_body made;
	bool done;

	if (gn_il_rewrite(body->at, body->n, hooks, &made))
		return false;
	done = set_body(control, &made);
	gn_il_free(&made);
	return done;
}

/* Sets the code of a state machine whose session is over: it removes tags. */
static bool untag(const struct gn_bytes *body, struct gn_il_async *async,
		  void *control)
{
	struct gn_il_hooks none = {.async = async};

	async->how = GN_IL_UNTAGS;
	return !gn_il_locals_token(body->at, body->n, &none.locals) &&
	       set_rewritten(body, &none, control);
}

static bool rewrite(struct gn_clr *clr, uint32_t place, gn_cor_id module,
		    struct gn_il_hooks *hooks, gn_token method, void *control)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_module *m = &r->module[place - 1];
	struct gn_bytes body = {NULL, 0};
	const struct gn_il_awaits *awaits;
	struct gn_il_awaits own;
	struct gn_il_async async;
	const struct gn_image *image = gn_images_get(&clr->images, module);
	uint32_t size = 0;
	bool found, done;

	if (!image ||
	    GN_COM(r->info, GN_INFO_IL_BODY,
		   il_body_fn)(r->info, module, method, &body.at, &size) < 0 ||
	    !body.at)
		return false;
	body.n = size;
	if (prepare_async(clr, &image->md, method, hooks->index, &body, &async))
		hooks->async = &async;
	found = find_awaits(&image->md, method, &body, &own, &awaits);
	pthread_mutex_lock(&r->lock);
	done = found &&
	       (is_hooked(clr, hooks->index) ||
		gn_rejit_is_base(clr, hooks->index)) &&
	       ((!awaits && borrow(clr, m, &image->md, method, &body, hooks)) ||
		(open_metadata(r, m, module, image) &&
		 prepare(clr, m, &image->md, method, &body, awaits, hooks)));
	pthread_mutex_unlock(&r->lock);
	done = done && set_rewritten(&body, hooks, control);
	if (!done && hooks->async &&
	    atomic_load(&gn_id_of(&clr->ids, hooks->index)->tagged))
		untag(&body, &async, control);
	gn_il_machine_free(&async.machine);
	gn_il_awaits_free(&own);
	return done;
}

/* In a session from the start, a method with precompiled code is compiled only
 * because of its hooks. The runtime then does not search for that code, and
 * reports no refusal. */
static void tell_precompiled(struct gn_clr *clr, gn_cor_id module,
			     gn_token method)
{
	struct gn_precompiled *p = &clr->precompiled;
	uint32_t place = gn_modules_find(&p->modules, module);
	const struct gn_image *image;

	if (!clr->rejit.from_start)
		return;
	image = gn_images_get(&clr->images, module);
	if (image &&
	    gn_precompiled_has(p, place, image, GN_TOKEN_ROW(method)) &&
	    gn_precompiled_refuse(p, place ? GN_METHOD(place, method) : 0))
		GN_CLR_SITE(precompiled_refused)(0);
}

gn_hr gn_clr_rejit_parameters(struct gn_clr *clr, gn_cor_id module,
			      gn_token method, void *control)
{
	struct gn_il_hooks hooks = {.index = 0};
	struct gn_rejit *r = &clr->rejit;
	uint32_t place = gn_modules_find(&r->modules, module);

	tell_precompiled(clr, module, method);
	hooks.index =
		place ? gn_ids_find(&clr->ids, GN_REJIT_ID(place, method)) : 0;
	/* a method that only holds a copy of a requested one gets its own
	 * code */
	if (!hooks.index ||
	    (!is_hooked(clr, hooks.index) &&
	     !atomic_load(&gn_id_of(&clr->ids, hooks.index)->tagged) &&
	     !gn_rejit_is_base(clr, hooks.index)))
		return GN_S_OK;
	if (!rewrite(clr, place, module, &hooks, method, control) &&
	    is_hooked(clr, hooks.index))
		GN_CLR_SITE(unhooked)(hooks.index);
	return GN_S_OK;
}

gn_hr gn_clr_rejit_failed(struct gn_clr *clr, gn_cor_id module, gn_token method,
			  gn_cor_id function, gn_hr status)
{
	struct gn_rejit *r = &clr->rejit;
	uint32_t place = gn_modules_find(&r->modules, module);
	uint32_t index =
		place ? gn_ids_find(&clr->ids, GN_REJIT_ID(place, method)) : 0;

	GN_CLR_SITE(rejit_error)(clr, module, method, function, status);
	if (!index || !atomic_load(&gn_id_of(&clr->ids, index)->chosen))
		return GN_S_OK;
	GN_CLR_SITE(unhooked)(index);
	if (status == GN_CORPROF_E_MODULE_IS_ENC) {
		/* the runtime will never take it */
		atomic_store(&gn_id_of(&clr->ids, index)->chosen, 0);
		GN_CLR_SITE(selected)(GN_SELECTED_EDITED, 1);
	}
	return GN_S_OK;
}
