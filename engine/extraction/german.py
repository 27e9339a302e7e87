"""The words the readers know in German. Spec: abl-language 5.7."""

from __future__ import annotations

from engine.extraction.words import Vocabulary

_ONES = ("null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_TEENS = ("zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn")
_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")

_COMPOSED = {
    f"{one}und{ten}": 20 + 10 * at + unit for at, ten in enumerate(_TENS) for unit, one in enumerate(_ONES) if unit
}

GERMAN = Vocabulary(
    builtin={
        "back": ("zurück", "geh zurück", "vorheriger", "vorherige"),
        "cancel": ("abbrechen", "abbruch", "vergiss es", "vergessen sie es", "stopp", "stop"),
        "change": ("ändern", "ändere", "anpassen", "bearbeiten", "korrigieren"),
        "help": ("hilfe", "hilf mir", "helfen", "unterstützung", "verwirrt"),
        "yes": ("ja", "jawohl", "klar", "sicher", "ok", "okay", "gerne", "genau", "bestätigen", "passt"),
        "no": ("nein", "nö", "nee", "nicht", "kein", "keine", "falsch"),
    },
    months=(
        "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
        "dezember",
    ),
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
    days={"übermorgen": 2, "morgen": 1, "heute": 0, "gestern": -1, "nächste woche": 7},
    numbers={
        **{word: at for at, word in enumerate((*_ONES, *_TEENS))},
        **{word: 20 + 10 * at for at, word in enumerate(_TENS)},
        **_COMPOSED,
        "eins": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "zwo": 2,
    },
    scales={"hundert": 100, "tausend": 1_000, "million": 1_000_000, "millionen": 1_000_000},
    units={
        "tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "monat": "month",
        "monate": "month", "monaten": "month", "jahr": "year", "jahre": "year", "jahren": "year",
    },
    true_words=("ja", "jawohl", "klar", "sicher", "gerne", "ok", "okay", "wahr", "natürlich", "genau", "richtig"),
    false_words=("nein", "nö", "nee", "niemals", "falsch", "nicht", "kein", "keine", "keinen", "ohne"),
    lead_ins=(
        r"(?:mein|meine|unser|unsere|der|die|das|ihr|ihre) (?:[\w-]+ ){0,3}?(?:ist|sind|war|lautet|heißt|:)",
        r"(?:ich|wir) (?:heiße|heißen|bin|sind|möchte|möchten|will|wollen|brauche|brauchen|habe|haben|nehme|nehmen)",
        r"(?:es|das) (?:ist|war|wäre|sind)", r"hier (?:ist|spricht)", r"(?:nach|von|aus|in)(?= [A-ZÄÖÜ])",
        r"(?:also|ja|ok|okay|bitte|ähm|gut)[,.]?",
    ),
    corrections=(
        r"^(?:nein,? )?eigentlich[,:]? *(.+)$",
        r"^(?:nein|entschuldigung|moment|halt|ups)[,.!]+ *(?:ich meinte |es ist |es sind )?(.+)$",
        r"\bich meinte?(?: eigentlich)? *(.+)$",
        r"\b(?:ändere|korrigiere|setze) (?:es|das|(?:meine?|den|die|das) [\w ]+?) (?:auf|in|zu) *(.+)$",
        r"^(?:es ist )?nicht [\w .@:/+-]+?, *(?:sondern )?(.+)$",
        r"^(?:lieber|stattdessen) (.+)$",
        r"^korrektur[,:] *(.+)$",
    ),
    currencies={
        "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "$": "USD", "dollar": "USD", "usd": "USD",
        "£": "GBP", "pfund": "GBP", "chf": "CHF", "franken": "CHF",
    },
    times={"mittag": "12:00", "mitternacht": "00:00", "vormittag": "09:00", "abend": "18:00"},
)  # fmt: skip
