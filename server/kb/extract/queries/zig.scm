; Zig. A type is a constant whose value is its declaration.

(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(function_declaration name: (identifier) @name) @declaration.function
(variable_declaration (identifier) @name [(struct_declaration) (union_declaration) (opaque_declaration)]) @definition.struct
(variable_declaration (identifier) @name [(enum_declaration) (error_set_declaration)]) @definition.enum
(container_field name: (identifier) @name) @definition.field
(error_set_declaration (identifier) @name @definition.field)
(test_declaration (string) @name) @definition.function
(test_declaration (identifier) @name) @definition.function

; Constants and variables of a container; what only names an imported file is an import.
((source_file (variable_declaration "const" . (identifier) @name) @definition.constant)
  (#not-match? @definition.constant "^(pub )?const [A-Za-z0-9_]+ = @import"))
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
([(struct_declaration (variable_declaration . (identifier) @name) @definition.constant)
  (union_declaration (variable_declaration . (identifier) @name) @definition.constant)
  (enum_declaration (variable_declaration . (identifier) @name) @definition.constant)])

((builtin_function (builtin_identifier) @_import (arguments (string (string_content) @module))) @import
  (#eq? @_import "@import"))

(call_expression function: [(identifier) @reference.call (field_expression member: (identifier) @reference.call)])
(parameter type: (identifier) @reference.type)
(container_field type: (identifier) @reference.type)
(pointer_type (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(slice_type (identifier) @reference.type)
(error_union_type (identifier) @reference.type)
(struct_initializer (identifier) @reference.type)
(function_declaration type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)

(comment) @comment
