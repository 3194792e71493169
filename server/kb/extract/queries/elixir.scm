; Elixir. Every definition is a call of a macro; clauses of one function are one definition (row flag `merge`).
; `(_ target: X . (_ ...))` is a call with arguments: only calls have both, and each node that is named by its type inside
; of a pattern costs a process milliseconds to compile.

((_ target: (identifier) @_kind . (_ . (alias) @name)
  (do_block (_ operand: (_ target: (identifier) @_doc (_ (string) @doc))))) @definition.module
  (#eq? @_kind "defmodule") (#eq? @_doc "moduledoc"))
((_ target: (identifier) @_kind . (_ . (alias) @name)) @definition.module (#eq? @_kind "defmodule"))
((_ target: (identifier) @_kind . (_ . (alias) @name)) @definition.interface (#eq? @_kind "defprotocol"))
((_ target: (identifier) @_kind . (_ . (alias) @name)) @scope (#eq? @_kind "defimpl"))

; `def f(x)`, `def f`, `def f(x) when ...`, and the operators that a module defines.
((_ target: (identifier) @_kind . (_ . [
    (_ left: [(_ target: (identifier) @name) (identifier) @name] operator: "when")
    (_ target: (identifier) @name)
    (identifier) @name])) @definition.function
  (#any-of? @_kind "def" "defp" "defdelegate" "defn" "defnp"))
((_ target: (identifier) @_kind . (_ . [
    (_ left: [(_ target: (identifier) @name) (identifier) @name] operator: "when")
    (_ target: (identifier) @name)
    (identifier) @name])) @definition.macro
  (#any-of? @_kind "defmacro" "defmacrop" "defguard" "defguardp"))
((_ target: (identifier) @name (arguments)) @definition.struct (#any-of? @name "defstruct" "defexception"))
((_ target: (identifier) @_kind . (_ . (string (quoted_content) @name)) (do_block)) @definition.namespace
  (#eq? @_kind "describe"))
((_ target: (identifier) @_kind . (_ . (string (quoted_content) @name)) (do_block)) @definition.function
  (#any-of? @_kind "test" "feature" "property"))

; Attributes: types, callbacks, documentation, inheritance, and what is left are constants of the module.
((_ operator: "@" operand: (_ target: (identifier) @_kind (arguments .
    (_ left: [(_ target: (identifier) @name) (identifier) @name] operator: "::")))) @definition.type
  (#any-of? @_kind "type" "typep" "opaque"))
((_ operator: "@" operand: (_ target: (identifier) @_kind . (_ . [
    (_ left: (_ target: (identifier) @name) operator: "::")
    (_ left: (_ left: (_ target: (identifier) @name) operator: "::") operator: "when")]))) @declaration.function
  (#any-of? @_kind "callback" "macrocallback"))
((_ operator: "@" operand: (_ target: (identifier) @_kind . (_ . (alias) @reference.inherit)))
  (#eq? @_kind "behaviour"))
((_ operator: "@" operand: (_ target: (identifier) . (_ . (string)))) @comment
  (#match? @comment "^@(type)?doc\\s"))
((_ operator: "@" operand: (_ target: (identifier))) @attach
  (#match? @attach "^@(spec|impl|deprecated|tag|dialyzer|doc (since|deprecated|false))\\b"))
((do_block (_ operator: "@" operand: (_ target: (identifier) @name . (_ . (_)))) @definition.constant)
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|type|typep|opaque|callback|macrocallback|impl|behaviour|deprecated|tag|moduletag|describetag|dialyzer|optional_callbacks|compile|derive|enforce_keys|before_compile|after_compile|on_definition|external_resource)$"))

((_ target: (identifier) @_kind . (_ . (alias) @reference.inherit)) (#eq? @_kind "use"))
((_ target: (identifier) @_kind . (_ . (alias) @module)) @import
  (#any-of? @_kind "use" "import" "alias" "require"))
((_ target: (identifier) @_kind . (_ . (_ left: (_) @module right: (tuple (alias) @import.name)))) @import
  (#any-of? @_kind "alias" "require" "import"))

((call target: (identifier) @reference.call)
  (#not-match? @reference.call "^(def[a-z]*|if|unless|case|cond|with|for|quote|unquote|use|import|alias|require|test|describe|doc|moduledoc|typedoc|spec|type|typep|opaque|callback|macrocallback|behaviour|impl|tag|moduletag)$"))
(_ target: (dot right: (identifier) @reference.call))
(_ operator: "|>" right: (identifier) @reference.call)
(alias) @reference.type

(comment) @comment
