"""Jobs, and their end some time after they finished."""
