"""Product HTTP API, live stream, login and the static UI."""
