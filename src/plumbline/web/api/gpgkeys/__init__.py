"""`/api/v1/gpgkeys`: public keys of those whose signatures count."""

from plumbline.web.api.gpgkeys.api import GpgKeys

__all__ = ["GpgKeys"]
