# What a cluster needs to be trusted: an authority, and a word by which nodes join. Both are renewed in time.

resource "time_rotating" "authority" {
  rotation_days = var.rotation_days
}

resource "tls_private_key" "authority" {
  algorithm   = "ECDSA"
  ecdsa_curve = "P256"

  lifecycle {
    prevent_destroy = true
  }
}

resource "tls_self_signed_cert" "authority" {
  private_key_pem       = tls_private_key.authority.private_key_pem
  is_ca_certificate     = true
  validity_period_hours = 24 * var.rotation_days * 2
  early_renewal_hours   = 24 * var.rotation_days
  allowed_uses          = ["cert_signing", "crl_signing", "digital_signature"]

  subject {
    common_name  = var.name
    organization = "Platform"
  }
}

resource "random_password" "join" {
  length  = 32
  special = false
  keepers = { rotated = time_rotating.authority.id }
}
