"""The steps of a look at a managed resource, one file for each."""
