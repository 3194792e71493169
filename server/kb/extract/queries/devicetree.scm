; Device tree. A node is named by its label, which is what others refer to, and else by its own name.

(node label: (identifier) @name) @definition.key
(node !label name: (identifier) @name) @definition.key
(node name: (reference label: (identifier) @name)) @definition.key
; What a node is, as the tables of drivers say it: the first string for the very device, more for its likes.
((property name: (identifier) @_property (string_literal) @name ("," (string_literal) @name)*) @definition.field
  (#eq? @_property "compatible"))
(preproc_def name: (identifier) @name) @definition.constant
(preproc_function_def name: (identifier) @name) @definition.macro

(preproc_include path: (_) @module) @import
(dtsi_include path: (_) @module) @import

(reference label: (identifier) @reference.use)

(comment) @comment
