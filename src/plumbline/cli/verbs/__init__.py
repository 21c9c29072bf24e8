"""One module per verb; each has its command as `verb`."""
