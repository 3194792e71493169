; Scala 2 and 3. Values and types at the level of a template are symbols, locals are not.

(package_clause name: (package_identifier) @name) @definition.namespace
(package_object name: (_) @name) @definition.module
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.interface
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.constant
(full_enum_case name: (_) @name) @definition.constant
(type_definition name: (_) @name) @definition.type
(given_definition name: (_) @name) @definition.constant

(function_definition name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @declaration.function

; Values of a file, a template, an enum, a given, and of the class itself (`class A(val x: Int)`, `case class B(y: Int)`).
(compilation_unit (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable)
(template_body (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.field)
(template_body (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.field)
(enum_body (val_definition pattern: (identifier) @name) @definition.field)
(with_template_body (val_definition pattern: (identifier) @name) @definition.field)
(val_declaration name: (_) @name) @declaration.field
(var_declaration name: (_) @name) @declaration.field
(class_parameter ["val" "var"] name: (identifier) @name) @definition.field
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))

(import_declaration "import" . (identifier) @module . ("." . (identifier) @module)*) @import
(import_declaration "import" . (identifier) @module
  (namespace_selectors [(identifier) @import.name (arrow_renamed_identifier name: (_) @import.name) (as_renamed_identifier name: (_) @import.name)])) @import
(export_declaration path: (identifier) @export .)

(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (identifier) @reference.call)
  (generic_function function: [(identifier) @reference.call (field_expression field: (identifier) @reference.call)])])
(instance_expression [(type_identifier) @reference.call (generic_type type: (type_identifier) @reference.call)])
(extends_clause [(type_identifier) @reference.inherit (generic_type type: (type_identifier) @reference.inherit)])
(derives_clause (type_identifier) @reference.inherit)
(type_identifier) @reference.type
(infix_expression operator: (identifier) @reference.call)

[(comment) (block_comment)] @comment
