# What applications, claims and other root modules use. Whoever takes one away takes it from them.

output "vpc_id" {
  value = module.network.vpc_id
}

output "private_subnet_ids" {
  value = module.network.private_subnet_ids
}

output "cluster_name" {
  value = module.cluster.name
}

output "cluster_endpoint" {
  value = module.cluster.endpoint
}

output "oidc_issuer" {
  value = module.cluster.oidc_issuer
}

output "dns_zone_id" {
  value = module.dns.zone_id
}

output "domain" {
  value = module.dns.domain
}

output "database_subnet_group" {
  value = module.database_subnets.subnet_group
}

output "database_security_group_id" {
  value = module.database_subnets.security_group_id
}
