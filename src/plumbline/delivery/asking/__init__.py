"""What people ask of Applications, as it is written on them: whoever asks, through whatever door."""
