/* SPDX-License-Identifier: BSD-2-Clause */
/* The two parts of the page that html/make-page makes, each with a NUL. */
	.section .rodata
	.globl gn_html_page_head
	.type gn_html_page_head, @object
gn_html_page_head:
	.incbin "page-head.html"
	.byte 0
	.size gn_html_page_head, . - gn_html_page_head
	.globl gn_html_page_tail
	.type gn_html_page_tail, @object
gn_html_page_tail:
	.incbin "page-tail.html"
	.byte 0
	.size gn_html_page_tail, . - gn_html_page_tail
	.section .note.GNU-stack, "", @progbits
