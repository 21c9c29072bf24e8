"""Who approved is true: an API server asks here before it takes a PlanApproval, and it is known whether it does."""
