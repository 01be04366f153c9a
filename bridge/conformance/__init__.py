"""Running hook programs against the contract, and what keeps the corpus."""
