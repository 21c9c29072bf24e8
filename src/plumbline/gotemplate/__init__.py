"""Go's text/template with Sprig, exact and bounded. Pure."""
