"""What a pull request would change, as one report, one comment and one check."""
