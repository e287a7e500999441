/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule: when it holds for a model, and its text. */
#ifndef GNOMON_EXPLAIN_RULES_H
#define GNOMON_EXPLAIN_RULES_H

#include <stdio.h>

#include "explain/explain.h"
#include "explain/facts.h"

/* CPUs are too few if threads waited for one for this share of the time. */
#define GN_CPUS_LEAST 0.2
/* What stopped the threads matters from this share of their time on. */
#define GN_HALTED_LEAST 0.1
/* Waits for other threads matter from this share of the busy time on. */
#define GN_EVENTS_LEAST 0.2
/* Samples matter if a function has this share of them. */
#define GN_SAMPLED_LEAST 0.1
/* A thread pool starves from this many moments a second on. */
#define GN_STARVED_LEAST 0.2
/* The most functions that a sentence names. */
#define GN_NAMED 3

/* The result of a rule, for its sentence. */
struct gn_subject {
	double share; /* 0 to 1; compared with the rule's threshold */
	double rank;  /* its order among others of the severity */
	enum gn_class class;
	/* the rule's; `look` may choose others */
	enum gn_severity severity;
	enum gn_next what;
	struct gn_wait_sum wait;
	const struct gn_model_function *function[GN_NAMED];
	uint64_t weight[GN_NAMED];
	int nfunctions;
	uint64_t ns, whole;
	int family; /* of events, by its bit */
	/* where async methods waited most */
	const struct gn_model_async *async;
	const struct gn_model_await *await;
};

/* Keeps the functions with the most weight in descending order; of equal ones,
 * the first. */
void gn_subject_add(struct gn_subject *s, const struct gn_model_function *fn,
		    uint64_t weight);

struct gn_rule {
	const char *name;
	enum gn_severity severity;
	double least; /* the lowest share for which it holds */
	/* when it may hold */
	bool lossy; /* it holds for a model that cannot be trusted; no other
		       rule does then */
	bool idle;  /* it holds even for an idle program */
	enum gn_class class;
	/* Sets the share; 0: it does not hold. Without a rank of its own the
	 * rank is the share. Returns 0 or -ENOMEM. */
	int (*look)(const struct gn_facts *f, struct gn_subject *s);
	void (*say)(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out);
	/* Writes the words of the next command. */
	void (*next)(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out);
	enum gn_next what;
};

/* The i-th rule, NULL past the last. */
const struct gn_rule *gn_rule(size_t i);

/* The sentences of the rules, and the commands that come next. */
#define GN_RULE_SENTENCE(name)                                              \
	int gn_look_##name(const struct gn_facts *f, struct gn_subject *s); \
	void gn_say_##name(const struct gn_facts *f,                        \
			   const struct gn_subject *s, FILE *out);
#define GN_RULE_NEXT(name)                            \
	void gn_next_##name(const struct gn_facts *f, \
			    const struct gn_subject *s, FILE *out);
#define GN_RULE_FUNCTIONS(name) GN_RULE_SENTENCE(name) GN_RULE_NEXT(name)

GN_RULE_SENTENCE(lost)
GN_RULE_FUNCTIONS(broken)
GN_RULE_FUNCTIONS(path)
GN_RULE_FUNCTIONS(halted)
GN_RULE_FUNCTIONS(idle)
GN_RULE_FUNCTIONS(own)
GN_RULE_FUNCTIONS(sampled)
GN_RULE_FUNCTIONS(untraced)
GN_RULE_FUNCTIONS(probes)
GN_RULE_FUNCTIONS(wait)
GN_RULE_SENTENCE(poll)
GN_RULE_FUNCTIONS(starved)
GN_RULE_FUNCTIONS(tasks)
GN_RULE_FUNCTIONS(cpus)
GN_RULE_SENTENCE(late)
GN_RULE_FUNCTIONS(memory)
GN_RULE_FUNCTIONS(faults)
GN_RULE_SENTENCE(event)
GN_RULE_NEXT(child)
GN_RULE_FUNCTIONS(async)
GN_RULE_FUNCTIONS(exceptions)
GN_RULE_FUNCTIONS(unwound)
GN_RULE_FUNCTIONS(queries)
GN_RULE_FUNCTIONS(connections)
GN_RULE_FUNCTIONS(async_unseen)
GN_RULE_FUNCTIONS(jit)
GN_RULE_FUNCTIONS(traced_jit)
GN_RULE_FUNCTIONS(gc)
GN_RULE_FUNCTIONS(syscalls)

/* Parts of sentences. */
void gn_put_ns(FILE *f, uint64_t ns);
void gn_put_pct(FILE *f, uint64_t part, uint64_t whole);
void gn_put_count(FILE *f, uint64_t n, const char *one, const char *many);
/* "3 calls". At least so many if some are missing: lost ones (`lossy`), those
 * before probes were in place, and those in callers' copies. */
void gn_put_calls(FILE *f, const struct gn_model_function *function,
		  bool lossy);
/* A name, shortened for a sentence. */
void gn_put_named(FILE *f, const struct gn_model_named *named);
/* The same for a function; -1 is outside of any. */
void gn_put_function(FILE *f, const struct gn_model *m, int32_t function);
/* The largest parts of `whole`, from 1 % on: "app 70.1 %, lock 20.0 %". */
void gn_put_classes(FILE *f, const uint64_t classes[GN_CLASS_COUNT],
		    uint64_t whole);
/* The argument of -f for the function, quoted for a shell. */
void gn_put_glob(FILE *f, const struct gn_model_function *function);

/* Writes " in F, called by G" if most of it came through G; G only if F is the
 * runtime's. class: GN_CLASS_COUNT means calls. It is not known which calls are
 * meant, so G must make nearly all of them. */
void gn_put_where(FILE *out, const struct gn_facts *f, int32_t function,
		  int class);
/* Writes "; most in F: 0.5 s, 3 times, up to 0.2 s" for the subject's waits. */
void gn_put_most_in(FILE *out, const struct gn_facts *f,
		    const struct gn_subject *s);
/* "0.5 s, 30.0 % of the time on CPUs" */
void gn_put_of_cpu(FILE *out, const struct gn_facts *f, uint64_t ns);

/* The share of `ns` in what the program worked or waited for answers:
 * computation matters only as far as the program computes. */
double gn_share_of_work(const struct gn_facts *f, uint64_t ns);
/* The share of `ns` in the CPU time; 0 if it is a small part of the elapsed
 * time. */
double gn_share_of_cpu(const struct gn_facts *f, uint64_t ns);
/* The share of samples of the function that has most of them. 0: too few
 * samples. */
double gn_share_of_samples(const struct gn_model *m);
/* Whether a .NET program begins with this function, and waits in it for its
 * end. */
bool gn_is_main(const char *name);
/* Whether gnomon attached to a JVM that ran already. */
bool gn_came_to_jvm(const struct gn_model *m);
/* Whether the function is of .NET or of another library of Microsoft. */
bool gn_is_framework(const struct gn_model_function *fn);
/* How often a thread pool starved: moments per second, at most 1. */
double gn_starved_share(const struct gn_facts *f);
/* The thread with the most time in the class. */
const struct gn_model_thread *gn_most_of(const struct gn_model *m,
					 enum gn_class class);

static inline double gn_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

#endif
