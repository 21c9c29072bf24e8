name               = "staging"
region             = "eu-central-1"
zones              = ["eu-central-1a", "eu-central-1b"]
cidr               = "10.20.0.0/16"
domain             = "staging.shop.example.com"
kubernetes_version = "1.35"
