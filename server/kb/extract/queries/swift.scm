; Swift. What an extension holds belongs to the type it extends.

(class_declaration ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration "extension" name: (user_type) @name) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration . name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.constant

(function_declaration name: (simple_identifier) @name body: (_) @body) @definition.function
(function_declaration "func" . name: _ @name body: (_) @body) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @declaration.method
(init_declaration name: "init" @name body: (_)? @body) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(operator_declaration (custom_operator) @name) @declaration.function
(macro_declaration (simple_identifier) @name) @definition.macro

; Properties of a file and of a type; locals are left out.
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @declaration.field

(import_declaration (identifier) @module) @import

(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(constructor_expression constructed_type: (user_type (type_identifier) @reference.call))
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.inherit))
(user_type (type_identifier) @reference.type)

[(comment) (multiline_comment)] @comment
