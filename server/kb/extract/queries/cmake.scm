; CMake. Commands are written in any case.

(function_def (function_command (argument_list . (argument) @name))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name))) @definition.macro
((normal_command (identifier) @_command (argument_list . (argument) @name)) @definition.target
  (#match? @_command "^(?i:add_library|add_executable|add_custom_target)$"))
((normal_command (identifier) @_command (argument_list . (argument) @_name . (argument) @name)) @definition.target
  (#match? @_command "^(?i:add_test)$") (#eq? @_name "NAME"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @definition.module
  (#match? @_command "^(?i:project)$"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @definition.variable
  (#match? @_command "^(?i:set|option|cmake_dependent_option)$"))

((normal_command (identifier) @_command (argument_list . (argument) @module)) @import
  (#match? @_command "^(?i:include|find_package|add_subdirectory)$"))

(normal_command (identifier) @reference.call)
((normal_command (identifier) @_command (argument_list (argument (unquoted_argument) @reference.use)))
  (#match? @_command "^(?i:target_link_libraries|add_dependencies)$")
  (#not-match? @reference.use "^(PUBLIC|PRIVATE|INTERFACE|LINK_PUBLIC|LINK_PRIVATE|LINK_INTERFACE_LIBRARIES)$"))

[(line_comment) (bracket_comment)] @comment
