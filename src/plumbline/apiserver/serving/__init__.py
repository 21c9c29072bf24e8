"""The API over TLS on a socket."""
