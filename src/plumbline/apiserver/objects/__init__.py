"""What happens to an object on its way into the store and out of it, whoever asks and in whatever format."""
