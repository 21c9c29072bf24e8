"""Is this object well? One answer for every kind."""
