"""Who makes a request: certificates, tokens and impersonation, and what a cluster needs to issue them.

Import from its modules: certificates load a library that tokens do without.
"""
