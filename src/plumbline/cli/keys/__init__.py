"""The work of `plumb keys`: sealing keys of a cluster, put where they survive it, and brought back."""
