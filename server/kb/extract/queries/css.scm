; CSS. A rule is named by its selectors; classes and ids in them are uses of the names that pages give.

(rule_set (selectors) @name) @definition.key
(keyframes_statement (keyframes_name) @name) @definition.key
((declaration (property_name) @name) @definition.variable (#match? @name "^--"))

(import_statement [(string_value) @module (call_expression (arguments (_) @module))]) @import

(class_name (identifier) @reference.use)
(id_name) @reference.use
((plain_value) @reference.use (#match? @reference.use "^--"))

(comment) @comment
