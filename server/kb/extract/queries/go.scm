; Functions and methods; the receiver is what owns a method.
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(function_declaration name: (identifier) @name !body) @declaration.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @container))
  name: (field_identifier) @name
  body: (_) @body) @definition.method

; Types and their members. A group `type ( ... )` has many, so its own range is not a definition's.
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name) @definition.field
(method_elem name: (field_identifier) @name) @declaration.method

; Values of the package.
(const_spec name: (identifier) @name) @definition.constant
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))

; One definition alone begins at its keyword.
(type_declaration . (type_spec name: (type_identifier) @name) .) @definition.type
(type_declaration . (type_alias name: (type_identifier) @name) .) @definition.type
(const_declaration . (const_spec name: (identifier) @name) .) @definition.constant
(source_file (var_declaration . (var_spec name: (identifier) @name) .) @definition.variable)

; Uses. An embedded type is what Go has for inheritance.
(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression field: (field_identifier) @reference.call))
(call_expression function: (parenthesized_expression (identifier) @reference.call))
(field_declaration !name type: [
  (type_identifier) @reference.inherit
  (qualified_type name: (type_identifier) @reference.inherit)
  (generic_type type: (type_identifier) @reference.inherit)])
(interface_type (type_elem [
  (type_identifier) @reference.inherit
  (qualified_type name: (type_identifier) @reference.inherit)]))
(type_identifier) @reference.type

; Imports.
(import_spec path: (_) @module) @import
(import_spec name: [(package_identifier) (dot) (blank_identifier)] @import.name path: (_) @module) @import

(comment) @comment
