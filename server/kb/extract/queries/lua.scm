; Lua. `M.f` is the function f of M.

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @container field: (_) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @container method: (_) @name)) @definition.method

; A function in an assignment, `local` or not, and in a table.
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition)))) @definition.function
(assignment_statement
  (variable_list . name: [
    (identifier) @name
    (dot_index_expression table: (_) @container field: (_) @name)
    (bracket_index_expression table: (_) @container field: (string) @name)])
  (expression_list . value: (function_definition))) @definition.function
(field name: (_) @name value: (function_definition)) @definition.function

; Variables of the file, and what it sets in its tables. A name for a required module is an import, no variable.
((chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.variable)
  (#not-match? @definition.variable "^local [\\w, ]+= *require\\b"))
(chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement
  (variable_list . name: [
    (identifier) @name
    (dot_index_expression table: (_) @container field: (_) @name)])) @definition.variable)

((function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @module))) @import
  (#eq? @_require "require"))

(function_call name: [
  (identifier) @reference.call
  (dot_index_expression field: (identifier) @reference.call)
  (method_index_expression method: (identifier) @reference.call)])

(comment) @comment
