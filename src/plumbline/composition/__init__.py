"""XRDs, Compositions and claims: compose resources and carry status up and down."""
