"""Secrets of type kubernetes.io/tls hold anything: what no library knows is a fault of theirs and no error of ours."""

import base64
import ssl

import pytest
from tests.apiserver.strategies.pairs import CERTIFICATE, KEY

from plumbline.apiserver.strategies.warnings.keypairs import key_pair_fault
from plumbline.gotemplate.sprig.certificates import certificates_of
from plumbline.gotemplate.sprig.told import Told


@pytest.fixture
def unknown_version():
    der = ssl.PEM_cert_to_DER_cert(CERTIFICATE)
    odd = der.replace(bytes((0xA0, 3, 2, 1, 2)), bytes((0xA0, 3, 2, 1, 9)), 1)
    assert odd != der
    return ssl.DER_cert_to_PEM_cert(odd)


def test_a_certificate_of_a_version_that_nobody_knows_is_malformed(unknown_version):
    pair = (base64.b64encode(each.encode()).decode() for each in (unknown_version, KEY))
    assert key_pair_fault(*pair) == "x509: malformed certificate"


def test_a_template_is_told_of_a_certificate_of_a_version_that_nobody_knows(unknown_version):
    with pytest.raises(Told, match="failed to parse certificate"):
        certificates_of(unknown_version)
