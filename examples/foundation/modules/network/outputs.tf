output "vpc_id" {
  value = terraform_data.vpc.id
}

output "cidr" {
  value = var.cidr
}

output "public_subnet_ids" {
  value = [for zone in var.zones : terraform_data.public_subnet[zone].id]
}

output "private_subnet_ids" {
  value = [for zone in var.zones : terraform_data.private_subnet[zone].id]
}
