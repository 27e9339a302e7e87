"""Findings about behaviour profiles. Spec: abl-language 3.18."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, rule

ROWS: tuple[Rule, ...] = (
    rule(
        "PROFILE_MISSING_PRIORITY",
        "error",
        "profile without a priority",
        message="The profile {name} has no PRIORITY: add one, for example `PRIORITY: 10`.",
        explanation="""
            When several profiles apply at once, the one with the highest priority wins.
            Without PRIORITY it is not known where this one stands.
            Add a whole number, 0 or more.
        """,
        wrong="""
            BEHAVIOR_PROFILE: phone-callers
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
        right="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
    ),
    rule(
        "PROFILE_MISSING_WHEN",
        "error",
        "profile without a condition",
        message='The profile {name} has no WHEN: say when it applies, for example `WHEN: channel == "voice"`.',
        explanation="""
            A profile changes the behaviour of an agent while its condition holds.
            Without WHEN it is not known when that is.
            Add a condition; `WHEN: true` makes it apply always.
        """,
        wrong="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            INSTRUCTIONS: "Speak in short sentences."
        """,
        right="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
    ),
    rule(
        "PROFILE_INLINE_SECTION",
        "error",
        "profile line inside an agent",
        message="{name} belongs to a behaviour profile, but stands outside one. "
        "Put it below a `BEHAVIOR_PROFILE: name` line.",
        explanation="""
            PRIORITY and WHEN at the left margin belong to a behaviour profile. In an agent they may stand only
            right below its BEHAVIOR_PROFILE line, which any other section ends.
            Here nothing reads them.
            Move them below the line, or into a .behavior_profile.abl file.
        """,
        wrong="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            PRIORITY: 20
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
    ),
    rule(
        "PROFILE_INVALID_WHEN",
        "error",
        "profile condition that cannot be read",
        message="The WHEN of the profile {name} cannot be read[[ (`{value}`)]][[: {detail}]].",
        explanation="""
            The condition of a profile is computed at the start of every turn.
            This one cannot be read, so the profile would never apply.
            Write a comparison such as channel == "voice".
        """,
        wrong="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == AND == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
        right="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
        also=("INVALID_CONDITION",),
    ),
    rule(
        "PROFILE_FLOW_CONFLICT",
        "error",
        "profile that replaces and changes a flow",
        message="The profile {name} both replaces the FLOW and changes it. Keep REPLACE, or the other parts.",
        explanation="""
            REPLACE puts another flow in place of that of the agent; SKIP, OVERRIDES and INSERTIONS change the flow
            that is there. Together it is not known which flow is changed.
            Keep one of the two.
        """,
        wrong="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            FLOW:
              SKIP: [show_map]
              REPLACE:
                greet:
                  REASONING: false
                  RESPOND: "Hello, parcel desk."
                  THEN: COMPLETE
        """,
        right="""
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            FLOW:
              REPLACE:
                greet:
                  REASONING: false
                  RESPOND: "Hello, parcel desk."
                  THEN: COMPLETE
        """,
    ),
    rule(
        "PROFILE_NOT_FOUND",
        "error",
        "unknown profile",
        message="There is no behaviour profile {name}. {suggestion}[[Profiles are {known}.]]",
        explanation="""
            The agent uses a profile that is neither in this file nor in the project.
            It would run without it.
            Correct the spelling, or add the profile.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-caller
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
        """,
        needs="a project",
    ),
    rule(
        "PROFILE_PRIORITY_CONFLICT",
        "warning",
        "profiles of equal priority",
        message="The profiles {name} and {value} have the same priority. Give them different ones.",
        explanation="""
            When both apply at once, the one with the higher priority wins. With equal ones it is the order
            of the lines that decides, which is easily changed by accident.
            Give one of them another number.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            USE BEHAVIOR_PROFILE: night-callers
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
            === night.behavior_profile.abl
            BEHAVIOR_PROFILE: night-callers
            PRIORITY: 20
            WHEN: channel == "night"
            INSTRUCTIONS: "Speak in a low voice."
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            USE BEHAVIOR_PROFILE: night-callers
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            INSTRUCTIONS: "Speak in short sentences."
            === night.behavior_profile.abl
            BEHAVIOR_PROFILE: night-callers
            PRIORITY: 30
            WHEN: channel == "night"
            INSTRUCTIONS: "Speak in a low voice."
        """,
        needs="a project",
    ),
    rule(
        "PROFILE_UNKNOWN_TOOL",
        "error",
        "profile over an unknown tool",
        message="The profile {value} hides the tool {name}, which the agent does not have. {suggestion}",
        explanation="""
            A profile can hide tools of the agent. This one is not among them, so nothing is hidden,
            and a tool that should be hidden may stay visible.
            Correct the spelling.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            TOOLS:
              export_pdf() -> object
                description: "Makes a document"
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            TOOLS:
              HIDE: [export_pfd]
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            TOOLS:
              export_pdf() -> object
                description: "Makes a document"
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            TOOLS:
              HIDE: [export_pdf]
        """,
        needs="a project",
    ),
    rule(
        "PROFILE_UNKNOWN_FIELD",
        "warning",
        "profile over an unknown field",
        message="The profile {value} changes the field {name}, which no agent asks for. {suggestion}",
        explanation="""
            A profile can change how a field of GATHER is asked for. None of the agents that use the profile has a
            field of this name, so the change has no effect.
            Correct the spelling.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            GATHER:
              parcel_code:
                prompt: "What is the code?"
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            GATHER:
              FIELD_OVERRIDES:
                parcel_coed:
                  prompt: "Please spell the code."
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            GATHER:
              parcel_code:
                prompt: "What is the code?"
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            GATHER:
              FIELD_OVERRIDES:
                parcel_code:
                  prompt: "Please spell the code."
        """,
        needs="a project",
    ),
    rule(
        "PROFILE_UNKNOWN_STEP",
        "error",
        "profile over an unknown step",
        message="The profile {value} changes the step {name}, which the agent does not have. {suggestion}",
        explanation="""
            A profile can skip, change or add steps of the flow. The step it names is not in the flow of the agent,
            so the change has no effect.
            Correct the spelling.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            FLOW:
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            FLOW:
              SKIP: [gret]
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            USE BEHAVIOR_PROFILE: phone-callers
            FLOW:
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
            === phone.behavior_profile.abl
            BEHAVIOR_PROFILE: phone-callers
            PRIORITY: 20
            WHEN: channel == "voice"
            FLOW:
              SKIP: [greet]
        """,
        needs="a project",
    ),
)
