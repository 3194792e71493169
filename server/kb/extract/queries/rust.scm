; Functions; those in `impl` and `trait` become methods by what is around them.
(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @declaration.function

; Types and their members.
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @definition.struct
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(trait_item name: (type_identifier) @name body: (_) @body) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.field

; What an `impl` holds belongs to the type.
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (scoped_type_identifier name: (type_identifier) @name)
  (primitive_type) @name
  (reference_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (type_identifier) @name))]) @scope

; Modules, macros, values.
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(mod_item name: (identifier) @name !body) @declaration.module
(macro_definition name: (identifier) @name) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable

; Uses.
(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (field_identifier) @reference.call)
  (scoped_identifier name: (identifier) @reference.call)
  (generic_function function: [
    (identifier) @reference.call
    (scoped_identifier name: (identifier) @reference.call)
    (field_expression field: (field_identifier) @reference.call)])])
(macro_invocation macro: [(identifier) @reference.call (scoped_identifier name: (identifier) @reference.call)])
(impl_item trait: [
  (type_identifier) @reference.inherit
  (generic_type type: (type_identifier) @reference.inherit)
  (scoped_type_identifier name: (type_identifier) @reference.inherit)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @reference.inherit))])
(trait_item bounds: (trait_bounds [
  (type_identifier) @reference.inherit
  (generic_type type: (type_identifier) @reference.inherit)
  (scoped_type_identifier name: (type_identifier) @reference.inherit)]))
(type_identifier) @reference.type

; Imports and re-exports. What stands in braces is taken from the path before them.
(use_declaration argument: [(identifier) (scoped_identifier) (use_wildcard) (use_as_clause)] @module) @import
(use_declaration argument: (scoped_use_list path: (_) @module)) @import
(use_declaration argument: (scoped_use_list
  path: (_) @module
  list: (use_list [
    (identifier) @import.name
    (self) @import.name
    (scoped_identifier name: (identifier) @import.name)
    (use_as_clause path: [(identifier) @import.name (scoped_identifier name: (identifier) @import.name)])
    (scoped_use_list path: (_) @import.name)]))) @import
(use_declaration argument: (use_list (_) @module)) @import
(extern_crate_declaration name: (identifier) @module) @import
(use_declaration (visibility_modifier) argument: [
  (scoped_identifier name: (identifier) @export)
  (use_as_clause alias: (identifier) @export)
  (scoped_use_list list: (use_list [(identifier) @export (scoped_identifier name: (identifier) @export)]))])

; Items in the braces of a macro (`cfg_rt! { pub fn f() {} }`) are tokens to the grammar: read again as a file of items.
(source_file (macro_invocation (token_tree "{") @inject))
(source_file (expression_statement (macro_invocation (token_tree "{") @inject)))
(declaration_list (macro_invocation (token_tree "{") @inject))

(attribute_item) @attach
(line_comment) @comment
(block_comment) @comment
