"""Behind the verbs of `plumb tf`."""
