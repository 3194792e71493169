; Haskell. A signature and the equations below it are one definition (row flag `merge`).

(header module: (module) @name) @definition.module

(declarations [
  (signature name: [(variable) @name (prefix_id (operator) @name)])
  (signature names: (binding_list name: (variable) @name))
  (function name: [(variable) @name (prefix_id (operator) @name)])
  (function (infix operator: [(operator) @name (infix_id (variable) @name)]))
  (bind name: (variable) @name)
] @definition.function)
(class_declarations [
  (signature name: [(variable) @name (prefix_id (operator) @name)])
  (default_signature (signature name: (variable) @name))
  (function name: (variable) @name)
  (bind name: (variable) @name)
] @definition.method)
(instance_declarations [
  (function name: [(variable) @name (prefix_id (operator) @name)])
  (function (infix operator: (operator) @name))
  (bind name: (variable) @name)
] @definition.method)
(foreign_import signature: (signature name: (variable) @name)) @declaration.function

(data_type name: (_) @name) @definition.struct
(newtype name: (_) @name) @definition.struct
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name) @definition.interface
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @definition.function

; What an instance holds belongs to its type.
(instance patterns: (type_patterns . [
  (name) @name
  (apply constructor: (name) @name)
  (parens type: [
    (apply constructor: (name) @name)
    (apply constructor: (apply constructor: (name) @name))
    (apply constructor: (apply constructor: (apply constructor: (name) @name)))])])) @scope

(data_constructor (prefix name: (constructor) @name)) @definition.field
(data_constructor (record name: (constructor) @name)) @definition.field
(data_constructor (infix operator: (constructor_operator) @name)) @definition.field
(newtype_constructor name: (constructor) @name) @definition.field
(gadt_constructor name: (constructor) @name) @definition.field
(field name: (field_name (variable) @name)) @definition.field

(import module: (module) @module) @import
(export [(variable) (name)] @export)

(apply function: [(variable) @reference.call (constructor) @reference.call (qualified id: (variable) @reference.call)])
((infix left_operand: [(variable) @reference.call (qualified id: (variable) @reference.call)] operator: (operator) @_applying)
  (#any-of? @_applying "$" "$!" "." "<$>" "=<<" "<=<" ">=>" "&&&" "***"))
((infix operator: (operator) @_composing right_operand: [(variable) @reference.call (qualified id: (variable) @reference.call)])
  (#any-of? @_composing "." "=<<" ">>=" "<=<" ">=>" "&" "<&>" "&&&" "***"))
(infix operator: (infix_id (variable) @reference.call))
(instance name: (name) @reference.inherit)
(class context: (context (_ (apply constructor: (name) @reference.inherit))))
(deriving classes: [(name) @reference.inherit (tuple (name) @reference.inherit)])
(name) @reference.type

[(comment) (haddock)] @comment
[(pragma)] @attach
