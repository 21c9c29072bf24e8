"""What every HTTP server of ours has in common: bounds on what clients may send, and how slowly. No framework."""
