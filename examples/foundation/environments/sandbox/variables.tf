variable "cidr" {
  type    = string
  default = "10.30.0.0/16"
}

variable "kubernetes_version" {
  type    = string
  default = "1.35"
}

variable "bootstrap_folder" {
  description = "Where a file is written with which a node can join; nowhere if null."
  type        = string
  default     = null
}
