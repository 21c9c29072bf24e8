variable "domain" {
  type = string
}

variable "vpc_id" {
  description = "Where the zone is answered from, for one that only we can see; everywhere if null."
  type        = string
  default     = null
}

variable "records" {
  type    = map(object({ type = string, values = list(string), ttl = optional(number, 300) }))
  default = {}
}

variable "tags" {
  type    = map(string)
  default = {}
}
