"""Reading typed values out of what a user said, without a model. Spec: abl-language 3.3, 12.7, 14.4."""
