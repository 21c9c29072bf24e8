"""What is stored: current objects, a revision counter over all of them, and the history that watches resume from."""
