"""Where root modules come from: GitRepositories, which are looked after here, and whatever else has an artifact."""
