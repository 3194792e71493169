; Functions and classes. What exports or assigns them comes later, so that the range is the statement's.
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(class_body (method_definition name: (_) @name body: (_) @body) @definition.method)
(object (method_definition name: (_) @name body: (_) @body) @definition.method)

; Functions and classes that are values: `const f = () => {}`, `exports.f = function () {}`, `f: () => {}`, class fields.
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(expression_statement (assignment_expression
  left: (member_expression object: (_) @container property: [(property_identifier) (private_property_identifier)] @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(expression_statement (assignment_expression
  left: (identifier) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(expression_statement (assignment_expression
  left: [(identifier) @name (member_expression property: (property_identifier) @name)]
  right: (class body: (_) @body))) @definition.class
(function_expression name: (identifier) @name body: (_) @body) @definition.function
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition property: (_) @name) @definition.field

; Values of the module.
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.constant)
(program (export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable)

; `export` in front widens the range; the exported name is an export.
(export_statement declaration: (_ name: (_) @name)) @definition.function
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(export_statement declaration: (_ name: (_) @export))
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @export)))
(export_statement (export_clause (export_specifier name: (_) @export !alias)))
(export_statement (export_clause (export_specifier alias: (_) @export)))
(export_statement value: (identifier) @export)

; Uses.
(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (property_identifier) @reference.call))
(jsx_opening_element name: (identifier) @reference.call)
(jsx_self_closing_element name: (identifier) @reference.call)
(class_heritage (identifier) @reference.inherit)
(class_heritage (member_expression property: (property_identifier) @reference.inherit))
(decorator (identifier) @reference.use)

; Imports: `import`, `export ... from`, `require()`, `import()`.
(import_statement source: (string) @module) @import
(import_statement (import_clause (identifier) @import.name) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name))) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @import.name)) source: (string) @module) @import
(export_statement source: (string) @module) @import
(export_statement (export_clause (export_specifier name: (_) @import.name)) source: (string) @module) @import
((call_expression function: (identifier) @_require arguments: (arguments . (string) @module)) @import
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @module)) @import

(comment) @comment
