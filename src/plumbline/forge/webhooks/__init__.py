"""What forges and registries say when somebody pushed, as values.

Nothing here trusts a payload: at most it makes us look at a repository that we would look at anyway, a little sooner.
So a payload without a secret to check it is taken, one with a wrong signature is not, and no payload, whatever it
holds, is anything but a tuple of `Push`, an `Ignored` with its reason, or an error that says what is wrong with it.

    said = read(headers, body, secrets)
"""

from plumbline.forge.webhooks.matching import matches, means, merged, moves
from plumbline.forge.webhooks.push import Ignored, Push
from plumbline.forge.webhooks.reading import read
from plumbline.forge.webhooks.signatures import Secrets

__all__ = ["Ignored", "Push", "Secrets", "matches", "means", "merged", "moves", "read"]
