output "certificate_authority" {
  value = tls_self_signed_cert.authority.cert_pem
}

output "join_token" {
  value     = random_password.join.result
  sensitive = true
}

output "rotates_at" {
  value = time_rotating.authority.rotation_rfc3339
}
