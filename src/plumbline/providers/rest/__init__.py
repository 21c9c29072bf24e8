"""What providers over REST share: words of forProvider against fields of an API, secrets, tokens and connections."""
