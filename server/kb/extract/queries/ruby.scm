; Classes and modules; `class Foo::Bar` is owned by Foo.
(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.class
(class name: (scope_resolution !scope name: (constant) @name)) @definition.class
(module name: (constant) @name) @definition.module
(module name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.module
((assignment left: (constant) @name right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.class
  (#any-of? @_class "Struct" "Class" "Module" "Data")
  (#any-of? @_new "new" "define"))

; Methods.
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
((call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)) @definition.method
  (#any-of? @_define "define_method" "define_singleton_method" "scope" "test"))
((call method: (identifier) @_test arguments: (argument_list . (string (string_content) @name)) block: (_)) @definition.method
  (#any-of? @_test "test" "it" "describe" "context" "namespace"))
((call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name)) @definition.field
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor" "class_attribute"
    "thread_mattr_accessor" "attribute" "delegate" "has_many" "has_one" "belongs_to" "has_and_belongs_to_many"))
((call method: (identifier) @_alias arguments: (argument_list . (simple_symbol) @name)) @definition.method
  (#any-of? @_alias "alias_method" "alias_attribute"))
(alias name: [(identifier) (operator) (setter) (constant)] @name) @definition.method

; Constants and globals.
(assignment left: (constant) @name) @definition.constant
(program (assignment left: (global_variable) @name) @definition.variable)

; `private def x` widens the range.
(call arguments: (argument_list . (method name: (_) @name) .)) @definition.method

; Uses.
(call method: [(identifier) (constant)] @reference.call)
(superclass [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)])
((call method: (identifier) @_include arguments: (argument_list [
  (constant) @reference.inherit
  (scope_resolution name: (constant) @reference.inherit)]))
  (#any-of? @_include "include" "extend" "prepend"))
(call receiver: [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])

; Imports.
((call method: (identifier) @_require arguments: (argument_list . (string (string_content) @module))) @import
  (#any-of? @_require "require" "require_relative" "load" "require_dependency"))
((call method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) @import.name . (string (string_content) @module))) @import
  (#eq? @_autoload "autoload"))

(comment) @comment
