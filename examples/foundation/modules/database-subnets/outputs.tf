output "subnet_group" {
  value = terraform_data.subnet_group.output.name
}

output "subnet_ids" {
  value = [for zone in var.zones : terraform_data.subnet[zone].id]
}

output "security_group_id" {
  value = terraform_data.security_group.id
}
