"""Rich content: what may stand under a RESPOND. Spec: abl-language 4."""

from __future__ import annotations

from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.node import Kind, Node, node

FORMAT_KEYS = {
    "DEFAULT": "default",
    "TEXT": "default",
    "MARKDOWN": "markdown",
    "HTML": "html",
    "ADAPTIVECARD": "adaptive_card",
    "SLACK": "slack",
    "AGUI": "ag_ui",
    "WHATSAPP": "whatsapp",
    "CAROUSEL": "carousel",
    "QUICKREPLIES": "quick_replies",
    "LIST": "list",
    "IMAGE": "image",
    "VIDEO": "video",
    "AUDIO": "audio",
    "FILE": "file",
    "KPI": "kpi",
    "TABLE": "table",
    "CHART": "chart",
    "FORM": "form",
    "PROGRESS": "progress",
    "FEEDBACK": "feedback",
}
"""Spelling without `_`, `-` and space, uppercased -> IR name. Spec: abl-language 4.2."""

TEXT_FORMATS = frozenset({"default", "markdown", "html"})
"""Formats whose value is always text; all others are structured where their text can be read as YAML or JSON."""

INPUT_TYPES = ("text", "number", "date", "time", "email")


@node
class Voice(Node):
    """What is spoken instead of the text. Spec: abl-language 4.1."""

    MAIN: ClassVar[str] = "plain_text"
    ssml: str = p.text("SSML", "Speech markup, used when the voice engine supports it.")
    instructions: str = p.text("INSTRUCTIONS", "How to speak, e.g. `warm, slow`.")
    plain_text: str = p.text("PLAIN_TEXT", "Text to speak when there is no SSML.")


@node
class Option(Node):
    """One choice of a SELECT element."""

    label: str = p.text("LABEL", "What the user sees.")
    id: str = p.name("ID", "Value that is sent when it is chosen.", aliases=("ACTION_ID", "NAME", "VALUE"))
    description: str = p.text("DESCRIPTION", "A second line under the label.", aliases=("SUBTITLE",))


@node
class Element(Node):
    """A button, select or input. Spec: abl-language 4.3."""

    type: str = p.choice("TYPE", "Kind of element.", "button", "select", "input")
    label: str = p.text("LABEL", "What the user sees.")
    id: str = p.name("ID", "Action id; by default made from the label.", aliases=("ACTION_ID", "NAME"))
    value: str = p.text("VALUE", "Value that is sent; by default the id.", aliases=("PAYLOAD",))
    url: str = p.code("URL", "Address to open instead of sending an action.")
    description: str = p.text("DESCRIPTION", "A second line under the label.", aliases=("SUBTITLE",))
    options: list[Option] = p.entries("OPTIONS", "Choices of a SELECT.", "Option", "dash")
    input_type: str = p.choice("INPUT_TYPE", "What an INPUT takes.", *INPUT_TYPES, open=True)
    placeholder: str = p.text("PLACEHOLDER", "Grey text in an empty INPUT.")
    required: bool | None = p.boolean("REQUIRED", "Whether the input must be filled.")


@node
class ActionSet(Node):
    """Interactive elements under a message."""

    REST: ClassVar[str] = "elements"

    submit_label: str = p.text("SUBMIT_LABEL", "Label of the button that sends all inputs.")
    submit_id: str = p.name("SUBMIT_ID", "Action id of that button.")
    render_id: str = p.name("RENDER_ID", "Id that comes back with the action, to tell renderings apart.")
    elements: list[Element] = p.entries("ELEMENTS", "Buttons, selects and inputs.", "Element", "dash")


@node
class Rich(Node):
    """Mixin of everything that can answer the user."""

    respond: str = p.special(Kind.RESPOND, "RESPOND", "Text sent to the user; may contain {{templates}}.")
    voice_config: Voice | None = p.special(Kind.NODE, "VOICE", "What is spoken instead of the text.", node="Voice")
    rich_content: dict[str, Any] | None = p.special(
        Kind.FORMATS, "FORMATS", "The same answer in other formats, by channel.", aliases=("RICH_CONTENT",)
    )
    actions: ActionSet | None = p.special(
        Kind.ELEMENTS, "ACTIONS", "Buttons, selects and inputs under the answer.", node="ActionSet"
    )
    carousel: Any = p.special(Kind.FREE, "CAROUSEL", "Cards to swipe: items with TITLE, SUBTITLE, IMAGE, BUTTONS.")


@node
class Template(Node):
    """A reusable response. Spec: abl-language 3.14."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    text: str = ""
    formats: dict[str, Any] | None = None
    voice: Voice | None = None
