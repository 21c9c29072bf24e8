"""One file for each of Azure's services: the tables of its kinds, and what no table can say."""
