output "name" {
  value = terraform_data.cluster.output.name
}

output "endpoint" {
  value = "https://${terraform_data.cluster.id}.${var.region}.eks.example.com"
}

output "oidc_issuer" {
  value = "https://oidc.eks.${var.region}.example.com/id/${terraform_data.cluster.id}"
}

output "security_group_id" {
  value = terraform_data.security_group.id
}
