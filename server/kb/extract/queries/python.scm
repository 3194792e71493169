; Definitions. The decorated form comes later, so that the signature starts at `def` and the range at the decorator.
(function_definition
  name: (identifier) @name
  body: (block . (expression_statement . (string) @doc)) @body) @definition.function
(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function
(class_definition
  name: (identifier) @name
  body: (block . (expression_statement . (string) @doc)) @body) @definition.class
(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class
(decorated_definition
  definition: (_ name: (identifier) @name)) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type

; Values of modules and classes; those of functions are locals and dropped by the framework.
(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @definition.field))

; Uses.
(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.call))
(decorator (identifier) @reference.use)
(decorator (attribute attribute: (identifier) @reference.use))
(class_definition superclasses: (argument_list [
  (identifier) @reference.inherit
  (attribute attribute: (identifier) @reference.inherit)
  (subscript value: (identifier) @reference.inherit)]))
(type [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (generic_type (identifier) @reference.type)
  (subscript value: (identifier) @reference.type)
  (binary_operator (identifier) @reference.type)])
(except_clause value: (identifier) @reference.type)

; Exports: the names in `__all__`.
(module (expression_statement (assignment
  left: (identifier) @_all
  right: [
    (list (string (string_content) @export))
    (tuple (string (string_content) @export))]))
  (#eq? @_all "__all__"))

; Imports.
(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module)) @import
(import_from_statement
  module_name: (_) @module
  name: [(dotted_name) @import.name (aliased_import name: (dotted_name) @import.name)]) @import
(import_from_statement
  module_name: (_) @module
  (wildcard_import) @import.name) @import
(future_import_statement "__future__" @module name: (dotted_name) @import.name) @import

(comment) @comment
