; inherits: c
; How inner nodes are told apart without their types is said in c.scm; further here: (_ ["&" "&&"] X) is a
; reference_declarator, (_ scope: X name: Y) a qualified_identifier, (_ name: X arguments: (_)) a template_type or
; template_function.

; Classes, namespaces, concepts and aliases.
(class_specifier
  name: [
    (_ name: (type_identifier) @name arguments: (_))
    (_ scope: (_) @container name: (type_identifier) @name)
    (type_identifier) @name]
  body: (_) @body) @definition.class
(struct_specifier
  name: [(_ name: (type_identifier) @name arguments: (_)) (_ scope: (_) @container name: (type_identifier) @name)]
  body: (_) @body) @definition.struct
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.interface

; Members, with a body and without.
(function_definition
  declarator: [
    (_ declarator: [(field_identifier) (operator_name) (destructor_name)] @name parameters: (_))
    (_ "*" declarator: (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_)))
    (_ ["&" "&&"] (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))]
  body: (_) @body) @definition.function
(function_definition
  declarator: [
    (_ declarator: [(field_identifier) (identifier) (operator_name) (destructor_name)] @name parameters: (_))
    (_ "*" declarator: (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))
    (_ ["&" "&&"] (_ declarator: [(field_identifier) (identifier) (operator_name)] @name parameters: (_)))]) @definition.function
(field_declaration
  declarator: [
    (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_))
    (_ "*" declarator: (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_)))
    (_ ["&" "&&"] (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_)))]) @declaration.method
(declaration
  declarator: [
    (_ declarator: [(destructor_name) (operator_name)] @name parameters: (_))
    (_ ["&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_)))]) @declaration.function
(field_declaration declarator: (_ ["&" "&&"] (field_identifier) @name)) @definition.field
(declaration_list (declaration declarator: [
  (_ "*" declarator: (identifier) @name)
  (_ declarator: (identifier) @name "[")
  (_ declarator: [
    (identifier) @name
    (_ "*" declarator: [(identifier) @name (_ declarator: (identifier) @name "[")])
    (_ declarator: [
      (identifier) @name
      (_ "*" declarator: (identifier) @name)
      (_ declarator: (identifier) @name "[")] "[")] value: (_))
  (identifier) @name]) @definition.variable)

; Definitions outside of their class: `ns::Foo::bar`.
(function_definition
  declarator: [
    (_ declarator: (_ scope: (_) @container name: [
      (_ scope: (_) @container name: [
        (_ scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name)
        (identifier) @name (operator_name) @name (destructor_name) @name])
      (_ name: (identifier) arguments: (_)) @name
      (identifier) @name (operator_name) @name (destructor_name) @name]) parameters: (_))
    (_ "*" declarator: (_ declarator: (_ scope: (_) @container name: [
      [(identifier) (operator_name)] @name
      (_ scope: (_) @container name: [(identifier) (operator_name)] @name)]) parameters: (_)))
    (_ ["&" "&&"] (_ declarator: (_ scope: (_) @container name: [
      [(identifier) (operator_name)] @name
      (_ scope: (_) @container name: [(identifier) (operator_name)] @name)]) parameters: (_)))]
  body: (_) @body) @definition.method
(declaration declarator: (_ declarator: (_ scope: (_) @container name: (identifier) @name) value: (_))) @definition.field

; `template <...>` in front widens the range.
(template_declaration (function_definition declarator: [
  (_ declarator: [(identifier) (field_identifier) (operator_name)] @name parameters: (_))
  (_ declarator: (_ "::" name: [(identifier) (operator_name) (destructor_name)] @name) parameters: (_))
  (_ declarator: (_ "::" name: (_ "::" name: [(identifier) (operator_name)] @name)) parameters: (_))
  (_ ["&" "&&"] (_ declarator: [(identifier) (field_identifier) (operator_name)] @name parameters: (_)))
  (_ ["&" "&&"] (_ declarator: (_ "::" name: [(identifier) (operator_name)] @name) parameters: (_)))
  (_ "*" declarator: (_ declarator: [(identifier) (field_identifier)] @name parameters: (_)))
  (_ "*" declarator: (_ declarator: (_ "::" name: (identifier) @name) parameters: (_)))])) @definition.function
(template_declaration (_ declarator: (_ declarator: (identifier) @name parameters: (_)) ";")) @declaration.function
(template_declaration (_ "class"
  name: [(type_identifier) @name (_ name: (type_identifier) @name arguments: (_))])) @definition.class
(template_declaration (_ "struct"
  name: [(type_identifier) @name (_ name: (type_identifier) @name arguments: (_))])) @definition.struct
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(template_declaration (concept_definition name: (identifier) @name)) @definition.interface

; Uses.
(call_expression function: [
  (_ "::" name: [
    (identifier) @reference.call
    (_ name: (identifier) @reference.call arguments: (_))
    (_ "::" name: [(identifier) @reference.call (_ "::" name: (identifier) @reference.call)])])
  (_ name: (identifier) @reference.call arguments: (_))
  (_ field: (_ name: (field_identifier) @reference.call arguments: (_)))])
(new_expression type: (type_identifier) @reference.call)
(base_class_clause [
  (type_identifier) @reference.inherit
  (_ name: (type_identifier) @reference.inherit arguments: (_))
  (_ "::" name: [(type_identifier) @reference.inherit (_ name: (type_identifier) @reference.inherit arguments: (_))])])
