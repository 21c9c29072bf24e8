"""States that take time: what moto has at once is `creating` for a while, and what is deleted stays to be seen going."""
