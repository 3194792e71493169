; Only calls have a method, so that `(_ method: ...)` is a call; a node that is named by its type inside of a pattern costs
; a process milliseconds to compile.

; Classes and modules; `class Foo::Bar` is owned by Foo.
(class name: [
  (_ scope: (_) @container name: (constant) @name)
  (_ !scope name: (constant) @name)
  (constant) @name]) @definition.class
(module name: [(_ scope: (_) @container name: (constant) @name) (constant) @name]) @definition.module
((assignment left: (constant) @name right: (_ receiver: (constant) @_class method: (identifier) @_new)) @definition.class
  (#any-of? @_class "Struct" "Class" "Module" "Data")
  (#any-of? @_new "new" "define"))

; Methods.
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
((_ method: (identifier) @_define arguments: (_ . (simple_symbol) @name)) @definition.method
  (#any-of? @_define "define_method" "define_singleton_method" "scope" "test"))
((_ method: (identifier) @_test arguments: (_ . (string (string_content) @name)) block: (_)) @definition.method
  (#any-of? @_test "test" "it" "describe" "context" "namespace"))
((_ method: (identifier) @_attr arguments: (_ (simple_symbol) @name)) @definition.field
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor" "class_attribute"
    "thread_mattr_accessor" "attribute" "delegate" "has_many" "has_one" "belongs_to" "has_and_belongs_to_many"))
((_ method: (identifier) @_alias arguments: (_ . (simple_symbol) @name)) @definition.method
  (#any-of? @_alias "alias_method" "alias_attribute"))
(alias name: [(identifier) (operator) (setter) (constant)] @name) @definition.method

; Constants and globals.
(assignment left: (constant) @name) @definition.constant
(program (_ left: (global_variable) @name "=") @definition.variable)

; `private def x` widens the range.
(_ arguments: (argument_list . (_ "def" name: (_) @name) .)) @definition.method

; Uses.
(_ method: (identifier) @reference.call)
(_ method: (constant) @reference.call)
(superclass [(_ name: (constant) @reference.inherit) (constant) @reference.inherit])
((_ method: (identifier) @_include arguments: (_ [
  (_ name: (constant) @reference.inherit)
  (constant) @reference.inherit]))
  (#any-of? @_include "include" "extend" "prepend"))
(call receiver: [(_ name: (constant) @reference.type) (constant) @reference.type])

; Imports.
((_ method: (identifier) @_require arguments: (_ . (string (string_content) @module))) @import
  (#any-of? @_require "require" "require_relative" "load" "require_dependency"))
((_ method: (identifier) @_autoload arguments: (_ . (simple_symbol) @import.name . (string (string_content) @module))) @import
  (#eq? @_autoload "autoload"))

(comment) @comment
