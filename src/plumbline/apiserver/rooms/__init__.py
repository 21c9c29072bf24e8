"""Who answers which paths."""
