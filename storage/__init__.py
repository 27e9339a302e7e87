"""Everything that survives a restart, and the coordination that may be lost. `actors.wiring` opens it."""
