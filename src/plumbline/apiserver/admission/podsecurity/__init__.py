"""Pod Security Standards: what pods may do, as the labels of their namespace say."""
