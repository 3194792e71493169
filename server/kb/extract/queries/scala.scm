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
(compilation_unit (_ "val" pattern: [(identifiers (identifier) @name) (identifier) @name]) @definition.variable)
; Their types are left open inside of what holds them: they alone have a pattern there, and each node that is named by its
; type costs a process milliseconds to compile.
(template_body (_ pattern: [(identifiers (identifier) @name) (identifier) @name]) @definition.field)
(enum_body (_ "val" pattern: (identifier) @name) @definition.field)
(with_template_body (_ "val" pattern: (identifier) @name) @definition.field)
(val_declaration name: (_) @name) @declaration.field
(var_declaration name: (_) @name) @declaration.field
(class_parameter ["val" "var"] name: (identifier) @name) @definition.field
(class_definition "case" class_parameters: (_ (_ name: (identifier) @name) @definition.field))

(import_declaration "import" . (identifier) @module . ("." . (identifier) @module)*) @import
(import_declaration "import" . (identifier) @module
  (namespace_selectors [(identifier) @import.name (arrow_renamed_identifier name: (_) @import.name) (as_renamed_identifier name: (_) @import.name)])) @import
(export_declaration path: (identifier) @export .)

(call_expression function: [
  (_ field: (identifier) @reference.call)
  (_ function: [(_ field: (identifier) @reference.call) (identifier) @reference.call] type_arguments: (_))
  (identifier) @reference.call])
(instance_expression [(type_identifier) @reference.call (generic_type type: (type_identifier) @reference.call)])
(extends_clause [(type_identifier) @reference.inherit (generic_type type: (type_identifier) @reference.inherit)])
(derives_clause (type_identifier) @reference.inherit)
(type_identifier) @reference.type
(infix_expression operator: (identifier) @reference.call)

[(comment) (block_comment)] @comment
