"""Who is calling: one module per kind of credential, none of which knows what the caller may do."""
