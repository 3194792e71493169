; Kotlin. An extension function is named by its function; its receiver stands in the signature.

(package_header (qualified_identifier) @name) @definition.namespace

; An enum first: it is a class declaration too. Objects, companions with a name and annotation classes are classes.
(class_declaration name: (identifier) @name (enum_class_body)) @definition.enum
(class_declaration "class" name: (identifier) @name) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(type_alias type: (identifier) @name) @definition.type
(enum_entry . (identifier) @name) @definition.constant
(function_declaration name: (identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name) @definition.method

; Properties of a file, a class, an enum and a primary constructor; locals are left out.
(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(class_parameter ["val" "var"] (identifier) @name) @definition.field

(import (qualified_identifier) @module) @import

(call_expression . (identifier) @reference.call)
(call_expression . (navigation_expression (identifier) @reference.call .))
(delegation_specifier [
  (user_type (identifier) @reference.inherit)
  (constructor_invocation (user_type (identifier) @reference.inherit))])
(user_type (identifier) @reference.type)

[(line_comment) (block_comment)] @comment
