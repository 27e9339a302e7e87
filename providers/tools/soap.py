"""SOAP over HTTP: envelopes out, bodies and faults in. Pure. Spec: abl-language 3.2.

Documents with a document type are refused, so no entity is ever expanded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from abl.expressions.values import text_of
from domain.json_values import JsonObject, JsonValue
from providers.tools.results import ToolFault

ENVELOPES: Final = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
MAX_NESTING: Final = 64

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_ENVELOPE = re.compile(r"\A\s*(?:<\?xml[^>]*\?>\s*)?<(?:[\w.-]+:)?Envelope\b")


@dataclass(frozen=True, slots=True)
class SoapAnswer:
    """The content of a body, or a fault with its code and sentence."""

    value: JsonValue
    fault_code: str = ""
    fault_text: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether the other side reports a fault."""
        return bool(self.fault_code)


def envelope(content: str, version: str) -> str:
    """Return `content` in an envelope; a text that is one already stays as it is."""
    if _ENVELOPE.match(content):
        return content
    space = ENVELOPES.get(version, ENVELOPES["1.1"])
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        f'<soap:Envelope xmlns:soap="{space}"><soap:Body>{content}</soap:Body></soap:Envelope>'
    )


def element(name: str, children: Mapping[str, JsonValue]) -> str:
    """Return an element with one child per parameter.

    Raises:
        ToolFault: A name cannot be one of XML.
    """
    inner = "".join(f"<{_named(key)}>{escape(text_of(value))}</{key}>" for key, value in children.items())
    return f"<{_named(name)}>{inner}</{name}>"


def operation_of(action: str) -> str:
    """Return the last part of a SOAP action, which names its operation."""
    return re.split(r"[/#:]", action.strip().rstrip("/"))[-1]


def soap_headers(action: str, version: str) -> dict[str, str]:
    """Return the headers that carry version and action."""
    if version == "1.2":
        named = f'; action="{action}"' if action else ""
        return {"Content-Type": f"application/soap+xml; charset=utf-8{named}"}
    return {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{action}"'}


def read_answer(body: bytes) -> SoapAnswer:
    """Return what the envelope in `body` holds.

    Raises:
        ToolFault: It is none.
    """
    root = _root(body)
    inner = next((child for child in root if _local(child.tag) == "Body"), None)
    if _local(root.tag) != "Envelope" or inner is None:
        raise ToolFault("tool_error", "INVALID_ANSWER", "The answer is no SOAP envelope")
    first = next(iter(inner), None)
    if first is not None and _local(first.tag) == "Fault":
        return _fault(first)
    return SoapAnswer(_json(inner, 0))


def _root(body: bytes) -> ET.Element:
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body or b"\0" in body:
        raise ToolFault("tool_error", "INVALID_ANSWER", "The answer has a document type, which is not read")
    try:
        return ET.fromstring(body)
    except (ET.ParseError, LookupError, ValueError) as error:
        raise ToolFault("tool_error", "INVALID_ANSWER", "The answer is not XML") from error


def _fault(fault: ET.Element) -> SoapAnswer:
    value = _json(fault, 0)
    found: JsonObject = value if isinstance(value, dict) else {}
    code, reason = found.get("faultcode", found.get("Code")), found.get("faultstring", found.get("Reason"))
    return SoapAnswer(value, _first_text(code) or "Fault", _first_text(reason) or "The service reports a fault")


def _first_text(value: JsonValue) -> str:
    while isinstance(value, dict | list):
        values = list(value.values()) if isinstance(value, dict) else value
        value = values[0] if values else ""
    return value if isinstance(value, str) else ""


def _json(node: ET.Element, depth: int) -> JsonValue:
    """Return an element as JSON: text of leaves, maps of children, lists where a name comes again, `@` attributes."""
    if depth > MAX_NESTING:
        raise ToolFault("tool_error", "INVALID_ANSWER", f"The answer is nested deeper than {MAX_NESTING}")
    attributes = {f"@{_local(name)}": value for name, value in node.attrib.items() if not _is_technical(name)}
    text = (node.text or "").strip()
    if not len(node):
        return {**attributes, "#text": text} if attributes else text
    found: JsonObject = dict(attributes)
    for child in node:
        name, value = _local(child.tag), _json(child, depth + 1)
        if name not in found:
            found[name] = value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]
    return found


def _is_technical(name: str) -> bool:
    return name.startswith(("{http://www.w3.org/2001/XMLSchema-instance}", "{http://www.w3.org/XML/"))


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ToolFault("invalid_input", "INVALID_PARAMETER", f"{name!r} is no name of an XML element")
    return name
