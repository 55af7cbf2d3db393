"""Train and run superword tokenizers: BPE, BoundlessBPE and SuperBPE."""
