"""The conformance suite, which runs hook programs on runtimes and judges each runtime against the contract (docs/contract.md)."""
