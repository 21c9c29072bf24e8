"""Identifiers and randomness from one seedable source, so that every schedule can be replayed."""

import random  # noqa: TID251 - this is the one place
import uuid

# Kubernetes leaves out vowels and look-alikes so that generated names spell no words.
_SAFE_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5


class Ids:
    """Names and chances. Seeded in tests; from the system's entropy otherwise."""

    def __init__(self, seed: int | None = None) -> None:
        self._random: random.Random = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311 - replay

    def uid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def suffix(self, length: int = _SUFFIX_LENGTH) -> str:
        """What the API server appends to `generateName`."""
        return "".join(self._random.choices(_SAFE_LETTERS, k=length))

    def jitter(self, value: float, fraction: float = 0.1) -> float:
        """*value* moved by at most *fraction* of itself either way."""
        return value * self._random.uniform(1 - fraction, 1 + fraction)

    def between(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)
