"""How clusters join an installation and leave it: the Secret that describes each, and the account that we come as."""
