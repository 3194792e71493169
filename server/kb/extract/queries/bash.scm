; Bash and its kin. Variables count at the top level of the file, also under its conditions, and not in functions.

(function_definition name: (word) @name body: (_) @body) @definition.function

(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name) @definition.variable))
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (declaration_command (variable_name) @name) @definition.variable)
(if_statement (variable_assignment name: (variable_name) @name) @definition.variable)
(if_statement (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
((command name: (command_name (word) @_alias) argument: [(word) @name (concatenation . (word) @name)]) @definition.macro
  (#eq? @_alias "alias") (#match? @name "="))

((command name: (command_name (word) @_source) . argument: (_) @module) @import
  (#any-of? @_source "source" "."))

(command name: (command_name (word) @reference.call))

(comment) @comment
