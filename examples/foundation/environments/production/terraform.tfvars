name               = "production"
region             = "eu-central-1"
zones              = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
cidr               = "10.10.0.0/16"
domain             = "shop.example.com"
kubernetes_version = "1.34"
office_cidrs       = ["198.51.100.0/24"]
