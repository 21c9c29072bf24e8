# Staging, and what only providers can make: an authority for the cluster, a word to join it, and a file for people.
# The providers need no cloud either.

terraform {
  required_version = ">= 1.8"

  required_providers {
    local = {
      source  = "hashicorp/local"
      version = "~> 2.9"
    }
    random = {
      source  = "hashicorp/random"
      version = "~> 3.9"
    }
  }
}

# Several of them stand beside each other.
resource "random_pet" "name" {
  length = 2
}

module "foundation" {
  source             = "../staging"
  name               = random_pet.name.id
  region             = "eu-central-1"
  zones              = ["eu-central-1a", "eu-central-1b"]
  cidr               = var.cidr
  domain             = "${random_pet.name.id}.sandbox.example.com"
  kubernetes_version = var.kubernetes_version
}

module "credentials" {
  source = "../../modules/credentials"
  name   = module.foundation.cluster_name
}

# For people who run it on their own machine: what a controller writes into its scratch folder goes with the run.
resource "local_sensitive_file" "bootstrap" {
  count           = var.bootstrap_folder == null ? 0 : 1
  filename        = "${var.bootstrap_folder}/${module.foundation.cluster_name}"
  file_permission = "0600"
  content         = "${module.foundation.cluster_endpoint} ${module.credentials.join_token}\n"
}
