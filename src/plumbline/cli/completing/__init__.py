"""What shells offer while somebody types: verbs and options by click, names by asking, quickly and seldom."""
