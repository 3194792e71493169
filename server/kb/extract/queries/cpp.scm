; inherits: c
; Classes, namespaces, concepts and aliases.
(class_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @definition.class
(class_specifier name: (qualified_identifier scope: (_) @container name: (type_identifier) @name) body: (_) @body) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @definition.struct
(struct_specifier name: (qualified_identifier scope: (_) @container name: (type_identifier) @name) body: (_) @body) @definition.struct
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.interface

; Members, with a body and without.
(function_definition
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (identifier) (operator_name)] @name))]
  body: (_) @body) @definition.function
(function_definition
  declarator: [
    (function_declarator declarator: [(field_identifier) (identifier) (operator_name) (destructor_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (identifier) (operator_name)] @name))]) @definition.function
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))]) @declaration.method
(declaration
  declarator: [
    (function_declarator declarator: [(destructor_name) (operator_name)] @name)
    (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))]) @declaration.function
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field
(declaration_list (declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (array_declarator declarator: [
      (identifier) @name
      (pointer_declarator declarator: (identifier) @name)
      (array_declarator declarator: (identifier) @name)])])]) @definition.variable)

; Definitions outside of their class: `ns::Foo::bar`.
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier
      scope: (_) @container
      name: [(identifier) (operator_name) (destructor_name) (template_function name: (identifier))] @name))
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
      scope: (_) @container
      name: [(identifier) (operator_name)] @name)))
    (reference_declarator (function_declarator declarator: (qualified_identifier
      scope: (_) @container
      name: [(identifier) (operator_name)] @name)))]
  body: (_) @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier
      scope: (_) @container
      name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name)))
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
      scope: (_) @container
      name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name))))
    (reference_declarator (function_declarator declarator: (qualified_identifier
      scope: (_) @container
      name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name))))]
  body: (_) @body) @definition.method
(function_definition
  declarator: (function_declarator declarator: (qualified_identifier
    scope: (_) @container
    name: (qualified_identifier
      scope: (_) @container
      name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name))))
  body: (_) @body) @definition.method
(declaration declarator: (init_declarator declarator: (qualified_identifier
  scope: (_) @container name: (identifier) @name))) @definition.field

; `template <...>` in front widens the range.
(template_declaration (function_definition declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)
  (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name) (destructor_name)] @name))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name)] @name)))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name)] @name)))
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @name)))])) @definition.function
(template_declaration (declaration declarator: (function_declarator declarator: (identifier) @name))) @declaration.function
(template_declaration (class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])) @definition.class
(template_declaration (struct_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])) @definition.struct
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(template_declaration (concept_definition name: (identifier) @name)) @definition.interface

; Uses.
(call_expression function: [
  (qualified_identifier name: (identifier) @reference.call)
  (qualified_identifier name: (template_function name: (identifier) @reference.call))
  (qualified_identifier name: (qualified_identifier name: (identifier) @reference.call))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (identifier) @reference.call)))
  (template_function name: (identifier) @reference.call)
  (field_expression field: (template_method name: (field_identifier) @reference.call))])
(new_expression type: (type_identifier) @reference.call)
(base_class_clause [
  (type_identifier) @reference.inherit
  (template_type name: (type_identifier) @reference.inherit)
  (qualified_identifier name: (type_identifier) @reference.inherit)
  (qualified_identifier name: (template_type name: (type_identifier) @reference.inherit))])
