"""What the server takes but would rather not see: warnings in its words, in its order."""
