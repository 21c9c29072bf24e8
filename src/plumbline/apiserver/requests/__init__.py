"""From an HTTP request to an operation on objects, and from its result to the answer."""
