terraform {
  required_version = ">= 1.8"
}

locals {
  tags = { environment = var.name, repository = "infrastructure" }

  node_groups = {
    general = { instance_types = ["m7g.xlarge"], min = 3, max = 12, labels = {}, taints = [] }
    batch = {
      instance_types = ["c7g.2xlarge", "c6g.2xlarge"]
      min            = 0
      max            = 20
      labels         = { workload = "batch" }
      taints         = [{ key = "workload", value = "batch", effect = "NO_SCHEDULE" }]
    }
  }
}

module "network" {
  source       = "../../modules/network"
  name         = var.name
  cidr         = var.cidr
  zones        = var.zones
  nat_per_zone = true
  tags         = local.tags
}

module "cluster" {
  source             = "../../modules/cluster"
  name               = var.name
  region             = var.region
  kubernetes_version = var.kubernetes_version
  vpc_id             = module.network.vpc_id
  subnet_ids         = module.network.private_subnet_ids
  public_cidrs       = var.office_cidrs
  tags               = local.tags
}

module "node_group" {
  source         = "../../modules/node-group"
  for_each       = local.node_groups
  name           = each.key
  cluster_name   = module.cluster.name
  subnet_ids     = module.network.private_subnet_ids
  instance_types = each.value.instance_types
  capacity       = each.key == "batch" ? "SPOT" : "ON_DEMAND"
  min            = each.value.min
  max            = each.value.max
  labels         = each.value.labels
  taints         = each.value.taints
  tags           = local.tags
}

# There was one group of nodes, before there were several. Nothing is replaced for it.
moved {
  from = module.workers
  to   = module.node_group["general"]
}

module "dns" {
  source  = "../../modules/dns"
  domain  = var.domain
  records = { www = { type = "CNAME", values = ["ingress.${var.domain}"] } }
  tags    = local.tags
}

module "database_subnets" {
  source                   = "../../modules/database-subnets"
  name                     = var.name
  vpc_id                   = module.network.vpc_id
  cidr                     = module.network.cidr
  zones                    = var.zones
  client_security_group_id = module.cluster.security_group_id
  tags                     = local.tags
}
