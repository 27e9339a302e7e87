"""What a language has to say for itself, as one value: the words that are read and the sentences that are said.

Every key of a pack's file is a field here, and its type says what may stand under it. Spec: abl-language 3.14, 5.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

Phrases = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """The words and sentences of one language."""

    tag: str
    """Tag of the language, as BCP 47 has it, without a region."""
    names: Phrases
    """What the language is called: by itself, in English, in others."""

    yes: Phrases
    """Words and whole phrases that are a yes by themselves."""
    no: Phrases
    cancel: Phrases
    back: Phrases
    change: Phrases
    help: Phrases
    wait: Phrases
    """Not yet: neither a yes nor a no."""
    agree: Phrases
    """Yes words of a field of type boolean that are no consent by themselves, such as `true`."""
    disagree: Phrases
    """No words of a field of type boolean that refuse nothing by themselves, such as `without`."""
    correction: Phrases
    """Forms of a correction; `{value}` is the new value, `{field}` what it is of, `^` the start of the message."""
    politeness: Phrases
    wish: Phrases
    """How people begin a wish of their own: I want, I would like, you may."""
    filler: Phrases
    """Small words that change nothing about an answer."""
    doubt: Phrases
    """Words that take a yes back or make it depend on something: but, if, unless, maybe."""
    question: Phrases
    """Words that begin a question."""

    greeting: Phrases
    farewell: Phrases
    human: Phrases
    """Words that ask for a person."""
    positive: Phrases
    negative: Phrases
    angry: Phrases

    lead_ins: Phrases
    """Forms of what people say before a value: `my|our {field} is`."""
    lead_outs: Phrases
    """What people say after a value."""
    conjunctions: Phrases
    """Words between the items of a list."""
    origin: Phrases
    """Words beside the place one comes from."""
    destination: Phrases
    """Words beside the place one goes to."""

    numbers: dict[float, Phrases]
    scales: dict[float, Phrases]
    """Numbers that multiply what stands before them."""
    number_joins: Phrases
    """Words inside a number that count for nothing: `and`."""
    ordinals: dict[float, Phrases]
    """Days of a month and hours as they are counted: first, second."""
    one: Phrases
    """Words that mean one before a unit of time only: `in a week`."""
    decimal: str
    """The sign before decimals."""
    currencies: dict[str, Phrases]

    months: tuple[Phrases, ...]
    weekdays: tuple[Phrases, ...]
    """From Monday on."""
    days: dict[float, Phrases]
    """Days from today -> what that day is called."""
    units: dict[str, Phrases]
    """`day`, `week`, `month`, `year` -> their words."""
    later: Phrases
    """Forms of a day some time from now: `in {count}`."""
    date_joins: Phrases
    """Words between the parts of a date."""
    date_order: str
    """`dmy`, `mdy` or `ymd`: how figures alone are read."""
    date_marks: Phrases
    """Signs behind year, month and day where a date is written with them; else none."""

    at: Phrases
    """Words before a time of day."""
    oclock: Phrases
    """Words behind an hour."""
    am: Phrases
    pm: Phrases
    clock: dict[float, Phrases]
    """Minutes from the full hour -> forms with `{hour}`: `half past {hour}`."""
    times: dict[str, Phrases]
    """`HH:MM` -> what that time is called."""

    sentences: dict[str, str]
    """Name of a built-in sentence, as MESSAGES writes it in small letters -> its wording."""

    articles: Phrases = ()
    """Words before a noun, where the ends of nouns and verbs are alike: in the question, `the`, `my`."""
    plurals: Phrases = ()
    """How a noun's end changes for more than one: `y/ies`, `/en`; `*` at the end is anything."""
    common: Phrases = ()
    """Words that are frequent: the language is known by them in what is spoken, and nothing else is made of them."""
    month_days: Phrases = ()
    """Forms of a day of the month by itself: `the {count}`."""
    letters: Phrases = ()
    """Letters and signs that hardly another language has."""
    alike: Phrases = ()
    """Beginnings of verbs that tell to do the same: `delete/remove/erase`."""
    endings: Phrases = ()
    """Ends of a verb in an answer that are longer than usual: `abilirsin`."""
    conjugation: Phrases = ()
    """Ends that a verb of the question and the same verb in the answer may differ in: subo, suba, sube."""
    determiners: Phrases = ()
    """Words before a noun: a word behind one does not tell to do something."""
    states: Phrases = ()
    """Words that say how something is: who says "it is blocked" tells nobody to block it."""
    nouns: Phrases = ()
    """Ends that make a noun of a verb: `ung`, `ción`."""
    prefixes: Phrases = ()
    """Beginnings of a verb that may stand apart from it: `ab` of "schicken Sie es ab"."""
    thanks: Phrases = ()
    """Words behind which a name may stand: "thanks Ann"."""
    closings: Phrases = ()
    """How a letter ends; the name of who wrote it may stand behind: "kind regards"."""
    address: Phrases = ()
    """How people are addressed: `mr {name}`, `{name} bey`."""
    refusal: Phrases = ()
    """Words with which a value in the same clause is none: not, without, any day but."""
    refusal_behind: Phrases = ()
    """Words that refuse what stands before them, and no more: `değil`, `じゃなくて`."""
    contrast: Phrases = ()
    """Words behind which stands what is meant in place of what was refused: but, sondern."""
    either: Phrases = ()
    """Words between values of which nobody knows which is meant: or."""
    between: Phrases = ()
    """Words with which a day or a time is no single one: between, every."""
    last: Phrases = ()
    """Words beside a weekday that has passed: last, dernier."""
    minus: Phrases = ()
    """Words before a number below zero."""
    at_least: Phrases = ()
    """Words that say "at least" and end with one of minus."""
    afternoons: Phrases = ()
    """Words that name a day and its afternoon: an hour below twelve beside them is of the second half of the day."""
    evenings: Phrases = ()
    """The same of evenings and nights: an hour from five on."""
    decimal_words: Phrases = ()
    """Words between a number and its decimals: five point two."""
    beyond: Phrases = ()
    """Forms of the time before or behind a day, which names none itself: `before {day}`."""
    offers: Phrases = ()
    """How somebody is asked whether something shall be done: shall I, do you want me to."""
    fractions: Phrases = ()
    """Words that make another number of the one beside them: half a, and a half, quarters."""
    partitive: Phrases = ()
    """Words behind a one that is no number: one of us."""
    request: Phrases = ()
    """Beginnings of a wish that is put as a question: can I have, how about."""
    relative: Phrases = ()
    """Words beside a number that is to be added or taken away: more, less."""
    homonyms: Phrases = ()
    """Short names of days that are other words as well, sat, mer: they count where little else is said."""
    wrong: Phrases = ()
    """Words with which somebody says that a value is not right."""
    counted: Phrases = ()
    """Words that a one before them counts, whatever was asked for: person, piece, night."""
    against: Phrases = ()
    """Words that doubt, put off, turn away or speak of another in a short answer: no model is asked what it is."""


