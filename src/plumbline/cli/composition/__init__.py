"""What verbs about claims, composites and managed resources do, with a cluster and without."""
