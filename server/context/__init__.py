"""What a person or a model is told around the evidence: orientation maps, cards about a name."""
