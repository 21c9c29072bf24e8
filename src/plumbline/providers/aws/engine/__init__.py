"""The one External of every AWS kind, driven by tables."""
