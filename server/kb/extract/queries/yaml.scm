; YAML: the keys of a document and of the mappings right under it.

(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.key)))
(document (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.key))))))
(document (block_node (block_mapping (block_mapping_pair
  value: (flow_node (flow_mapping (flow_pair key: (_) @name) @definition.key))))))
(document (flow_node (flow_mapping (flow_pair key: (_) @name) @definition.key)))

(comment) @comment
