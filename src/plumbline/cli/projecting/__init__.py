"""Projects made and changed from the command line."""
