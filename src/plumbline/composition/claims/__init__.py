"""Claims: what somebody in a namespace asks for, bound to the one composite that is made for it."""
