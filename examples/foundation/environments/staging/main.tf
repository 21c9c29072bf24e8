terraform {
  required_version = ">= 1.8"
}

locals {
  tags = { environment = var.name, repository = "infrastructure" }
}

module "network" {
  source = "../../modules/network"
  name   = var.name
  cidr   = var.cidr
  zones  = var.zones
  tags   = local.tags
}

module "cluster" {
  source             = "../../modules/cluster"
  name               = var.name
  region             = var.region
  kubernetes_version = var.kubernetes_version
  vpc_id             = module.network.vpc_id
  subnet_ids         = module.network.private_subnet_ids
  tags               = local.tags
}

module "node_group" {
  source         = "../../modules/node-group"
  name           = "general"
  cluster_name   = module.cluster.name
  subnet_ids     = module.network.private_subnet_ids
  instance_types = ["m7g.large", "m6g.large"]
  capacity       = "SPOT"
  tags           = local.tags
}

module "dns" {
  source = "../../modules/dns"
  domain = var.domain
  vpc_id = module.network.vpc_id
  tags   = local.tags
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
