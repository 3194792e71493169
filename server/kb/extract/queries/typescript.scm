; Where a node can be told by what only it has, it is `_` inside of a pattern: (_ "=>" body: X) is an arrow function,
; (_ "function" body: X) a function or generator. Each one that is named by its type costs a process time to compile.

; Functions and classes. What exports them comes later, so that the range is the statement's.
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(class_body (_ name: (_) @name parameters: (_) body: (_) @body) @definition.method)
(object (_ name: (_) @name parameters: (_) body: (_) @body) @definition.method)

; Types, namespaces and their members.
(interface_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_body [(property_identifier) (string)] @name @definition.field)
(enum_assignment name: (_) @name) @definition.field
(internal_module name: (_) @name body: (_) @body) @definition.namespace
(module name: (_) @name body: (_) @body) @definition.namespace
(property_signature name: (_) @name) @definition.field
(method_signature name: (_) @name) @declaration.method
(abstract_method_signature name: (_) @name) @declaration.method
(function_signature name: (identifier) @name) @declaration.function

; Functions and classes that are values: `const f = () => {}`, `exports.f = function () {}`, `f: () => {}`, class fields.
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [(_ "=>" body: (_) @body) (_ "function" body: (_) @body)])) @definition.function
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [(_ "=>" body: (_) @body) (_ "function" body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(expression_statement (_
  left: (_ object: (_) @container property: [(property_identifier) (private_property_identifier)] @name)
  "=" right: [(_ "=>" body: (_) @body) (_ "function" body: (_) @body)])) @definition.function
(pair
  key: [(property_identifier) (string)] @name
  value: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition
  name: (_) @name
  value: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: (_) @name) @definition.field
(method_definition
  name: (property_identifier)
  parameters: (formal_parameters [
    (required_parameter (accessibility_modifier) pattern: (identifier) @name)
    (optional_parameter (accessibility_modifier) pattern: (identifier) @name)] @definition.field))

; Values of modules and namespaces.
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name))) @declaration.constant
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @declaration.variable

; `export` and `declare` in front widen the range; the exported name is an export.
(export_statement declaration: (_ name: (_) @name)) @definition.function
(ambient_declaration (_ name: (_) @name)) @definition.function
(export_statement declaration: (_ name: (_) @export))
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @export)))
(export_statement (export_clause (export_specifier name: (_) @export !alias)))
(export_statement (export_clause (export_specifier alias: (_) @export)))
(export_statement value: (identifier) @export)

; Uses.
(call_expression function: [
  (_ property: [(property_identifier) (private_property_identifier)] @reference.call)
  (identifier) @reference.call])
(new_expression constructor: [(_ property: (property_identifier) @reference.call) (identifier) @reference.call])
(type_identifier) @reference.type
(extends_clause value: (identifier) @reference.inherit)
(extends_clause value: (_ property: (property_identifier) @reference.inherit))
(implements_clause [
  (_ name: (type_identifier) @reference.inherit)
  (type_identifier) @reference.inherit])
(extends_type_clause type: [
  (_ name: (type_identifier) @reference.inherit)
  (type_identifier) @reference.inherit])
(decorator (identifier) @reference.use)

; Imports: `import`, `import x = require()`, `export ... from`, `require()`, `import()`.
(import_statement source: (string) @module) @import
(import_statement (import_clause (identifier) @import.name) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name))) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @import.name)) source: (string) @module) @import
(import_statement (import_require_clause (identifier) @import.name source: (string) @module)) @import
(export_statement source: (string) @module) @import
(export_statement (export_clause (export_specifier name: (_) @import.name)) source: (string) @module) @import
((call_expression function: (identifier) @_require arguments: (arguments . (string) @module)) @import
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @module)) @import

(class_body (decorator) @attach)
(comment) @comment
