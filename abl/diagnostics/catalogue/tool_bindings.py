"""Findings about what a tool is bound to and what a call gives it. Spec: abl-language 3.2, 5.4."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import AGENT_HEAD, Rule, agent_rule, rule

_LIBRARY = """=== tools/hubs.tools.abl
TOOLS:
  list_hubs() -> object
    description: "Lists all hubs"
    type: http
    endpoint: "https://api.parcels.example/hubs"
"""


def _with_library(tool: str) -> str:
    agent = f'=== agents/desk.agent.abl\n{AGENT_HEAD}TOOLS:\n  {tool}() -> object\n    description: "Lists all hubs"\n'
    return agent + _LIBRARY


_NAMED_LIBRARY = "=== tools/hubs.tools.abl\nTOOLS: list_hubs\n"
_USER = f'=== agents/desk.agent.abl\n{AGENT_HEAD}TOOLS:\n  list_hubs() -> object\n    description: "Lists all hubs"\n'

ROWS: tuple[Rule, ...] = (
    rule(
        "TOOL_ONLY_NAMED",
        "warning",
        "tool of a library that is only a name",
        message="The library says nothing of the tool {name} but its name. Write `{name}(parameter: type) -> type` and "
        "a `type:` under it, or remove the name.",
        explanation="""
            A library says how its tools are called and where they lead. Of this one it says neither,
            so nobody could call it. Often the word behind `TOOLS:` was meant as the name of the library: it needs none.
            Write a signature and a binding, or remove the name.
        """,
        wrong="""
            TOOLS: hubs
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                endpoint: "https://api.parcels.example/hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                endpoint: "https://api.parcels.example/hubs"
        """,
    ),
    rule(
        "TOOL_WITHOUT_TYPE",
        "warning",
        "tool of a library that leads nowhere",
        message="The library does not say where the tool {name} leads: it runs with mocks only. "
        "Write `type:` under it, e.g. `type: http` and `endpoint:`.",
        explanation="""
            A library says how its tools are called and where they lead: `type:` and what the type needs.
            This one has a signature only, so a call reaches nothing and fails, unless the tool is mocked.
            Write the type, and for http the endpoint, for mcp the server, for sandbox the code.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                endpoint: "https://api.parcels.example/hubs"
        """,
    ),
    rule(
        "TOOL_NOT_BOUND",
        "error",
        "tool that leads nowhere",
        message="The tool {name} leads nowhere: its library has only the name. Write its signature and `type:` there.",
        explanation="""
            The agent takes this tool from a library of the project, and the library says nothing of it but its name.
            A call would reach nothing.
            Write in the library how the tool is called and where it leads.
        """,
        wrong=_USER + _NAMED_LIBRARY,
        right=_USER + _LIBRARY,
        needs="a project",
        also=("TOOL_ONLY_NAMED",),
    ),
    rule(
        "BINDING_INCOMPLETE",
        "error",
        "binding without what it needs",
        message="The tool {name} is of type {value} but has no {property}: it cannot be called. Add `{property}:`.",
        explanation="""
            The type says how the tool is reached, and a part without which nobody can reach it is not written.
            http and async_webhook need an endpoint, mcp a server, sandbox its code, workflow a workflow_id,
            connector a connector and an action.
            In an agent this is a warning, since the catalogue of a deployment may bind the tool anew.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                method: GET
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                endpoint: "https://api.parcels.example/hubs"
                method: GET
        """,
    ),
    rule(
        "UNKNOWN_ENDPOINT_PARAMETER",
        "warning",
        "placeholder that is no parameter",
        message="The endpoint of {tool} has a placeholder {name}, but no parameter of this name. {suggestion}"
        "[[Parameters are {known}.]]",
        explanation="""
            A name between single braces is replaced by the argument of that name when the tool is called.
            No parameter is called so, and the address would be sent with a hole in it.
            Correct the spelling, or add the parameter to the signature.
        """,
        wrong="""
            TOOLS:
              find_parcel(code: string) -> object
                description: "Looks a parcel up"
                type: http
                endpoint: "https://api.parcels.example/parcels/{cod}"
        """,
        right="""
            TOOLS:
              find_parcel(code: string) -> object
                description: "Looks a parcel up"
                type: http
                endpoint: "https://api.parcels.example/parcels/{code}"
        """,
    ),
    agent_rule(
        "UNKNOWN_PARAMETER",
        "warning",
        "description of an unknown parameter",
        message="The signature of {tool} has no parameter {name}. {suggestion}[[Parameters are {known}.]]",
        explanation="""
            The block `parameters:` says more of the parameters that stand in the signature.
            This name is not there but nearly one that is, so it became a parameter of its own.
            Correct the spelling here, or in the signature.
        """,
        wrong="""
            TOOLS:
              find_parcel(code: string) -> object
                description: "Looks a parcel up"
                parameters:
                  cdoe:
                    description: "The tracking code"
        """,
        right="""
            TOOLS:
              find_parcel(code: string) -> object
                description: "Looks a parcel up"
                parameters:
                  code:
                    description: "The tracking code"
        """,
        also=("MISSING_PARAM_DESCRIPTION",),
    ),
    agent_rule(
        "UNKNOWN_IMMUTABLE_PARAMETER",
        "warning",
        "immutable name that is no parameter",
        message="{tool} has no parameter {name} that could be immutable. {suggestion}[[Parameters are {known}.]]",
        explanation="""
            What the user has agreed to must not change before the call: that is what `immutable` protects.
            A name that is no parameter protects nothing.
            Correct the spelling, or remove the name.
        """,
        wrong="""
            TOOLS:
              open_claim(amount: number) -> object
                description: "Opens a claim"
                parameters:
                  amount:
                    description: "In euros"
                immutable: [amuont]
        """,
        right="""
            TOOLS:
              open_claim(amount: number) -> object
                description: "Opens a claim"
                parameters:
                  amount:
                    description: "In euros"
                immutable: [amount]
        """,
    ),
    agent_rule(
        "PRIVATE_ENDPOINT",
        "warning",
        "tool inside the network",
        message="The tool {name} calls a private address[[ ({value})]]: it is refused unless the deployment allows it.",
        explanation="""
            Private, loopback and link-local hosts are inside your own network.
            Calls of them are refused, because an agent could be talked into reading or changing internal services.
            Use a public host, or allow this host in the settings of the deployment.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                endpoint: "http://localhost:8080/hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                type: http
                endpoint: "https://api.parcels.example/hubs"
        """,
        also=("E720",),
    ),
    rule(
        "TOOL_NOT_IN_LIBRARY",
        "warning",
        "tool that no library has",
        message="No tool library of the project has the tool {name}. {suggestion}",
        explanation="""
            The agent says which tools it uses; how they are reached is said by a tool library of the same name.
            No library has this name, but one has nearly the same, so the tool would never be bound.
            Correct the spelling.
        """,
        wrong=_with_library("list_hbus"),
        right=_with_library("list_hubs"),
        needs="a project",
    ),
    rule(
        "LIBRARY_TOOL_UNUSED",
        "warning",
        "tool that is called otherwise",
        message="No agent uses the tool {name}[[, but there is no {value}]]. {suggestion}",
        explanation="""
            A tool library says how tools are reached. No agent has a tool of this name; several times, they use one
            of nearly this name, which no library has. So the tool would never be bound.
            Give it the name that the agents use.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look:
                REASONING: false
                CALL: list_hubs() AS hubs
                RESPOND: "{{hubs}}"
                THEN: COMPLETE
            === hubs.tools.abl
            TOOLS:
              list_hbus() -> object
                type: http
                endpoint: "https://api.parcels.example/hubs"
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look:
                REASONING: false
                CALL: list_hubs() AS hubs
                RESPOND: "{{hubs}}"
                THEN: COMPLETE
            === hubs.tools.abl
            TOOLS:
              list_hubs() -> object
                type: http
                endpoint: "https://api.parcels.example/hubs"
        """,
        needs="a project",
    ),
    agent_rule(
        "UNKNOWN_CALL_ARGUMENT",
        "warning",
        "argument that is no parameter",
        message="The tool {tool} has no parameter {name}. {suggestion}[[Parameters are {known}.]]",
        explanation="""
            Arguments can be given by name, in parentheses or under WITH; each name has to be that of a parameter.
            The tool is called without the value that stands here.
            Correct the spelling, or add the parameter to the signature of the tool.
        """,
        wrong="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists all hubs"
            FLOW:
              entry_point: look
              look:
                REASONING: false
                CALL: list_hubs
                  WITH:
                    contry: "DE"
                  AS: hubs
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists all hubs"
            FLOW:
              entry_point: look
              look:
                REASONING: false
                CALL: list_hubs
                  WITH:
                    country: "DE"
                  AS: hubs
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "CALL_ARITY",
        "warning",
        "too many or too few arguments",
        message="The tool {name} takes {expected}[[ ({known})]], but {detail}.",
        explanation="""
            Arguments in parentheses belong to the parameters of the signature, in their order.
            One that has no parameter is dropped; a required parameter without an argument makes the call fail.
            Give one argument for each parameter, or write no parentheses to take all of them from the state by name.
        """,
        wrong="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists all hubs"
            FLOW:
              entry_point: look
              look:
                REASONING: false
                CALL: list_hubs("DE", "Berlin")
                  AS: hubs
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              list_hubs(country: string) -> object
                description: "Lists all hubs"
            FLOW:
              entry_point: look
              look:
                REASONING: false
                CALL: list_hubs("DE")
                  AS: hubs
                THEN: COMPLETE
        """,
    ),
)
