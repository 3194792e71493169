; Haskell. A signature and the equations below it are one definition (row flag `merge`).

(header module: (module) @name) @definition.module

; In a list of declarations, only signatures, functions and bindings are named by a variable or an operator. They are not
; named by their types, because each such node inside of a pattern costs a process milliseconds to compile.
(declarations [
  (_ name: [(prefix_id (operator) @name) (variable) @name])
  (_ names: (_ name: (variable) @name))
  (function (_ operator: [(infix_id (variable) @name) (operator) @name]))
] @definition.function)
(class_declarations [
  (_ name: [(prefix_id (operator) @name) (variable) @name])
  (default_signature (_ name: (variable) @name))
] @definition.method)
(instance_declarations [
  (_ name: [(prefix_id (operator) @name) (variable) @name])
  (function (_ operator: (operator) @name))
] @definition.method)
(foreign_import signature: (_ name: (variable) @name)) @declaration.function

(data_type name: (_) @name) @definition.struct
(newtype name: (_) @name) @definition.struct
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name) @definition.interface
(pattern_synonym (_ synonym: (_ function: (constructor) @name))) @definition.function

; What an instance holds belongs to its type.
(instance patterns: (type_patterns . [
  (_ constructor: (name) @name)
  (_ type: [
    (_ constructor: (name) @name)
    (_ constructor: (_ constructor: (name) @name))
    (_ constructor: (_ constructor: (_ constructor: (name) @name)))])
  (name) @name])) @scope

(data_constructor (_ name: (constructor) @name)) @definition.field
(data_constructor (_ operator: (constructor_operator) @name)) @definition.field
(newtype_constructor name: (constructor) @name) @definition.field
(gadt_constructor name: (constructor) @name) @definition.field
(field name: (field_name (variable) @name)) @definition.field

(import module: (module) @module) @import
(export [(variable) (name)] @export)

(apply function: [(_ id: (variable) @reference.call) (variable) @reference.call (constructor) @reference.call])
((infix left_operand: [(_ id: (variable) @reference.call) (variable) @reference.call] operator: (operator) @_applying)
  (#any-of? @_applying "$" "$!" "." "<$>" "=<<" "<=<" ">=>" "&&&" "***"))
((_ operator: (operator) @_composing right_operand: [(_ id: (variable) @reference.call) (variable) @reference.call])
  (#any-of? @_composing "." "=<<" ">>=" "<=<" ">=>" "&" "<&>" "&&&" "***"))
(infix operator: (_ (variable) @reference.call))
(instance name: (name) @reference.inherit)
(class context: (_ (_ (_ constructor: (name) @reference.inherit))))
(deriving classes: [(tuple (name) @reference.inherit) (name) @reference.inherit])
(name) @reference.type

[(comment) (haddock)] @comment
[(pragma)] @attach
