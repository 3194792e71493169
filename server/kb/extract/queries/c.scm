; Declarators nest (pointers, arrays, function pointers), so the depths that occur are listed. They are told apart by what
; only they have, because a node that is named by its type inside of a pattern costs time whenever a process starts:
; (_ declarator: X parameters: (_)) is a function_declarator, (_ "*" declarator: X) a pointer_declarator,
; (_ declarator: X "[") an array_declarator, (_ "(" X) a parenthesized_declarator, (_ declarator: X value: (_)) an
; init_declarator.

; Functions.
(function_definition
  declarator: [
    (_ declarator: (identifier) @name parameters: (_))
    (_ "*" declarator: (_ declarator: (identifier) @name parameters: (_)))
    (_ "*" declarator: (_ "*" declarator: (_ declarator: (identifier) @name parameters: (_))))
    (_ "(" (_ declarator: (identifier) @name parameters: (_)))
    (_ declarator: (_ "(" (identifier) @name) parameters: (_))
    (_ declarator: (_ "(" (_ "*" declarator: (_ declarator: (identifier) @name parameters: (_)))) parameters: (_))]
  body: (_) @body) @definition.function
(declaration
  declarator: [
    (_ declarator: (identifier) @name parameters: (_))
    (_ "*" declarator: (_ declarator: (identifier) @name parameters: (_)))
    (_ "*" declarator: (_ "*" declarator: (_ declarator: (identifier) @name parameters: (_))))]) @declaration.function

; Types.
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(type_definition type: (_ "struct" body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (_ "union" body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (_ "enum" body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition
  declarator: [
    (_ "*" declarator: (type_identifier) @name)
    (_ declarator: (type_identifier) @name "[")
    (_ declarator: (_ "(" (_ "*" declarator: (type_identifier) @name)) parameters: (_))
    (_ declarator: (type_identifier) @name parameters: (_))
    (_ "*" declarator: (_ declarator: (_ "(" (_ "*" declarator: (type_identifier) @name)) parameters: (_)))
    (type_identifier) @name]) @definition.type

; Members.
(field_declaration
  declarator: [
    (_ "*" declarator: (field_identifier) @name)
    (_ "*" declarator: (_ "*" declarator: (field_identifier) @name))
    (_ declarator: (field_identifier) @name "[")
    (_ declarator: (_ declarator: (field_identifier) @name "[") "[")
    (_ "*" declarator: (_ declarator: (field_identifier) @name "["))
    (_ declarator: (_ "(" (_ "*" declarator: (field_identifier) @name)) parameters: (_))
    (_ "*" declarator: (_ declarator: (_ "(" (_ "*" declarator: (field_identifier) @name)) parameters: (_)))
    (field_identifier) @name]) @definition.field
(enumerator name: (identifier) @name) @definition.field

; Macros, and values of the file: declarations elsewhere are locals, and many.
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(preproc_def name: (identifier) @name !value) @definition.constant
(translation_unit (declaration declarator: [
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
(preproc_ifdef (declaration declarator: [
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
(preproc_if (declaration declarator: [
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
(preproc_else (declaration declarator: [
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

; Uses.
(call_expression function: [(_ field: (field_identifier) @reference.call) (identifier) @reference.call])
(type_identifier) @reference.type
; What a driver's table matches is defined in a device tree.
((initializer_pair
  designator: (field_designator (field_identifier) @_field)
  value: (string_literal (string_content) @reference.use))
  (#eq? @_field "compatible"))

; Imports.
(preproc_include path: [(string_literal (string_content) @module) (system_lib_string) @module]) @import

(comment) @comment
