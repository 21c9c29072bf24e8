"""How flags change the spec of an Application: `plumb app create`, `set` and `unset`. Pure, and unknown fields stay."""
