"""What the verbs of `plumb app` share: Applications by name, what people read about them, and how they are changed."""
