; Device tree. A node is named by its label, which is what others refer to, and else by its own name.

(node label: (identifier) @name) @definition.key
(node !label name: (identifier) @name) @definition.key
(node name: (reference label: (identifier) @name)) @definition.key
(preproc_def name: (identifier) @name) @definition.constant
(preproc_function_def name: (identifier) @name) @definition.macro

(preproc_include path: (_) @module) @import
(dtsi_include path: (_) @module) @import

(reference label: (identifier) @reference.use)

(comment) @comment
