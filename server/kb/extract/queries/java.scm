; Types and their members.
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
(enum_constant name: (identifier) @name) @definition.field
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(method_declaration name: (identifier) @name body: (_) @body) @definition.method
(method_declaration name: (identifier) @name !body) @declaration.method
(annotation_type_element_declaration name: (identifier) @name) @declaration.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(module_declaration name: (_) @name body: (_) @body) @definition.module

; Uses.
(method_invocation name: (identifier) @reference.call)
(method_reference (identifier) @reference.call .)
(object_creation_expression type: [
  (type_identifier) @reference.call
  (generic_type (type_identifier) @reference.call)
  (scoped_type_identifier (type_identifier) @reference.call .)])
(superclass [
  (type_identifier) @reference.inherit
  (generic_type (type_identifier) @reference.inherit)
  (scoped_type_identifier (type_identifier) @reference.inherit .)])
(type_list [
  (type_identifier) @reference.inherit
  (generic_type (type_identifier) @reference.inherit)
  (scoped_type_identifier (type_identifier) @reference.inherit .)])
(marker_annotation name: (identifier) @reference.use)
(annotation name: (identifier) @reference.use)
(type_identifier) @reference.type

; Imports.
(import_declaration [(scoped_identifier) (identifier)] @module) @import
(import_declaration [(scoped_identifier) (identifier)] @module (asterisk) @import.name) @import

(line_comment) @comment
(block_comment) @comment
