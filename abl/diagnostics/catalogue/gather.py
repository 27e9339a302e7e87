"""Findings about the fields that are asked for. Spec: abl-language 3.3."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "UNREAD_SHORT_FORM",
        "warning",
        "word behind a type that is not read",
        message="{value} has no effect behind the type of {name}. Write the properties on lines of their own below "
        '{name}: `type:`, `required:`, `default:`, and `validate: ">= 1"` for a bound.',
        explanation="""
            Behind the name of a field may stand its type, `required` or `optional`, and a default.
            What else stands there is not read, so no value is held against it.
            Write it as a property of the field; a bound is `validate: ">= 1"` or `validate: "1-10"`.
        """,
        wrong="""
            GATHER:
              days: number, min 1
        """,
        right="""
            GATHER:
              days:
                type: number
                validate: ">= 1"
        """,
    ),
    agent_rule(
        "DUPLICATE_FIELD",
        "warning",
        "field declared twice",
        message="The field {name} is declared twice[[; the first is in line {line}]]. Rename or remove one.",
        explanation="""
            A field is asked for once and kept under its name. Two of the same name would overwrite each other.
            The later one is used.
            Rename one of them, or delete the one that is out of date.
        """,
        wrong="""
            GATHER:
              code:
                prompt: "Which code?"
              code:
                prompt: "What is the tracking code?"
            COMPLETE:
              - WHEN: code IS SET
                RESPOND: "Thank you."
        """,
        right="""
            GATHER:
              code:
                prompt: "What is the tracking code?"
            COMPLETE:
              - WHEN: code IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "PII_TYPE_UNKNOWN",
        "warning",
        "unknown kind of personal data",
        message="{value} is not a known pii_type. {suggestion}[[Known are {known}.]]",
        explanation="""
            `pii_type` says which kind of personal data a field holds, so that it is masked in the right way.
            The value is not one of the known kinds and was dropped.
            Use email, phone, ssn, credit_card, address, name or custom.
        """,
        wrong="""
            GATHER:
              contact:
                prompt: "How can we reach you?"
                pii_type: telegram
            COMPLETE:
              - WHEN: contact IS SET
                RESPOND: "Thank you."
        """,
        right="""
            GATHER:
              contact:
                prompt: "How can we reach you?"
                pii_type: phone
            COMPLETE:
              - WHEN: contact IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "INVALID_DEPENDS_ON_REF",
        "error",
        "dependency on an unknown field",
        message="{name} depends on {value}, which is not a field. {suggestion}",
        explanation="""
            A field with `depends_on` is asked for after the fields named there.
            One of them does not exist, so the field would never be asked for.
            Correct the spelling, or declare the other field.
        """,
        wrong="""
            GATHER:
              code:
                prompt: "Which code?"
              amount:
                prompt: "What was it worth?"
                depends_on: [cdoe]
            COMPLETE:
              - WHEN: code IS SET AND amount IS SET
                RESPOND: "Thank you."
        """,
        right="""
            GATHER:
              code:
                prompt: "Which code?"
              amount:
                prompt: "What was it worth?"
                depends_on: [code]
            COMPLETE:
              - WHEN: code IS SET AND amount IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "CIRCULAR_DEPENDS_ON",
        "error",
        "fields that wait for each other",
        message="The fields wait for each other[[: {value}]]. Remove one depends_on.",
        explanation="""
            Each of these fields is to be asked for after another one of them, so none can be the first.
            Not one of them would ever be asked for.
            Remove one of the `depends_on` lines.
        """,
        wrong="""
            GATHER:
              code:
                prompt: "Which code?"
                depends_on: [amount]
              amount:
                prompt: "What was it worth?"
                depends_on: [code]
            COMPLETE:
              - WHEN: code IS SET AND amount IS SET
                RESPOND: "Thank you."
        """,
        right="""
            GATHER:
              code:
                prompt: "Which code?"
              amount:
                prompt: "What was it worth?"
                depends_on: [code]
            COMPLETE:
              - WHEN: code IS SET AND amount IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "W822",
        "warning",
        "optional field with a default",
        message="{name} has a default, so `required: false` says nothing. Remove one of the two.",
        explanation="""
            A field with a default always has a value, so it is never missing.
            `required: false` together with `default` leaves open whether the user is to be asked.
            Keep the default, or keep the field optional.
        """,
        wrong="""
            GATHER:
              region:
                prompt: "Which region?"
                required: false
                default: "EU"
            COMPLETE:
              - WHEN: region == "US"
                RESPOND: "Thank you."
        """,
        right="""
            GATHER:
              region:
                prompt: "Which region?"
                default: "EU"
            COMPLETE:
              - WHEN: region == "US"
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "UNUSED_REQUIRED_GATHER_FIELD",
        "warning",
        "required field that nothing reads",
        message="The required field {name} is collected but never read. {suggestion}Use it, or make it "
        "`required: false`.",
        explanation="""
            The user has to answer this question before the agent goes on, but nothing uses the answer:
            no condition, no tool, no template, no handoff.
            Use the field, make it optional, or remove it.
        """,
        wrong="""
            GATHER:
              code:
                prompt: "Which code?"
              shoe_size:
                prompt: "Which shoe size do you wear?"
            FLOW:
              ask:
                REASONING: false
                GATHER: code, shoe_size
                THEN: thank
              thank:
                REASONING: false
                RESPOND: "We look for {{code}}."
                THEN: COMPLETE
        """,
        right="""
            GATHER:
              code:
                prompt: "Which code?"
            FLOW:
              ask:
                REASONING: false
                GATHER: code
                THEN: thank
              thank:
                REASONING: false
                RESPOND: "We look for {{code}}."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "INVALID_REGEX",
        "error",
        "pattern that cannot be used",
        message="The pattern {value} cannot be used[[: {detail}]]. {suggestion}",
        explanation="""
            The regular expression has a fault, or it needs something that cannot be matched in bounded time
            (look-around, back references).
            Without a pattern the answers of users would not be checked.
            Close brackets and parentheses, or use `validation_process: LLM` with a sentence.
        """,
        wrong=r"""
            GATHER:
              code:
                prompt: "Which code?"
                validate: "^[A-Z{2}\d{9}$"
            COMPLETE:
              - WHEN: code IS SET
                RESPOND: "Thank you."
        """,
        right=r"""
            GATHER:
              code:
                prompt: "Which code?"
                validate: "^[A-Z]{2}\d{9}$"
            COMPLETE:
              - WHEN: code IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "VALIDATION_READ_BY_MODEL",
        "warning",
        "rule in words",
        message="The rule {value}[[ of {name}]] is a sentence, not a pattern: the model will judge it. "
        "Add `validation_process: LLM` to say so.",
        explanation="""
            A rule is checked as a regular expression unless `validation_process` says otherwise.
            This one reads like a sentence, so the model is asked whether an answer follows it.
            Add `validation_process: LLM` when that is meant, or write a pattern.
        """,
        wrong="""
            GATHER:
              code:
                prompt: "Which code?"
                validate: "two letters and then nine digits (no spaces"
            COMPLETE:
              - WHEN: code IS SET
                RESPOND: "Thank you."
        """,
        right="""
            GATHER:
              code:
                prompt: "Which code?"
                validate: "two letters and then nine digits"
                validation_process: LLM
            COMPLETE:
              - WHEN: code IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "ENTITY_REF_CONFLICT",
        "error",
        "entity reference together with a type",
        message="{name} has an entity_ref, so it takes no type and no options of its own.[[ Remove {property}.]]",
        explanation="""
            A field with `entity_ref` takes its type and its values from the entity.
            A type or options beside it would contradict the entity.
            Remove them, or remove `entity_ref`.
        """,
        wrong="""
            ENTITIES:
              carrier:
                TYPE: enum
                VALUES: [dhx, upx]
            GATHER:
              sender:
                prompt: "Who brings it?"
                type: string
                entity_ref: carrier
            COMPLETE:
              - WHEN: sender IS SET
                RESPOND: "Thank you."
        """,
        right="""
            ENTITIES:
              carrier:
                TYPE: enum
                VALUES: [dhx, upx]
            GATHER:
              sender:
                prompt: "Who brings it?"
                entity_ref: carrier
            COMPLETE:
              - WHEN: sender IS SET
                RESPOND: "Thank you."
        """,
    ),
    agent_rule(
        "UNKNOWN_ENTITY",
        "error",
        "unknown entity",
        message="The entity {name} is not declared. {suggestion}[[Declared are {known}.]]",
        explanation="""
            A field refers to an entity that stands neither under ENTITIES nor under NLU.
            Its answers could not be recognised.
            Correct the spelling, or declare the entity.
        """,
        wrong="""
            ENTITIES:
              carrier:
                TYPE: enum
                VALUES: [dhx, upx]
            GATHER:
              sender:
                prompt: "Who brings it?"
                entity_ref: carier
            COMPLETE:
              - WHEN: sender IS SET
                RESPOND: "Thank you."
        """,
        right="""
            ENTITIES:
              carrier:
                TYPE: enum
                VALUES: [dhx, upx]
            GATHER:
              sender:
                prompt: "Who brings it?"
                entity_ref: carrier
            COMPLETE:
              - WHEN: sender IS SET
                RESPOND: "Thank you."
        """,
    ),
)