UNITS = ("day", "week", "month", "year")
DATE_ORDERS = ("dmy", "mdy", "ymd")
GROUPS = MappingProxyType({"months": 12, "weekdays": 7})
MAY_BE_EMPTY = frozenset(
    {"lead_outs", "number_joins", "ordinals", "one", "date_joins", "date_marks", "at", "oclock", "agree", "disagree"}
)
OPTIONAL = frozenset(
    {
        "address",
        "afternoons",
        "against",
        "alike",
        "articles",
        "at_least",
        "between",
        "beyond",
        "closings",
        "common",
        "conjugation",
        "contrast",
        "counted",
        "decimal_words",
        "determiners",
        "either",
        "endings",
        "evenings",
        "fractions",
        "homonyms",
        "last",
        "letters",
        "minus",
        "month_days",
        "nouns",
        "offers",
        "partitive",
        "plurals",
        "prefixes",
        "refusal",
        "refusal_behind",
        "relative",
        "request",
        "states",
        "thanks",
        "wrong",
    }
)
"""Keys a file may leave out."""
BUILT_IN_WORDS = ("back", "cancel", "change", "help", "yes", "no")
"""Words of ON_INPUT that stand for their phrases."""

SENTENCES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "greeting": (),
        "out_of_scope": (),
        "error_default": (),
        "constraint_blocked": (),
        "constraint_respond": (),
        "constraint_collect": (),
        "constraint_backtrack": (),
        "constraint_redact": (),
        "gather_prompt": ("fields",),
        "gather_confirm": ("fields",),
        "gather_change": (),
        "confirm_call": ("call",),
        "consent_question": ("action", "task", "scope"),
        "correction_unclear": (),
        "correction_partly": (),
        "auth_required": ("profile",),
        "escalation_format": ("reason",),
        "conversation_complete": (),
        "invalid_handoff": (),
        "self_handoff": (),
        "tool_fallback_desc": (),
        "empty_input": (),
        "max_iterations": (),
        "still_waiting": (),
        "approval_pending": (),
        "answer_pending": (),
        "handoff_message": ("agent",),
        "handoff_message_voice": (),
        "remote_handoff_message": ("agent",),
        "remote_handoff_message_voice": (),
        "routing_message": (),
        "multi_intent_disambiguate_header": (),
        "multi_intent_disambiguate_option": ("index", "intent"),
        "multi_intent_queued_notice": ("intent",),
        "multi_intent_queued_follow_up": ("intent",),
        "error_tool_timeout": (),
        "error_tool_error": (),
        "error_llm_timeout": (),
        "error_llm_error": (),
        "error_validation": (),
        "error_constraint": (),
        "error_delegation": (),
        "error_handoff": (),
        "error_memory": (),
        "error_unknown": (),
        "error_outcome_unknown": ("tool",),
        "error_llm_content_filter": (),
        "error_llm_rate_limited": (),
        "error_llm_context_exceeded": (),
        "error_llm_api_error": (),
        "error_credential_not_found": (),
        "voice_repeat": (),
        "voice_nomatch": (),
        "voice_noinput": (),
        "voice_system_busy": (),
        "voice_error": (),
        "voice_session_not_found": (),
    }
)
"""Built-in sentence -> the names it may show."""
