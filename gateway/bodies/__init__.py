"""What requests and replies look like on the wire: pydantic models, one module per route module."""
