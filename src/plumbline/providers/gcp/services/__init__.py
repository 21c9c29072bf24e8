"""One file for each of Google's services: the tables of its kinds, and what no table can say."""
