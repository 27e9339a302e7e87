"""Tool runners: one per kind of binding. Spec: abl-language 3.2, 12.3."""
