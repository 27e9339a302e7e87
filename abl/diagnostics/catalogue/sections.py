"""Findings about top-level sections and their keywords. Spec: abl-language 1.5, 3.0."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "UNKNOWN_SECTION",
        "error",
        "unknown section",
        message="Unknown section: {name}. {suggestion}[[Valid sections are {known}.]]",
        explanation="""
            An unindented word in capitals followed by a colon starts a section. This one is not in the language.
            Nothing below it is read, so the agent would run without it.
            Correct the spelling. A step of a FLOW may not be written in capitals only, as it looks like a section.
        """,
        wrong="""
            LIMITATOINS:
              - "Cannot open customs cases"
        """,
        right="""
            LIMITATIONS:
              - "Cannot open customs cases"
        """,
    ),
    agent_rule(
        "DUPLICATE_SECTION",
        "error",
        "section written twice",
        message="Duplicate section {name}: [[it is already given in line {line}. ]]Merge the two into one.",
        explanation="""
            This section may stand only once in a document; only the first one is used.
            Lists and maps such as TOOLS, GATHER or HANDOFF may be repeated, they are merged.
            Two AGENT lines in one text are two documents: put each into a file of its own.
        """,
        wrong="""
            PERSONA: "Calm and brief"
            PERSONA: "Cheerful"
        """,
        right="""
            PERSONA: "Calm, brief and cheerful"
        """,
    ),
    agent_rule(
        "WRONG_CASE_SECTION",
        "warning",
        "section keyword in the wrong case",
        message="ABL keywords must be uppercase: {name}[[ should be {expected}]].",
        explanation="""
            Section keywords are written in capitals. In lowercase the line looks like a step or like the YAML form.
            The section was read all the same, but other readers of the language skip it.
            Write the keyword in capitals.
        """,
        wrong="""
            Limitations:
              - "Cannot open customs cases"
        """,
        right="""
            LIMITATIONS:
              - "Cannot open customs cases"
        """,
    ),
    agent_rule(
        "MISSING_COLON",
        "error",
        "section keyword without a colon",
        message="{name} needs a colon: write `{name}:`.",
        explanation="""
            A section is recognised by its keyword and the colon after it.
            Without the colon the line is plain text, and what stands below it belongs to the section above.
            Put a colon right after the keyword.
        """,
        wrong="""
            LIMITATIONS
              - "Cannot open customs cases"
        """,
        right="""
            LIMITATIONS:
              - "Cannot open customs cases"
        """,
    ),
    rule(
        "TEXT_OUTSIDE_SECTION",
        "warning",
        "text that belongs to no section",
        message="This line belongs to no section[[: {value}]]. {suggestion}Indent it below a section, "
        "or make it a comment with `#`.",
        explanation="""
            A line at the left margin is a section, a comment, or a step of a FLOW. This one is none of these.
            It was ignored, so the agent does not know about it.
            Indent it to make it part of the section above, give it a keyword, or put `#` before it.
        """,
        wrong="""
            Written by the parcel team.
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
        right="""
            # Written by the parcel team.
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
    ),
    agent_rule(
        "EMPTY_SECTION",
        "warning",
        "section without content",
        message="{name} is empty: write its content indented below it, or remove the line.",
        explanation="""
            The section has a keyword but nothing below it.
            Often its lines were not indented, or are commented out.
            Indent the lines that belong to it by two spaces, or delete the keyword.
        """,
        wrong="""
            CONVERSATION:

            PERSONA: "Calm and brief"
        """,
        right="""
            CONVERSATION:
              speaking:
                style: concise

            PERSONA: "Calm and brief"
        """,
    ),
    agent_rule(
        "TAB_INDENT",
        "warning",
        "tab in the indent",
        message="A tab in the indent counts as one column: use spaces.",
        explanation="""
            Indentation decides what belongs to what. A tab counts as one column, whatever your editor shows.
            Mixed with spaces, a line may end up in another block than it seems to.
            Replace tabs by spaces; `abl fmt` does it for the whole file.
        """,
        wrong="""
            LIMITATIONS:
            \t- "Cannot open customs cases"
        """,
        right="""
            LIMITATIONS:
              - "Cannot open customs cases"
        """,
    ),
    agent_rule(
        "MULTILINE_STRING",
        "warning",
        "quoted text over several lines",
        message="The quoted text goes on over several lines: write it as a block after `|`.",
        explanation="""
            A text in quotes ends on the line it began on. This one is closed on a later line.
            The lines were joined, but other readers of the language take only the first one.
            Write `|` after the colon and the lines below it, indented and without quotes.
        """,
        wrong="""
            PERSONA: "Calm and brief,
              never speculative"
        """,
        right="""
            PERSONA: |
              Calm and brief,
              never speculative
        """,
    ),
    agent_rule(
        "UNCLOSED_STRING",
        "warning",
        "quote that is never closed",
        message="The quote opened here is never closed[[: {value}]]. [[Add {expected} at the end of the text.]]",
        explanation="""
            A text that begins with a quote must end with one on the same line.
            The rest of the line was taken as the text; what follows may be read differently from what you meant.
            Add the missing quote.
        """,
        wrong="""
            PERSONA: "Calm and brief
        """,
        right="""
            PERSONA: "Calm and brief"
        """,
    ),
    agent_rule(
        "UNCLOSED_BRACKET",
        "error",
        "bracket that is never closed",
        message="A bracket is never closed[[ in {value}]].[[ Add {expected}.]]",
        explanation="""
            A list in `[ ]`, a map in `{ }` or a signature in `( )` has an opening bracket without its partner.
            The lines that follow cannot be told from its content.
            Add the closing bracket.
        """,
        wrong="""
            LIMITATIONS: ["Cannot open customs cases", "No delivery hours"
        """,
        right="""
            LIMITATIONS: ["Cannot open customs cases", "No delivery hours"]
        """,
    ),
    agent_rule(
        "TYPOGRAPHIC_QUOTE",
        "warning",
        "typographic quotes",
        message='{value} has typographic quotes: write plain ones (").',
        explanation="""
            Word processors and chats turn plain quotes into curly ones. Only plain quotes mark a text.
            The curly ones were read as quotes here; other readers make them part of the text.
            Replace them by plain quotes.
        """,
        wrong="""
            VERSION: \u201c2.1.0\u201d
        """,
        right="""
            VERSION: "2.1.0"
        """,
    ),
    agent_rule(
        "MODEL_SECTION",
        "warning",
        "MODEL section",
        message="MODEL is not a section: write `model:` under EXECUTION.[[ The value {value} was used.]]",
        explanation="""
            The model of an agent is one of its execution settings.
            The value was taken over; the newest version of the language refuses the section.
            Write `EXECUTION:` and below it `model:`. With strict this is an error.
        """,
        wrong="""
            MODEL: "small-local"
        """,
        right="""
            EXECUTION:
              model: "small-local"
        """,
        strict="error",
    ),
    agent_rule(
        "NESTING_TOO_DEEP",
        "error",
        "nesting that is too deep",
        message="This is nested too deeply[[: at most {expected} levels are read]]"
        "[[: at most {value} levels are read]].",
        explanation="""
            Brackets, maps or blocks stand inside each other more levels deep than is read.
            Such depth is hardly ever meant; often a bracket is missing somewhere before.
            Close the bracket, or write a simpler type.
        """,
        wrong=f"""
            TOOLS:
              list_hubs() -> {"{hub: " * 70}string{"}" * 70}
                description: "Lists all hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> {hub: string}
                description: "Lists all hubs"
        """,
    ),
)
