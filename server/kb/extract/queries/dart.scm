; Dart. A signature and the body behind it are siblings: the pattern with the body only widens the range.

(class_definition name: (identifier) @name) @definition.class
(mixin_declaration (mixin) . (identifier) @name) @definition.class
(extension_declaration name: (identifier) @name) @definition.class
(extension_declaration class: (type_identifier) @reference.inherit)
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.field
(type_alias "typedef" . (type_identifier) @name . "=") @definition.type
(type_alias (type_identifier) @name . (formal_parameter_list)) @definition.type

(method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature (binary_operator) @name)
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @definition.method
(declaration [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @definition.method
(declaration [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) @declaration.method
(program (function_signature name: (identifier) @name) @definition.function)
(program (getter_signature name: (identifier) @name) @definition.function)
(local_function_declaration (lambda_expression parameters: (function_signature name: (identifier) @name))) @definition.function

((method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature (binary_operator) @name)
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) . (function_body) @definition.method)
(program (function_signature name: (identifier) @name) . (function_body) @definition.function)
(program (getter_signature name: (identifier) @name) . (function_body) @definition.function)

(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.field
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @definition.variable)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.constant)

(import_specification (configurable_uri) @module) @import
(import_specification (configurable_uri) @module (combinator "show" (identifier) @import.name)) @import
(library_export (configurable_uri) @module) @import
(part_directive (uri) @module) @import

((identifier) @reference.call . (selector (argument_part)))
((selector [
  (unconditional_assignable_selector (identifier) @reference.call)
  (conditional_assignable_selector (identifier) @reference.call)]) . (selector (argument_part)))
(superclass (type_identifier) @reference.inherit)
(mixins (type_identifier) @reference.inherit)
(interfaces (type_identifier) @reference.inherit)
(annotation name: (identifier) @reference.use)
(type_identifier) @reference.type

[(comment) (documentation_comment)] @comment
