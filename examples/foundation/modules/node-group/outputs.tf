output "id" {
  value = terraform_data.node_group.id
}

output "role_id" {
  value = terraform_data.role.id
}
