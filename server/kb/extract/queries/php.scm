; Namespaces: with a body, or for the rest of the file.
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(namespace_definition name: (_) @name !body) @definition.namespace @rest

; Types and their members.
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.field
(method_declaration name: (name) @name body: (_) @body) @definition.method
(method_declaration name: (name) @name !body) @declaration.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
(const_declaration (const_element . (name) @name)) @definition.constant

; Functions and values of the file.
(function_definition name: (name) @name body: (_) @body) @definition.function
(program (expression_statement (assignment_expression
  left: (variable_name (name) @name)
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])) @definition.function)
((expression_statement (function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])))) @definition.constant
  (#eq? @_define "define"))

; Uses.
(function_call_expression function: [(name) @reference.call (qualified_name (name) @reference.call)])
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: [(name) @reference.type (qualified_name (name) @reference.type)])
(class_constant_access_expression . [(name) @reference.type (qualified_name (name) @reference.type)])
(object_creation_expression [(name) @reference.call (qualified_name (name) @reference.call)])
(named_type [(name) @reference.type (qualified_name (name) @reference.type)])
(base_clause [(name) @reference.inherit (qualified_name (name) @reference.inherit)])
(class_interface_clause [(name) @reference.inherit (qualified_name (name) @reference.inherit)])
(declaration_list (use_declaration [(name) @reference.inherit (qualified_name (name) @reference.inherit)]))
(attribute [(name) @reference.use (qualified_name (name) @reference.use)])

; Imports.
(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @module)) @import
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @import.name))) @import
(require_once_expression [(string) (encapsed_string)] @module) @import
(require_expression [(string) (encapsed_string)] @module) @import
(include_expression [(string) (encapsed_string)] @module) @import
(include_once_expression [(string) (encapsed_string)] @module) @import
(require_once_expression (binary_expression right: [(string) (encapsed_string)] @module)) @import
(require_expression (binary_expression right: [(string) (encapsed_string)] @module)) @import

(comment) @comment
