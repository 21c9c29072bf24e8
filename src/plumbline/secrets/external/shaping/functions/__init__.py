"""What templates of ExternalSecrets can call beside Go's own functions: Sprig's, and those that upstream adds.

Not there, by intent: what tells about where the process runs (`env`, `expandenv`, `getHostByName`), which is how values
once left it. Not there yet: `bcrypt` and `htpasswd`, which need a library, `derivePassword`, `semver`, `semverCompare`.
"""

from collections.abc import Mapping

from plumbline.gotemplate import Function, Surroundings, sprig
from plumbline.secrets.external.shaping.functions import certificates, decryption, encryption, jwk, pem, pkcs12, texts
from plumbline.secrets.external.shaping.functions.issuing import issuing
from plumbline.secrets.external.shaping.functions.told import Told

__all__ = ["Told", "functions"]


def functions(surroundings: Surroundings) -> Mapping[str, Function]:
    return {
        **pkcs12.FUNCTIONS,
        **pem.FUNCTIONS,
        **certificates.FUNCTIONS,
        **jwk.FUNCTIONS,
        **decryption.FUNCTIONS,
        **encryption.FUNCTIONS,
        **issuing(surroundings),
        **texts.FUNCTIONS,
        **sprig(surroundings),
    }
