"""What templates of ExternalSecrets can call beside Go's own functions: Sprig's, and those that upstream adds.

Not there, by intent: what tells about where the process runs (`env`, `expandenv`, `getHostByName`), which is how values
once left it, and `getSecretKey`, by which templates read Secrets of other namespaces.
"""

from collections.abc import Mapping

from plumbline.gotemplate import Function, Surroundings, sprig
from plumbline.gotemplate.sprig.told import Told
from plumbline.secrets.external.shaping.functions import certificates, decryption, jwk, pem, pkcs12, texts

__all__ = ["Told", "functions"]


def functions(surroundings: Surroundings) -> Mapping[str, Function]:
    return {
        **pkcs12.FUNCTIONS,
        **pem.FUNCTIONS,
        **certificates.FUNCTIONS,
        **jwk.FUNCTIONS,
        **decryption.FUNCTIONS,
        **texts.FUNCTIONS,
        **sprig(surroundings),
    }
