"""Services: what each type of them needs, and what goes when the type changes."""
