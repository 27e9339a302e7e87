"""The routes, one module per section of the API specification; each says whom it serves and what it answers."""
