"""What is behind Applications: objects on their clusters, what pods print, what Git asks for. Asked of a cluster, or of a server."""
