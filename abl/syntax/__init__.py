"""The tree: node classes that describe their own properties. Spec: abl-language 11."""
