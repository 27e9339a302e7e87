"""The YAML form: text -> document, document -> text. Spec: abl-language 9."""

from abl.printer.yaml_form import to_yaml
from abl.yaml_form.document import parse_yaml

__all__ = ["parse_yaml", "to_yaml"]
