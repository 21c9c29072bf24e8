"""What `plumb doctor` looks at: each check gives findings with a word, a reason and a way to repair it."""
