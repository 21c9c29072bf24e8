"""Certificates of the authority that a conversion webhook is trusted by."""


def readable_ca_bundle(bundle: str) -> bool:
    """Whether a bundle, which is PEM in base64, holds a certificate that can be read."""
    import base64  # noqa: PLC0415 - only CRDs with conversion webhooks need it
    import binascii  # noqa: PLC0415 - same
    import ssl  # noqa: PLC0415 - same

    try:
        pem = base64.b64decode(bundle, validate=True).decode()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=pem)
    except (binascii.Error, ValueError, ssl.SSLError):
        return False
    return True
