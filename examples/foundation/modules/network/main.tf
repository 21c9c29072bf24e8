# terraform_data stands for the resources of a cloud: it has the same life, and needs no account.
# What a cloud cannot change in place is in triggers_replace.

locals {
  zones = { for index, zone in var.zones : zone => index }
  nat   = var.nat_per_zone ? local.zones : { (var.zones[0]) = 0 }
}

resource "terraform_data" "vpc" {
  triggers_replace = [var.cidr]
  input            = { name = var.name, cidr = var.cidr, tags = var.tags }

  # Everything lies in it.
  lifecycle {
    prevent_destroy = true
  }
}

resource "terraform_data" "internet_gateway" {
  input = { vpc = terraform_data.vpc.id, tags = var.tags }
}

resource "terraform_data" "public_subnet" {
  for_each         = local.zones
  triggers_replace = [terraform_data.vpc.id, cidrsubnet(var.cidr, 4, each.value)]
  input            = { zone = each.key, cidr = cidrsubnet(var.cidr, 4, each.value), public = true, tags = var.tags }
}

resource "terraform_data" "private_subnet" {
  for_each         = local.zones
  triggers_replace = [terraform_data.vpc.id, cidrsubnet(var.cidr, 3, each.value + 2)]
  input            = { zone = each.key, cidr = cidrsubnet(var.cidr, 3, each.value + 2), public = false, tags = var.tags }
}

# A rename that nothing notices: the subnets were called like this while there were only private ones.
moved {
  from = terraform_data.subnet
  to   = terraform_data.private_subnet
}

resource "terraform_data" "nat_gateway" {
  for_each = local.nat
  input    = { subnet = terraform_data.public_subnet[each.key].id, tags = var.tags }
}

resource "terraform_data" "private_route" {
  for_each = local.zones
  input = {
    subnet = terraform_data.private_subnet[each.key].id
    to     = "0.0.0.0/0"
    via    = terraform_data.nat_gateway[var.nat_per_zone ? each.key : var.zones[0]].id
  }
}
