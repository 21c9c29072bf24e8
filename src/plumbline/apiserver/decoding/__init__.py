"""Request bodies as the API server decodes them: which bytes it takes, into which types, and what it says of the rest.

A good body is decoded once and checked in one walk. Only where something may be wrong is the text read a second time,
slowly, token by token, as Go would: that reading alone knows the server's words.
"""
