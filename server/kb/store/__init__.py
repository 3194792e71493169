"""The only room that knows SQL: contents shared by all corpora, and the generations of one."""
