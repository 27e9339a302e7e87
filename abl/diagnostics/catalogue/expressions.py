"""Findings about conditions, expressions and templates in text. Spec: abl-language 6."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "INVALID_CONDITION",
        "error",
        "condition that cannot be read",
        message="This condition cannot be read[[ (`{value}`)]][[: {detail}]]. {suggestion}",
        explanation="""
            A condition compares values: `amount > 500 AND status == "lost"`.
            This one breaks off or has a word too many, so it would always be false.
            Check that each operator has a value on both sides and that brackets and quotes are closed.
        """,
        wrong="""
            COMPLETE:
              - WHEN: turn_count > AND language == "de"
                RESPOND: "Goodbye."
        """,
        right="""
            COMPLETE:
              - WHEN: turn_count > 3 AND language == "de"
                RESPOND: "Goodbye."
        """,
    ),
    agent_rule(
        "INVALID_EXPRESSION",
        "error",
        "expression that cannot be read",
        message="This expression cannot be read[[ (`{value}`)]][[: {detail}]]. {suggestion}",
        explanation="""
            The value of a SET or of an argument is an expression: a number, a quoted text, a variable,
            or a calculation with these. This one breaks off or has something too many.
            It is taken as plain text. Put quotes around a text, and close brackets and quotes.
        """,
        wrong="""
            ON_START:
              SET: questions_asked = turn_count + * 2
              RESPOND: "Which parcel are we looking for?"
        """,
        right="""
            ON_START:
              SET: questions_asked = turn_count * 2
              RESPOND: "Which parcel are we looking for?"
        """,
    ),
    agent_rule(
        "SINGLE_EQUALS",
        "warning",
        "single = in a condition",
        message="A single = in a condition is read as ==. Write `==`.",
        explanation="""
            In a SET, = gives a variable a value. In a condition two values are compared with ==.
            The sign was read as a comparison here; other versions of the language refuse it.
            Double the sign.
        """,
        wrong="""
            COMPLETE:
              - WHEN: language = "de"
                RESPOND: "Auf Wiedersehen."
        """,
        right="""
            COMPLETE:
              - WHEN: language == "de"
                RESPOND: "Auf Wiedersehen."
        """,
    ),
    agent_rule(
        "TRIPLE_EQUALS",
        "error",
        "=== in a condition",
        message="{name} is not an operator[[: write {expected}]].",
        explanation="""
            The language has one kind of comparison for equality, == and !=.
            The longer signs of JavaScript are refused, as they promise a difference that is not there.
            Leave out one sign.
        """,
        wrong="""
            COMPLETE:
              - WHEN: language === "de"
                RESPOND: "Auf Wiedersehen."
        """,
        right="""
            COMPLETE:
              - WHEN: language == "de"
                RESPOND: "Auf Wiedersehen."
        """,
    ),
    agent_rule(
        "FUNCTION_UNKNOWN",
        "warning",
        "unknown function",
        message="There is no function {name}. {suggestion}",
        explanation="""
            A name with parentheses calls a built-in function, and there is none of this name.
            The call gives null.
            Correct the spelling. Tools are not functions: call them with CALL.
        """,
        wrong="""
            COMPLETE:
              - WHEN: LENGHT(input) == 0
                RESPOND: "Goodbye."
        """,
        right="""
            COMPLETE:
              - WHEN: LENGTH(input) == 0
                RESPOND: "Goodbye."
        """,
    ),
    agent_rule(
        "FUNCTION_ARITY",
        "warning",
        "wrong number of arguments",
        message="{name} is given the wrong number of arguments[[ ({value})]][[: it takes {expected}]].",
        explanation="""
            Each function takes a certain number of arguments.
            With too few the rest are null, and what is too much is ignored, so the result is rarely what you want.
            Give the arguments that the message names.
        """,
        wrong="""
            COMPLETE:
              - WHEN: REPLACE(input, "-") == "bye"
                RESPOND: "Goodbye."
        """,
        right="""
            COMPLETE:
              - WHEN: REPLACE(input, "-", "") == "bye"
                RESPOND: "Goodbye."
        """,
    ),
    agent_rule(
        "NATURAL_LANGUAGE_CONDITION",
        "warning",
        "sentence in place of a condition",
        message='This is a sentence, not a condition[[: {value}]]. Write a comparison such as `input CONTAINS "yes"`.',
        explanation="""
            In WHEN of HANDOFF, ESCALATE and COMPLETE a sentence is judged by the model.
            In all other places conditions are computed, and a sentence cannot be computed: it counts as false.
            Write a comparison, or compare `intent` with the name of an intent.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: the user wants to go on
                    THEN: ask
                  - ELSE:
                    THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: input CONTAINS "yes"
                    THEN: ask
                  - ELSE:
                    THEN: COMPLETE
        """,
    ),
    agent_rule(
        "TEMPLATE_UNCLOSED",
        "error",
        "braces that are never closed",
        message="{{{{ is never closed[[ ({value})]]: add }}}} after the name.",
        explanation="""
            Two opening braces begin a place that is filled in; two closing ones end it.
            Without the end the braces are sent to the user as they are.
            Add the closing braces.
        """,
        wrong="""
            ON_START:
              RESPOND: "Hello, this is turn {{turn_count."
        """,
        right="""
            ON_START:
              RESPOND: "Hello, this is turn {{turn_count}}."
        """,
    ),
    agent_rule(
        "TEMPLATE_UNKNOWN_FILTER",
        "warning",
        "unknown filter",
        message="{name} is not a filter. {suggestion}[[Filters are {known}.]]",
        explanation="""
            A name after `|` changes how a value is shown. There is no filter of this name,
            so the value is shown unchanged.
            Correct the spelling.
        """,
        wrong="""
            ON_START:
              RESPOND: "Your language is {{language | uper}}."
        """,
        right="""
            ON_START:
              RESPOND: "Your language is {{language | upper}}."
        """,
    ),
    agent_rule(
        "TEMPLATE_SYNTAX",
        "warning",
        "template that cannot be read",
        message="This template cannot be read[[ (`{value}`)]][[: {detail}]]. {suggestion}",
        explanation="""
            Between the braces stands the name of a value or an expression; `#if` and `#each` need their
            closing `/if` and `/each`.
            What cannot be read is shown as nothing.
            Close the block, or correct the expression.
        """,
        wrong="""
            ON_START:
              RESPOND: "{{#if turn_count > 3}}Still there? Which parcel are we looking for?"
        """,
        right="""
            ON_START:
              RESPOND: "{{#if turn_count > 3}}Still there? {{/if}}Which parcel are we looking for?"
        """,
    ),
)
