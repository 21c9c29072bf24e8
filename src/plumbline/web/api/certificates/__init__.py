"""`/api/v1/certificates`: host keys of ssh and certificates of TLS that servers of repositories are known by."""

from plumbline.web.api.certificates.api import Certificates

__all__ = ["Certificates"]
