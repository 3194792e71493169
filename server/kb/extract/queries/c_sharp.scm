; Namespaces: with a body, or for the rest of the file.
(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace @rest

; Types.
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

; Members.
(method_declaration name: (identifier) @name body: (_) @body) @definition.method
(method_declaration name: (identifier) @name !body) @declaration.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(destructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(operator_declaration operator: _ @name body: (_) @body) @definition.method
(local_function_statement name: (identifier) @name body: (_) @body) @definition.function
(property_declaration name: (identifier) @name accessors: (_) @body) @definition.field
(property_declaration name: (identifier) @name) @definition.field
(event_declaration name: (identifier) @name) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(enum_member_declaration name: (identifier) @name) @definition.field
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.field))

; Uses.
; Inner nodes are told by what only they have, because each one that is named by its type costs a process time to compile:
; (_ X (type_argument_list)) is a generic name, (_ expression: _ name: X) a member, (_ qualifier: (_) name: X) a
; qualified name.
(invocation_expression function: [
  (_ expression: _ name: [(_ (identifier) @reference.call (type_argument_list)) (identifier) @reference.call])
  (_ condition: (_) (member_binding_expression name: (identifier) @reference.call))
  (_ (identifier) @reference.call (type_argument_list))
  (identifier) @reference.call])
(object_creation_expression type: [
  (_ (identifier) @reference.call (type_argument_list))
  (_ qualifier: (_) name: (identifier) @reference.call)
  (identifier) @reference.call])
(base_list [
  (_ (identifier) @reference.inherit (type_argument_list))
  (_ qualifier: (_) name: [(_ (identifier) @reference.inherit (type_argument_list)) (identifier) @reference.inherit])
  (primary_constructor_base_type type: (identifier) @reference.inherit)
  (identifier) @reference.inherit])
(attribute name: [(_ qualifier: (_) name: (identifier) @reference.use) (identifier) @reference.use])
(parameter type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(array_type type: (identifier) @reference.type)
(cast_expression type: (identifier) @reference.type)
(typeof_expression type: (identifier) @reference.type)
(catch_declaration type: (identifier) @reference.type)

; Imports.
(using_directive !name [(identifier) (qualified_name)] @module) @import
(using_directive name: (identifier) @import.name [(identifier) (qualified_name)] @module .) @import

(comment) @comment
