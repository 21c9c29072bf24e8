"""The one door for writes: authority, ownership, consent, fence, journal."""
