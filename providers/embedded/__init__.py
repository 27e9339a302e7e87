"""The embedded model: where its weights come from, the process that serves them, and how a small model is spoken to."""
