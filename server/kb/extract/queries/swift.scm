; Swift. What an extension holds belongs to the type it extends. Where a node can be told by what only it holds, it is
; `_`: each one that is named by its type costs a process milliseconds to compile.

(class_declaration ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration "extension" name: (user_type) @name) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration . name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.constant

(_ "func" . name: _ @name body: (function_body) @body) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @declaration.method
(init_declaration name: "init" @name body: (_)? @body) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(operator_declaration (custom_operator) @name) @declaration.function
(macro_declaration (simple_identifier) @name) @definition.macro

; Properties of a file and of a type; locals are left out.
(source_file (_ name: (_ bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (_ name: (_ bound_identifier: (simple_identifier) @name)) @definition.field)
(enum_class_body (_ name: (_ bound_identifier: (simple_identifier) @name)) @definition.field)
(protocol_property_declaration name: (_ bound_identifier: (simple_identifier) @name)) @declaration.field

(import_declaration (identifier) @module) @import

(call_expression . [(_ suffix: (_ suffix: (simple_identifier) @reference.call)) (simple_identifier) @reference.call])
(constructor_expression constructed_type: (_ (type_identifier) @reference.call))
(inheritance_specifier inherits_from: (_ (type_identifier) @reference.inherit))
(user_type (type_identifier) @reference.type)

[(comment) (multiline_comment)] @comment
