"""Findings about tools: signatures, bindings, descriptions, libraries. Spec: abl-language 3.2."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "INVALID_TOOL_SIGNATURE",
        "error",
        "signature that cannot be read",
        message="Invalid tool signature: {value}[[ ({detail})]]. Write `name(parameter: type) -> type`; "
        "a name has letters, digits and `_`.",
        explanation="""
            A tool is declared by its name, its parameters in parentheses and, if you like, what it returns.
            This line cannot be read as one, so the agent does not have the tool.
            Names have letters, digits and `_` only: no spaces, dashes or points.
        """,
        wrong="""
            TOOLS:
              list-hubs() -> object
                description: "Lists all hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
    ),
    agent_rule(
        "RESERVED_TOOL_NAME",
        "error",
        "reserved tool name",
        message="Names starting with __ are reserved for system tools: rename {name}.",
        explanation="""
            Tools such as __handoff__ and __complete__ are added by the compiler.
            A tool of your own with two leading underscores could be taken for one of them.
            Leave out the underscores.
        """,
        wrong="""
            TOOLS:
              __list_hubs() -> object
                description: "Lists all hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
    ),
    agent_rule(
        "DUPLICATE_TOOL",
        "error",
        "tool declared twice",
        message='Duplicate TOOLS entry "{name}"[[; the first is in line {line}]]. Rename or remove one.',
        explanation="""
            A model and a CALL choose a tool by its name, so each name may be declared once.
            A tool imported from a library counts too.
            Rename one of the two, or delete the one that is out of date.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
              list_hubs() -> object
                description: "Lists the hubs of a country"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
              list_country_hubs() -> object
                description: "Lists the hubs of a country"
        """,
    ),
    rule(
        "TOO_MANY_TOOLS",
        "error",
        "more than 100 tools",
        message="Too many tools[[ ({value})]]: more than 100 cannot be given to one agent. Split the agent in two.",
        explanation="""
            All tools of an agent are described to the model on every turn.
            With more than 100 of them models choose badly and requests become too long.
            Give the tools to several agents and let a supervisor choose among these.
        """,
        wrong="",
        right="",
        example_note="There is no short example: it takes an agent with 101 tools.",
    ),
    agent_rule(
        "UNKNOWN_TYPE",
        "warning",
        "unknown type",
        message="{name} is not a known type. {suggestion}[[Known types are {known}.]]",
        explanation="""
            Types tell the model what to fill in, and the runtime what to check.
            A word that is not a type is treated like a text, so nothing is checked.
            Use one of the known types.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> objet
                description: "Lists all hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
    ),
    agent_rule(
        "DUPLICATE_PARAMETER",
        "error",
        "parameter declared twice",
        message="The parameter {name}[[ of {tool}]] is declared twice. Rename or remove one.",
        explanation="""
            Arguments are given by name, so each parameter of a tool needs a name of its own.
            Rename one of them.
        """,
        wrong="""
            TOOLS:
              count_days(first: date, first: date) -> number
                description: "Counts the days between two dates"
                parameters:
                  first:
                    description: "The earlier date"
        """,
        right="""
            TOOLS:
              count_days(first: date, last: date) -> number
                description: "Counts the days between two dates"
                parameters:
                  first:
                    description: "The earlier date"
                  last:
                    description: "The later date"
        """,
        also=("MISSING_PARAM_DESCRIPTION",),
    ),
    agent_rule(
        "E707",
        "error",
        "tool named like a system tool",
        message="{name} is the name of a system tool. Rename your tool.",
        explanation="""
            The compiler and the runtime add tools of their own: __handoff__, __delegate__, __complete__,
            __escalate__, __fan_out__, __set_context__ and __return_to_parent__.
            A tool of yours with such a name would never be called.
            Give it another name.
        """,
        wrong="""
            TOOLS:
              __handoff__() -> object
                description: "Passes the caller on"
        """,
        right="""
            TOOLS:
              pass_on() -> object
                description: "Passes the caller on"
        """,
        also=("RESERVED_TOOL_NAME",),
    ),
    agent_rule(
        "E720",
        "warning",
        "tool binding inside an agent",
        message="A tool binding does not belong into an agent[[ ({property} of {tool})]][[ ({detail})]]: "
        "move it to the tool catalogue or to a .tools.abl file.",
        explanation="""
            An agent says which tools it uses; how a tool is reached (endpoint, server, code, import lines)
            is a matter of the project, where it can be changed without touching the agent.
            The binding was used, so that a single file runs by itself. With strict it is refused.
            Move the binding into a .tools.abl file, and keep signature and description here.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                endpoint: "https://api.parcels.example/hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
        strict="error",
    ),
    rule(
        "E721",
        "error",
        "tool that cannot be found",
        message="The tool {name} cannot be found[[ in {value}]]. {suggestion}[[It has {known}.]]",
        explanation="""
            The agent imports a tool from a library, but the library, or the tool in it, does not exist.
            The agent would run without the tool.
            Check the path of the FROM line and the spelling of the name.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            TOOLS:
              FROM "./parcels.tools.abl" USE: list_hbus
            === parcels.tools.abl
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                endpoint: "https://api.parcels.example/hubs"
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            TOOLS:
              FROM "./parcels.tools.abl" USE: list_hubs
            === parcels.tools.abl
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                endpoint: "https://api.parcels.example/hubs"
        """,
        needs="a project",
        also=("E720",),
    ),
    agent_rule(
        "W721",
        "warning",
        "signature that differs from the catalogue",
        message="The signature of {name} differs from the tool catalogue[[: {detail}]]. The catalogue is used.",
        explanation="""
            The agent declares the tool with other parameters than the catalogue of the project has.
            The model would be told one thing and the tool expect another.
            Copy the signature from the catalogue.
        """,
        wrong="""
            TOOLS:
              list_hubs(land: string) -> object
                description: "Lists the hubs of a country"
                parameters:
                  land:
                    description: "Two letters"
        """,
        right="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists the hubs of a country"
                parameters:
                  country:
                    description: "Two letters"
        """,
        needs="the option tool_catalog, in which list_hubs has the parameter country",
    ),
    agent_rule(
        "LAMBDA_DEPRECATED",
        "warning",
        "lambda tool",
        message="The tool {name} is of the deprecated Lambda type and stays unbound: migrate it to HTTP or Sandbox.",
        explanation="""
            Tools of type lambda are no longer run. Calling this one fails.
            Give the function an address and make it an http tool, or move its code into a sandbox tool.
            With strict this is an error.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: lambda
                function: "list-hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
        strict="error",
        also=("E720", "TOOL_CANNOT_RUN"),
    ),
    agent_rule(
        "TOOL_CANNOT_RUN",
        "error",
        "kind of tool that nothing runs",
        message="The tool {name} is of the kind {value}, which cannot run here: every call of it fails. Use {known}.",
        explanation="""
            The runtime has no search index and no functions of its own, so that tools of these kinds never answer.
            Give the search or the function an address and make it an http tool, or bring it as an mcp tool,
            or move its code into a sandbox tool.
        """,
        wrong="""
            TOOLS:
              find_help(question: string) -> object
                description: "Searches the help pages"
                type: searchai
                index_id: "help"
        """,
        right="""
            TOOLS:
              find_help(question: string) -> object
                description: "Searches the help pages"
                type: http
                endpoint: "https://help.parcels.example/search"
                method: GET
        """,
        also=("E720", "MISSING_PARAM_DESCRIPTION"),
    ),
    agent_rule(
        "UNKNOWN_TOOL_TYPE",
        "error",
        "unknown kind of tool",
        message="There is no kind of tool {value}, so that every call of it would fail. {suggestion}"
        "[[Kinds that run here are {known}.]]",
        explanation="""
            The type of a tool says who runs it: a web address (http), an mcp server, a sandbox for its code and others.
            No other kind has a runner. A GraphQL or SOAP service is called over http.
        """,
        wrong="""
            TOOLS:
              find_help(question: string) -> object
                description: "Searches the help pages"
                type: graphql
        """,
        right="""
            TOOLS:
              find_help(question: string) -> object
                description: "Searches the help pages"
                type: http
                endpoint: "https://help.parcels.example/graphql"
                method: POST
        """,
        also=("E720", "MISSING_PARAM_DESCRIPTION"),
    ),
    agent_rule(
        "FAILURE_NOT_SEEN",
        "warning",
        "ON_FAILURE that error answers do not reach",
        message="ON_FAILURE of {step} does not run when {tool} answers with an error: `on_http_error` is data, "
        "so the answer counts as a result. Write `on_http_error: error`, or look at the result in ON_RESULT.",
        explanation="""
            With `on_http_error: data`, which is what holds where nothing is written, an answer such as 404 or 500
            is a result like any other: the step goes on as if the call had worked, and its texts have holes.
            ON_FAILURE then runs only when nothing answers at all.
            Write `on_http_error: error` at the tool, or test the result under ON_RESULT.
        """,
        wrong="""
            TOOLS:
              find_parcel() -> {status: string}
                description: "Finds a parcel"
                type: http
                endpoint: "https://parcels.example/find"
                on_http_error: data
            FLOW:
              look:
                REASONING: false
                CALL: find_parcel
                  AS: parcel
                RESPOND: "It is {{parcel.status}}."
                ON_FAILURE:
                  RESPOND: "I cannot look it up."
                  THEN: COMPLETE
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              find_parcel() -> {status: string}
                description: "Finds a parcel"
                type: http
                endpoint: "https://parcels.example/find"
                on_http_error: error
            FLOW:
              look:
                REASONING: false
                CALL: find_parcel
                  AS: parcel
                RESPOND: "It is {{parcel.status}}."
                ON_FAILURE:
                  RESPOND: "I cannot look it up."
                  THEN: COMPLETE
                THEN: COMPLETE
        """,
        also=("E720",),
    ),
    agent_rule(
        "MISSING_TOOL_DESCRIPTION",
        "warning",
        "tool without a description",
        message="The tool {name} has no description: add `description:` and say what it does.",
        explanation="""
            The description is what the model reads to decide whether and when to use a tool.
            Without it the model knows only the name, and calls the tool at the wrong time or not at all.
            Add a line `description:` below the signature.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
    ),
    agent_rule(
        "MISSING_PARAM_DESCRIPTION",
        "warning",
        "parameter without a description",
        message="The parameter {name}[[ of {tool}]] has no description: describe it under `parameters:`.",
        explanation="""
            The model fills in the parameters of a tool from their names and descriptions.
            Without a description it guesses formats and units.
            Add `parameters:` below the signature, and a description for each.
        """,
        wrong="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists the hubs of a country"
        """,
        right="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists the hubs of a country"
                parameters:
                  country:
                    description: "Two letters, for example DE"
        """,
    ),
)
