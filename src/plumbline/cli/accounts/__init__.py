"""Accounts and what they may do, asked of a server, or read and written on the cluster itself."""
