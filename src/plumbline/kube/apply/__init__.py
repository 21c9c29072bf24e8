"""Server-side apply as pure functions: field sets, merging, ownership and conflicts."""
