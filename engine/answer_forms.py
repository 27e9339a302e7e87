"""Forms of the question's words in an answer that change what is meant: plurals, the hour said another way.

Decision: 0044. Spec: abl-language 5.7, 8.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise

from abl.languages.folding import fold, is_spaced
from abl.languages.pack import Pack
from domain.json_values import JsonValue
from engine.answer_tables import MIN_TYPO_CHARS, compared, plain_words
from engine.extraction.phrases import any_of
from engine.extraction.times import read_time

HALF_DAY = 12 * 60
MIN_STEM = 2
MIN_PARTED = 4
"""Letters of a verb whose beginning stands apart."""
MAX_VERB_ENDING = 6
"""Letters a verb of the question may have behind the beginning that stands in the pack."""
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_CAPITAL = re.compile(r"(?<=[^.!?¿¡:\s] )[A-ZÀ-Þ][^\W\d_]+")
_ARABIC_FUTURE = re.compile(r"س[اني]\w{3}")
"""A verb of what will be done: ساحذف, and not the noun or the past of one."""
_LETTERS = re.compile(r"[^\W\d_]+")


def is_plural_of(word: str, one: str, pack: Pack) -> bool:
    """Return whether a word, as it is compared, is more than one of what another names: Karten, Karte."""
    return any(_is_made(word, one, *ending.partition("/")[::2]) for ending in _plurals(pack))


@lru_cache(maxsize=64)
def _plurals(pack: Pack) -> tuple[str, ...]:
    return tuple(compared(one) for one in pack.plurals)


def _is_made(word: str, one: str, single: str, many: str) -> bool:
    stem = one.removesuffix(single) if single else one
    if len(stem) < MIN_STEM or not one.endswith(single) or not word.startswith(stem) or word == one:
        return False
    rest = word[len(stem) :]
    return rest.startswith(many[:-1]) if many.endswith("*") else rest == many


def nouns_of(question: str, pack: Pack) -> frozenset[str]:
    """Return the words of a question that are surely nouns: with an article before them, or a capital."""
    articles = {compared(one) for one in pack.articles}
    said = [one.text for one in plain_words(question, pack)]
    found = {word for before, word in pairwise(said) if before in articles}
    return frozenset(found | {compared(one) for one in _CAPITAL.findall(question)})


@lru_cache(maxsize=64)
def _alike(pack: Pack) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(compared(one).strip() for one in group.split("/")) for group in pack.alike)


def same_deeds(words: Iterable[str], pack: Pack) -> set[str]:
    """Return the other words for what is to be done: remove, where delete is among `words`."""
    groups = _alike(pack)
    return {other for at in frozenset().union(*(_deeds(word, pack) for word in words)) for other in groups[at]}


def is_deed(word: str, pack: Pack) -> bool:
    """Return whether a word is a verb that the pack knows as one of what can be done, and no noun made of it."""
    return names_deed(word, pack) and not word.endswith(_noun_ends(pack))


@lru_cache(maxsize=64)
def _noun_ends(pack: Pack) -> tuple[str, ...]:
    return tuple(compared(one) for one in pack.nouns)


def names_deed(word: str, pack: Pack) -> bool:
    """Return whether a word begins as a verb that the pack knows as one of what can be done: cancel, cancellation."""
    return bool(_deeds(word, pack))


@lru_cache(maxsize=8_192)
def _deeds(word: str, pack: Pack) -> frozenset[int]:
    """Return the groups of verbs that a word may be of."""
    ends = [compared(one) for one in pack.endings]
    short = {word.removesuffix(end) for end in ends if len(word) - len(end) >= MIN_TYPO_CHARS}  # silebilirsin
    if pack.tag == "ar" and _ARABIC_FUTURE.match(word):
        short.add(word[1:])
    return frozenset(
        at
        for at, group in enumerate(_alike(pack))
        if any(
            form.startswith(one) and len(form) - len(one) <= MAX_VERB_ENDING for one in group for form in (word, *short)
        )
    )


def is_asked_deed(word: str, sentences: Iterable[str], pack: Pack) -> bool:
    """Return whether a word is the verb a question asks for: of its last sentence with one, nouns of verbs aside."""
    articles, found = article_words(pack), frozenset[int]()
    for sentence in sentences:
        said = [one.text for one in plain_words(sentence, pack)]
        capitals = {compared(one) for one in _CAPITAL.findall(sentence)} if pack.articles else set()
        deeds = [
            _deeds(one, pack) for before, one in pairwise(["", *said]) if before not in articles and one not in capitals
        ]
        found = frozenset().union(*deeds) or found
    if pack.tag == "ar" and not word.startswith("ا"):
        return False  # only what is told: احذفه, and not that it was done: حذفها
    return is_deed(word, pack) and bool(_deeds(word, pack) & found)


_OF_ONESELF = {
    "en": re.compile(r"me|my|mine|us|our"),
    "de": re.compile(r"mir|mich|uns|mein\w*|unser\w*"),
    "fr": re.compile(r"moi|me|nous|mon|ma|mes|notre|nos"),
    "es": re.compile(r"mi|mis|me|nos|\w{3,}(?:me|nos|me?l[oa]s?|nosl[oa]s?)"),
    "it": re.compile(r"mi|me|ci|noi|mio|mia|miei|\w{3,}(?:mi|ci|mel[oaie]|cel[oaie]|mene)"),
    "pt": re.compile(r"me|mim|nos|meu|minha|meus|minhas"),
    "nl": re.compile(r"mij|me|ons|mijn|onze"),
    "pl": re.compile(r"mi|mnie|nam|nas|moj\w*"),
    "tr": re.compile(r"bana|beni|bize|bizi|benim"),
    "ar": re.compile(r"لي|لنا|الي|\w{3,}لي"),
    "hi": re.compile(r"मुझे|मुझको|हमें|मेर[ाीे]|mujhe|mere|mera|meri"),
    "ja": re.compile(r"私|僕|俺|わたし"),
}
"""Language -> words that tell to do it for or to the one who says it: with one the bare verb may mean another deed."""


def is_of_oneself(word: str, pack: Pack) -> bool:
    """Return whether a word, as it is compared, says "me" or "my", or has it at its end: me, envíamelo."""
    found = _OF_ONESELF.get(pack.tag)
    return found is not None and any(found.fullmatch(compared(one)) for one in word.split())


_SPEAKER = {
    "en": frozenset({"i", "we", "myself", "ourselves"}),
    "de": frozenset({"ich", "wir", "selbst", "selber"}),
    "fr": frozenset({"je", "j", "moi", "nous"}),
    "es": frozenset({"yo", "nosotros", "nosotras"}),
    "it": frozenset({"io", "noi"}),
    "pt": frozenset({"eu", "nós"}),
    "nl": frozenset({"ik", "wij", "zelf"}),
    "pl": frozenset({"ja", "my", "sam", "sama"}),
    "tr": frozenset({"ben", "biz", "kendim"}),
    "ar": frozenset({"انا", "أنا", "نحن", "بنفسي"}),
    "hi": frozenset({"मैं", "मैंने", "हम", "हमने", "खुद", "main", "maine", "khud"}),
    "ja": frozenset({"私", "僕", "俺", "わたし", "自分", "私は", "私が"}),
}
"""Language -> words that name the one who says it: beside the verb the user tells of a deed of his own."""
_APART = re.compile(r"[\s,.;:!\"'’()،]+")
_SPEAKERS_OWN = {
    "tr": re.compile(r"\w{2,}(?:[ae]cag[iu]m|[ae]ceg[iu]m|[ae]cag[iu]z|[ae]ceg[iu]z)"),
    "ar": re.compile(r"س[ان]\w{3,}"),
}
"""Language -> verbs of what the one who says it will do: yenileyeceğim, سأجدده."""


def speakers_in(text: str, pack: Pack) -> frozenset[str]:
    """Return the words of a text, as they are compared, that are the "I" of who does something: ja, not ją."""
    known = _SPEAKER.get(pack.tag, frozenset())
    if not is_spaced(text):
        return frozenset(compared(one) for one in known)
    return frozenset(compared(one) for one in _APART.split(text.lower()) if one in known)


def is_speakers_own(word: str, pack: Pack) -> bool:
    """Return whether a verb, as it is compared, says what the one who says it will do."""
    found = _SPEAKERS_OWN.get(pack.tag)
    return found is not None and found.fullmatch(word) is not None


_DONE = {
    "en": re.compile(r"\w{3,}ed"),
    "de": re.compile(r"\w{2,}(?:ier|sch|uch|rr|ll|g|hl|f)te"),
    "fr": re.compile(r"\w{3,}ée?s?"),
    "es": re.compile(r"\w{3,}(?:é|í|ó|[ai]mos|aron|ieron|[ai]d[oa]s?)"),
    "it": re.compile(r"\w{3,}(?:[aiu]t[oaie]|ai|ò|arono)"),
    "pt": re.compile(r"\w{3,}(?:ei|ou|[ai]mos|[aei]ram|[ai]d[oa]s?)"),
    "nl": re.compile(r"\w{4,}d|\w{2,}[^\Waeiou][dt]e"),
    "pl": re.compile(r"\w{3,}(?:[łl][ea]m|li[sś]my|[łl]y[sś]my|[ąaęiy][łl][aoi]?|(?:an|ięt|iet)[aeyo])"),
    "tr": re.compile(r"\w{2,}[dt][ıiuü][mk]?"),
    "ar": re.compile(r"\w{3,}ت(?:ه|ها)?"),
    "hi": re.compile(r"\w{2,}ाया|\w{2,}aya"),
}
"""Language -> ends of a verb that tell what was done before: deleted, borré, sildim."""
_DONE_BEHIND = {
    "tr": frozenset({"ettim", "ettik", "yaptim", "yaptik"}),
    "hi": frozenset("दिया दिये दी लिया ली किया चुका चुकी चुके diya liya kiya chuka chuki".split()),
}
"""Language -> words that tell it behind the verb: iptal ettim, हटा दिया."""


_DONE_OF_ANY = {
    "de": re.compile(r"\w{3,}te(?:n|t|st)?|\w{3,}ert"),
    "fr": re.compile(r"\w{3,}(?:ai[st]|ée?s?|(?:u|cr)ites?|[dçr]ues?)"),
    "es": re.compile(r"\w{3,}(?:é|í|ó|[ai]mos|aron|ieron|uj[eo]|ujeron|[ai]d[oa]s?|[ai]ste|aba|i|(?<=[mprtd])io)"),
    "it": re.compile(r"\w{3,}(?:[aiu]t[oaie]|[^\Waeiou]av[ao]|[uei]ss(?:i|e|ero)|ai|ò|arono)"),
    "pt": re.compile(r"\w{3,}(?:i|[oie]u|[ai]mos|[aei]ram|[ai]d[oa]s?)"),
    "pl": re.compile(
        r"\w{3,}(?:[łl][ea]m|li[sś]my|[łl]y[sś]my|[ąaęiy][łl][aoiy]?|yli|ili|ali|(?:an|[żzsścld]on|ięt|iet)[aeyo])"
    ),
    "tr": re.compile(r"\w{2,}(?:[dt][ıiuü](?:[mk]|l[ae]r|n[ıiuü]z)?|m[ıiuü][şs](?:t[ıiuü])?(?:[mk]|[ıiuü]m|l[ae]r)?)"),
}
"""Language -> the same ends for a verb that the pack does not know: more of them, for it is only asked again."""
_PARTICIPLE = {
    "de": re.compile(r"\w{3,}e?t"),
    "fr": re.compile(r"\w{3,}(?:[éitsu]|[éiu]e|[ts]e)s?"),
    "nl": re.compile(r"\w{3,}[dt]"),
}
_AUXILIARY = {
    "de": frozenset("ist sind war waren wurde wurden worden habe hab hat haben hatte hatten".split()),
    "fr": frozenset("ai as a avons avez ont avait est sont été etait était fut".split()),
    "nl": frozenset("is zijn was waren werd werden heb hebt heeft hebben had".split()),
}
"""Language -> words before or behind a participle that tell it was done: wurde archiviert."""
_ALREADY = {
    "en": re.compile(r"\balready\b"),
    "de": re.compile(r"\b(?:schon(?! mal)|bereits|längst|laengst)\b"),
    "fr": re.compile(r"\bd[ée]j[àa]\b"),
    "es": re.compile(r"\bya (?:(?:l[oae]s?|se|me|te|nos|est[áa]\w*|he|ha|han|fue) |\w+[eéiíoó]\b)"),
    "it": re.compile(r"\bgi[àa] \w"),
    "pt": re.compile(r"\bj[áa] (?:(?:est[áa]\w*|foi|foram|fui|tinha|tenho|o|a) |\w+(?:i|ou|iu|eu|am|mos|d[oa]s?)\b)"),
    "nl": re.compile(r"\b(?:al|reeds)\b"),
    "tr": re.compile(r"\b(?:zaten|çoktan|coktan)\b"),
    "ar": re.compile(r"\b(?:لقد|قد|سبق|تمت|تم) \w"),
    "hi": re.compile(r"पहले ही|पहले से|pehle hi|pehle se"),
    "ja": re.compile(r"もう|すでに|既に"),
}
"""Language -> what says "already" beside a verb; where such a word also says "now", only before a form of the past."""
_STEM_WITH_T = re.compile(r"(\w*[dt])[^\Wdt]{0,2}")
_PAST_WITH_T = frozenset({"en", "de", "nl", "it", "tr"})
"""Languages whose verbs of the past end with a t or d, which the end of a word in the present may have too."""


def tells_done(word: str, behind: str, raw: Iterable[str], pack: Pack) -> bool:
    """Return whether a verb of the question says that it was done already: "yes, I deleted it".

    `raw`: the answer's words as they were written, small; `behind`: the word behind the verb, as it is compared.
    """
    if behind in _DONE_BEHIND.get(pack.tag, ()):
        return True
    found = _DONE.get(pack.tag)
    return found is not None and any(compared(one) == word and found.fullmatch(one) for one in raw)


def tells_any_done(word: str, own: str, raw: Iterable[str], told: Collection[str], pack: Pack) -> bool:
    """Return whether a word like `own`, which the question has, is it in the past, though no pack knows the verb.

    `raw`: the answer's words as they were written, small, without those of the question; `told`: all of them.
    """
    found = _DONE_OF_ANY.get(pack.tag) or _DONE.get(pack.tag)
    participle = _PARTICIPLE.get(pack.tag) if _AUXILIARY.get(pack.tag, frozenset()) & set(told) else None
    stem = _STEM_WITH_T.fullmatch(word) if pack.tag in _PAST_WITH_T else None
    if word != own and stem is not None and own.startswith(stem[1]):
        return False  # the question's word has that letter too: miete, mieten; kartı, kart
    return any(
        compared(one) == word and any(ends is not None and ends.fullmatch(one) for ends in (found, participle))
        for one in raw
    )


def says_already(text: str, pack: Pack) -> bool:
    """Return whether an answer says that something is done already: "ya lo", "bereits"."""
    found = _ALREADY.get(pack.tag)
    return found is not None and found.search(text.lower()) is not None


def parted(words: Iterable[str], pack: Pack) -> set[str]:
    """Return the two parts of the verbs among some words whose beginning may stand apart: schicken, ab."""
    prefixes = [compared(one) for one in pack.prefixes]
    found = {(one, word[len(one) :]) for word in words for one in prefixes if word.startswith(one)}
    ends = tuple(compared(one) for one in pack.conjugation if one)
    return {
        part
        for before, rest in found
        if len(rest) >= MIN_PARTED and rest.endswith(ends)
        for part in (before, rest.removeprefix("zu"))
    }


def money_words(text: str, pack: Pack) -> set[str]:
    """Return the signs and names of the currencies that a text names: $, dollars, usd."""
    said = {one.text for one in plain_words(text, pack)}
    found: set[str] = set()
    for known in _currency_names(pack):
        if said & known or any(one in text for one in known if not one[-1].isalnum()):
            found |= known
    return found


@lru_cache(maxsize=64)
def _currency_names(pack: Pack) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(compared(one) for one in (*names, code)) for code, names in pack.currencies.items())


def article_words(pack: Pack) -> frozenset[str]:
    """Return the words before a noun."""
    return _article_words(pack)


@lru_cache(maxsize=64)
def _article_words(pack: Pack) -> frozenset[str]:
    return frozenset(compared(one) for one in (*pack.articles, *pack.determiners))


@lru_cache(maxsize=64)
def _twins(pack: Pack) -> Mapping[str, bool]:
    """Return the words that only an accent tells from a yes -> whether they stand for one without it as well."""
    others = {one.lower() for one in (*pack.doubt, *pack.conjunctions)}
    bare = {one.lower() for one in pack.yes}
    return {
        fold(one): fold(one) in bare for one in pack.yes if fold(one) != one.lower() and fold(one) in others
    }  # es: si, sí; pt: e, é


def is_taken_back(text: str, pack: Pack) -> bool:
    """Return whether a text has a word that is a yes with its accent and was written without: "sim e", "sí si"."""
    twins = _twins(pack)
    said = [one.lower() for one in _LETTERS.findall(text)]
    accented = {fold(one) for one in said if fold(one) != one}
    last = said[-1] if said else ""
    return last in twins and (not twins[last] or last in accented)


def told_time(text: str, current: str, pack: Pack) -> str | None:
    """Return the time of day a text names, in the half of the day nearest to `current` where it names none.

    >>> from abl.languages import load_pack
    >>> told_time("make it nine o'clock", "20:00", load_pack("en")), told_time("9 am", "20:00", load_pack("en"))
    ('21:00', '09:00')
    """
    found = read_time(text, pack)
    return nearest_half(found, text, current, pack) if found else None


def nearest_half(found: str, text: str, current: str, pack: Pack) -> str:
    """Return a time that was read from a text in the half of the day nearest to `current`, where the text says none."""
    before, now = _minutes(current), _minutes(found)
    if before is None or now is None or _names_half(text, pack):
        return found
    if now >= HALF_DAY + 60 or now < 60 or found in text:
        return found  # an hour of 24
    other = (now + HALF_DAY) % (2 * HALF_DAY)
    near = min((now, other), key=lambda one: abs(one - before))
    return f"{near // 60:02d}:{near % 60:02d}"


def is_time(text: str) -> bool:
    """Return whether a text is a time of day, `HH:MM`."""
    return _TIME.fullmatch(text) is not None


def _minutes(clock: str) -> int | None:
    found = _TIME.fullmatch(clock)
    return int(found[1]) * 60 + int(found[2]) if found else None


def _names_half(text: str, pack: Pack) -> bool:
    pattern = any_of((*pack.am, *pack.pm))
    return pattern is not None and pattern.search(fold(text)) is not None


def same_times(text: str, arguments: Iterable[JsonValue], pack: Pack) -> list[str]:
    """Return the times among some arguments that a text names: "half past two" where 14:30 was asked about."""
    times = [one for one in arguments if isinstance(one, str) and _TIME.fullmatch(one)]
    return [one for one in times if (said := told_time(text, one, pack)) and _minutes(said) == _minutes(one)]


@lru_cache(maxsize=64)
def clock_words(pack: Pack) -> frozenset[str]:
    """Return the words a time of day is said with."""
    phrases = (*pack.at, *pack.oclock, *pack.am, *pack.pm, *(form for forms in pack.clock.values() for form in forms))
    words = {one.text for phrase in phrases for one in plain_words(phrase.replace("{hour}", " "), pack)}
    return frozenset(word for word in words if not word[0].isdigit())


@lru_cache(maxsize=64)
def oclock_words(pack: Pack) -> frozenset[str]:
    """Return the words behind the hour of a time of day."""
    return frozenset(one.text for phrase in pack.oclock for one in plain_words(phrase, pack))


def clock_numbers(time: str) -> frozenset[str]:
    """Return the numbers a time of day may be said with, in either half of the day: 14, 2, 3 and 30 for 14:30."""
    at = _minutes(time) or 0
    hour, minute = divmod(at, 60)
    hours = {hour, hour % 12 or 12, (hour + 1) % 12 or 12 if minute else hour}
    return frozenset(str(one) for one in hours | {minute, 60 - minute} if one or hour == 0)
