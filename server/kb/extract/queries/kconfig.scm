; Kconfig. The prompt of a symbol is its documentation.

(config name: (name) @name (type_definition (string) @doc)) @definition.key
(menuconfig name: (name) @name (type_definition (string) @doc)) @definition.key
(config name: (name) @name) @definition.key
(menuconfig name: (name) @name) @definition.key
(menu name: (string) @name) @definition.section
(choice (input_prompt (string) @name)) @definition.section

(source (string) @module) @import

((symbol) @reference.use (#not-match? @reference.use "^[ynm]$"))

(comment) @comment
