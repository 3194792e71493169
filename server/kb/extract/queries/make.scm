; Make. Special targets (`.PHONY`) are no definitions; what they name is defined by its own rule.

((rule (targets [(word) (variable_reference) (concatenation)] @name)) @definition.target (#not-match? @name "^\\.[A-Z_]+$"))
(variable_assignment name: (_) @name) @definition.variable
(shell_assignment name: (_) @name) @definition.variable
(define_directive name: (_) @name) @definition.macro

(include_directive filenames: (list (_) @module) @import)

(prerequisites (word) @reference.use)
(variable_reference (word) @reference.use)

(comment) @comment
