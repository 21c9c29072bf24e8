locals {
  zones = { for index, zone in var.zones : zone => index }
}

# No route leads out of them.
resource "terraform_data" "subnet" {
  for_each         = local.zones
  triggers_replace = [var.vpc_id, cidrsubnet(var.cidr, 4, each.value + 12)]
  input            = { zone = each.key, cidr = cidrsubnet(var.cidr, 4, each.value + 12), tags = var.tags }
}

resource "terraform_data" "subnet_group" {
  triggers_replace = [var.name]
  input            = { name = var.name, subnets = [for zone in var.zones : terraform_data.subnet[zone].id], tags = var.tags }

  # Databases stand in it, and those are made elsewhere: by claims.
  lifecycle {
    prevent_destroy = true
  }
}

resource "terraform_data" "security_group" {
  triggers_replace = [var.vpc_id]
  input = {
    name    = "${var.name}-databases"
    vpc     = var.vpc_id
    ingress = [for port in var.ports : { port = port, from = var.client_security_group_id }]
    tags    = var.tags
  }
}
