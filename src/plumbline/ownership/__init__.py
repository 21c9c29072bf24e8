"""The ledger: every object and external resource has exactly one declared owner."""
