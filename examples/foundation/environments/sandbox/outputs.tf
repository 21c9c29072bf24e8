output "cluster_endpoint" {
  value = module.foundation.cluster_endpoint
}

output "certificate_authority" {
  value = module.credentials.certificate_authority
}

output "join_token" {
  value     = module.credentials.join_token
  sensitive = true
}

output "database_subnet_group" {
  value = module.foundation.database_subnet_group
}
