; JSON: the keys of the document and of the objects right under it. Anchored at the top, so that a large file stays cheap.

(document (object (pair key: (string) @name) @definition.key))
(document (object (pair value: (object (pair key: (string) @name) @definition.key))))
(document (array (object (pair key: (string) @name) @definition.key)))

(comment) @comment
