"""Findings about a text as a whole: what kind it is, its name and its goal. Spec: abl-language 2, 3.1."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, rule

ROWS: tuple[Rule, ...] = (
    rule(
        "NOT_TEXT",
        "error",
        "source that is not text",
        message="Cannot parse non-string ABL source: expected text[[, got {name}]].",
        explanation="""
            The functions of this package read text. They were given another type, such as bytes or a mapping.
            Nothing can be read from it, so there is no document.
            Decode bytes first (UTF-8), and write a mapping out as YAML before parsing it.
        """,
        wrong="",
        right="",
        example_note="Wrong: parse(b'AGENT: Parcel_Desk'). Right: parse(b'AGENT: Parcel_Desk'.decode()).",
    ),
    rule(
        "UNDETECTED_TYPE",
        "error",
        "text of an unknown kind",
        message="Unable to detect document type: start with SUPERVISOR:, AGENT:, BEHAVIOR_PROFILE: or TOOLS:, "
        "or use YAML with lowercase keys. {suggestion}",
        explanation="""
            The first line that is neither blank nor a comment decides what a text is.
            An agent starts with AGENT:, a supervisor with SUPERVISOR:, a tool library with TOOLS:,
            a behaviour profile with BEHAVIOR_PROFILE:. The YAML form starts with a lowercase key such as agent:.
            Without such a line nothing of the text is read. Put the header first.
        """,
        wrong="""
            This agent helps people to find their parcels.
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
    ),
    rule(
        "MISSING_AGENT",
        "error",
        "missing AGENT line",
        message="Missing required AGENT: declaration. Begin the text with `AGENT: Some_Name` "
        "(or `SUPERVISOR: Some_Name`).",
        explanation="""
            Every agent has a name: other agents hand over to it by that name.
            The text has sections of an agent but no line that names it, so no document can be made.
            Write `AGENT: Your_Agent` as the first line.
        """,
        wrong="""
            GOAL: "Help people find their parcels"
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
        needs='type="agent-based"',
    ),
    rule(
        "EXPECTED_AGENT",
        "error",
        "agent expected",
        message="Expected AGENT: at the start of the text[[, found {name}]].",
        explanation="""
            The text was to be read as an agent, but it is a document of another kind.
            Write AGENT: as the first line, or read the text with the function for its own kind (parse finds it).
        """,
        wrong="""
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
        needs="parse_agent",
    ),
    rule(
        "EXPECTED_SUPERVISOR",
        "error",
        "supervisor expected",
        message="Expected SUPERVISOR: at the start of the text[[, found {name}]].",
        explanation="""
            The text was to be read as a supervisor, but it is a document of another kind.
            Write SUPERVISOR: as the first line, or read the text with the function for its own kind (parse finds it).
        """,
        wrong="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
        right="""
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
        """,
        needs="parse_supervisor",
    ),
    rule(
        "EXPECTED_TOOLS",
        "error",
        "tool library expected",
        message="Expected TOOLS: section, got: {value}. A tool library begins with the line `TOOLS:`.",
        explanation="""
            A file named .tools.abl is a tool library: it holds one TOOLS: section and nothing else.
            The first line is something else, so its tools cannot be read and no agent can import them.
            Move the tools under `TOOLS:`, or give the file the name of what it holds (.agent.abl).
        """,
        wrong="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
        needs='type="tools"',
    ),
    rule(
        "NO_TOOLS_SECTION",
        "error",
        "tool library without tools",
        message="No TOOLS: section found. A tool library begins with the line `TOOLS:`, its tools below it.",
        explanation="""
            The text was to be read as a tool library, but it is empty or holds only comments.
            Agents that import tools from it will not find them.
            Write `TOOLS:` and the signatures of the tools below it.
        """,
        wrong="""
            # the tools of the parcel desk
        """,
        right="""
            # the tools of the parcel desk
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
        needs='type="tools"',
    ),
    rule(
        "AGENT_NAME_MISSING",
        "error",
        "header without a name",
        message="The [[{section} ]]line has no name: write one after the colon, for example `AGENT: Parcel_Desk`.",
        explanation="""
            The name is how other agents, deployments and traces refer to this one.
            Without it no document is made.
            Write the name on the same line as the keyword.
        """,
        wrong="""
            AGENT:
            GOAL: "Help people find their parcels"
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
    ),
    rule(
        "AGENT_NAME_STYLE",
        "info",
        "unusual agent name",
        message="The name {name} is not an identifier: use letters, digits and `_`[[, for example {expected}]].",
        explanation="""
            Names of agents are used as targets of HANDOFF and DELEGATE, where only the first word is read,
            and in file names and addresses.
            By custom they are written Pascal_With_Underscores. Replace spaces and signs by `_`.
        """,
        wrong="""
            AGENT: Parcel-Desk!
            GOAL: "Help people find their parcels"
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
    ),
    rule(
        "GOAL_REQUIRED",
        "error",
        "missing GOAL",
        message='GOAL is required: say what the agent is for, for example `GOAL: "Help people find their parcels"`.',
        explanation="""
            The goal is the first thing the model is told, and what a supervisor knows about the agent.
            An agent without a goal answers whatever comes to mind.
            Add a GOAL: line with one or two sentences.
        """,
        wrong="""
            AGENT: Parcel_Desk
            PERSONA: "Calm and brief"
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            PERSONA: "Calm and brief"
        """,
    ),
    rule(
        "GOAL_MISSING",
        "warning",
        "scripted agent without GOAL",
        message="GOAL is required by the newest version of the language[[; {agent} has none]]. "
        "It was let pass because every step is scripted.",
        explanation="""
            An agent whose FLOW has no reasoning step runs without a goal.
            Newer versions want one all the same: it describes the agent to supervisors and to people.
            Add a GOAL: line. With strict this is an error.
        """,
        wrong="""
            AGENT: Parcel_Desk
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Tell the opening hours"
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        strict="error",
    ),
    rule(
        "CONTENT_BEFORE_AGENT",
        "warning",
        "section before the header",
        message="Something stands before the AGENT: line[[ ({name})]][[: {value}]]. Move it below the header.",
        explanation="""
            A document starts with its AGENT: or SUPERVISOR: line; only comments and blank lines may stand above.
            The section was read all the same, but other readers of the language refuse the file.
            Move it below the header.
        """,
        wrong="""
            PERSONA: "Calm and brief"
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            PERSONA: "Calm and brief"
        """,
    ),
    rule(
        "MARKDOWN_FENCE",
        "warning",
        "markdown fence around the document",
        message="This line[[ ({value})]] is a markdown fence, not ABL. Remove it.",
        explanation="""
            The text was copied with its markdown fence (three backticks) from a page or from a chat.
            The fence is skipped and the rest is read, but other readers of the language will refuse the file.
            Delete the opening and the closing fence.
        """,
        wrong="""
            ```abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            ```
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
        """,
    ),
    rule(
        "REPEATED_TOO_OFTEN",
        "error",
        "text repeated too often",
        message="The agent repeats {name} here and elsewhere, [[more than {value} characters ]]in all.",
        explanation="""
            What a template, an entity, a field or the goal says is put wherever it is named.
            A long one that is named very often would make the agent many times as large as its text.
            From this place on it is left out. Shorten it, or name it in fewer places.
            A long list of values belongs into LOOKUP_TABLES.
        """,
        wrong="",
        right="",
        example_note="There is no short example: it takes a very long text that is named very often.",
    ),
    rule(
        "TOO_MANY_DIAGNOSTICS",
        "warning",
        "more findings than are shown",
        message="Only the first findings are shown[[ ({value})]]; mend these and check again.",
        explanation="""
            One slip near the top of a file can make hundreds of lines look wrong.
            The list is cut so that the first, telling findings are not lost.
            Mend the first one and check again.
        """,
        wrong="",
        right="",
        example_note="There is no short example: it takes a text with a very large number of faults.",
    ),
    rule(
        "TEXT_TOO_LARGE",
        "error",
        "more than one document may hold",
        message="{detail}: this text holds more entries than one document may have. Split it.",
        explanation="""
            Memory and time are kept in proportion to the size of a text, whatever stands in it.
            A text of any size is read to its end, as long as its lines and entries are of an ordinary length.
            Thousands of entries of one or two characters are more than that; often another text was pasted in.
            Either the rest of the text is not read, or all of it is read but its agent is not compiled and checked;
            the message says which.
            Split the text into several documents, or remove what does not belong to it.
        """,
        wrong="",
        right="",
        example_note="There is no short example: it takes a text of thousands of very short entries.",
    ),
    rule(
        "DUPLICATE_AGENT",
        "error",
        "two agents of one name",
        message="There are two agents named {name} in this project[[; the other one is in {value}]]. Rename one.",
        explanation="""
            Agents of one project are told apart by their names.
            With two of the same name a HANDOFF or DELEGATE could mean either of them.
            Rename one of them, or delete the copy.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            === copy.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people with claims"
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            === claims.agent.abl
            AGENT: Claims_Desk
            GOAL: "Help people with claims"
        """,
        needs="a project",
    ),
)
