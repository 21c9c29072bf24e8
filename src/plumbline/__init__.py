"""Git says what is true; Plumbline keeps everything hanging straight from it."""
