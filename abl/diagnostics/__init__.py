"""Diagnostics: what can be wrong with an ABL text, how it is said, shown and mended."""
