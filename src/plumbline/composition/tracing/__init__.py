"""What an object is made of, down to the cloud, and why it is not ready: for whoever shows that to people."""
