; Elixir. Every definition is a call of a macro; clauses of one function are one definition (row flag `merge`).

((call target: (identifier) @_kind
  (arguments . (alias) @name)
  (do_block (unary_operator operand: (call target: (identifier) @_doc (arguments (string) @doc))))) @definition.module
  (#eq? @_kind "defmodule") (#eq? @_doc "moduledoc"))
((call target: (identifier) @_kind (arguments . (alias) @name)) @definition.module (#eq? @_kind "defmodule"))
((call target: (identifier) @_kind (arguments . (alias) @name)) @definition.interface (#eq? @_kind "defprotocol"))
((call target: (identifier) @_kind (arguments . (alias) @name)) @scope (#eq? @_kind "defimpl"))

; `def f(x)`, `def f`, `def f(x) when ...`, and the operators that a module defines.
((call target: (identifier) @_kind (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])) @definition.function
  (#any-of? @_kind "def" "defp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_kind (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])) @definition.macro
  (#any-of? @_kind "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @name (arguments)) @definition.struct (#any-of? @name "defstruct" "defexception"))
((call target: (identifier) @_kind (arguments . (string (quoted_content) @name)) (do_block)) @definition.namespace
  (#eq? @_kind "describe"))
((call target: (identifier) @_kind (arguments . (string (quoted_content) @name)) (do_block)) @definition.function
  (#any-of? @_kind "test" "feature" "property"))

; Attributes: types, callbacks, documentation, inheritance, and what is left are constants of the module.
((unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments .
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))) @definition.type
  (#any-of? @_kind "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments . [
    (binary_operator left: (call target: (identifier) @name) operator: "::")
    (binary_operator left: (binary_operator left: (call target: (identifier) @name) operator: "::") operator: "when")]))) @declaration.function
  (#any-of? @_kind "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments . (alias) @reference.inherit)))
  (#eq? @_kind "behaviour"))
((unary_operator operator: "@" operand: (call target: (identifier) (arguments . (string)))) @comment
  (#match? @comment "^@(type)?doc\\s"))
((unary_operator operator: "@" operand: (call target: (identifier))) @attach
  (#match? @attach "^@(spec|impl|deprecated|tag|dialyzer|doc (since|deprecated|false))\\b"))
((do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments . (_)))) @definition.constant)
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|type|typep|opaque|callback|macrocallback|impl|behaviour|deprecated|tag|moduletag|describetag|dialyzer|optional_callbacks|compile|derive|enforce_keys|before_compile|after_compile|on_definition|external_resource)$"))

((call target: (identifier) @_kind (arguments . (alias) @reference.inherit)) (#eq? @_kind "use"))
((call target: (identifier) @_kind (arguments . (alias) @module)) @import
  (#any-of? @_kind "use" "import" "alias" "require"))
((call target: (identifier) @_kind (arguments . (dot left: (_) @module right: (tuple (alias) @import.name)))) @import
  (#any-of? @_kind "alias" "require" "import"))

((call target: (identifier) @reference.call)
  (#not-match? @reference.call "^(def[a-z]*|if|unless|case|cond|with|for|quote|unquote|use|import|alias|require|test|describe|doc|moduledoc|typedoc|spec|type|typep|opaque|callback|macrocallback|behaviour|impl|tag|moduletag)$"))
(call target: (dot right: (identifier) @reference.call))
(binary_operator operator: "|>" right: (identifier) @reference.call)
(alias) @reference.type

(comment) @comment
