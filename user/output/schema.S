/* SPDX-License-Identifier: BSD-2-Clause */
/* The schema that tools/json-schema makes of docs/json.md, with a NUL. */
	.section .rodata
	.globl gn_json_schema
	.type gn_json_schema, @object
gn_json_schema:
	.incbin "schema.json"
	.byte 0
	.size gn_json_schema, . - gn_json_schema
	.section .note.GNU-stack, "", @progbits
