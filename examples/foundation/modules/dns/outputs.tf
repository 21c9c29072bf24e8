output "zone_id" {
  value = terraform_data.zone.id
}

output "domain" {
  value = var.domain
}
