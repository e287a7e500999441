/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing is relocated: the types are those that the program was built with. */
#ifndef GNOMON_HOST_BPF_CORE_READ_H
#define GNOMON_HOST_BPF_CORE_READ_H

#define GN_READ_1(p, a)			 ((p)->a)
#define GN_READ_2(p, a, b)		 ((p)->a->b)
#define GN_READ_3(p, a, b, c)		 ((p)->a->b->c)
#define GN_READ_N(a, b, c, n, ...)	 GN_READ_##n
#define BPF_CORE_READ(p, ...)		 GN_READ_N(__VA_ARGS__, 3, 2, 1, )(p, __VA_ARGS__)
#define BPF_CORE_READ_BITFIELD(p, field) ((p)->field)

/* a bit field has no size */
#define bpf_core_field_exists(field)  (sizeof(((void)(field), 0)) > 0)
#define bpf_core_type_exists(type)    (sizeof(type) > 0)
#define bpf_core_type_size(type)      sizeof(type)
#define bpf_core_type_id_kernel(type) 0
#define bpf_core_field_size(type, f)  sizeof(((type *)0)->f)
#define GN_OFFSET_1(field)	      ((unsigned long)&(field))
#define GN_OFFSET_2(type, field)      __builtin_offsetof(type, field)
#define GN_OFFSET_N(a, b, n, ...)     GN_OFFSET_##n
#define bpf_core_field_offset(...)    GN_OFFSET_N(__VA_ARGS__, 2, 1, )(__VA_ARGS__)

#endif
