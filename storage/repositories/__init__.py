"""One aggregate per module; every method takes the tenant first, and no row leaves."""
