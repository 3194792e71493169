"""Trees as people speak of them: which one is meant, what its owner says of it, and how its index is."""
