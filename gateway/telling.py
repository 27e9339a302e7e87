"""An answer that is told as it comes, to a client that cannot take back what it was told."""

from __future__ import annotations


class Telling:
    """The text of one answer; what begins again is told from where it stopped.

    >>> telling = Telling()
    >>> telling.add("It is "), telling.begin_again(), telling.add("It "), telling.add("is sunny")
    ('It is ', None, '', 'sunny')

    Attributes:
        text: What was told.
    """

    def __init__(self) -> None:
        self.text = ""
        self._attempt = ""
        self._repeats = False

    def begin_again(self) -> None:
        """The answer comes from its beginning again."""
        self._attempt = ""
        self._repeats = bool(self.text)

    def add(self, chunk: str) -> str:
        """Take the next piece and return what is to be told; an answer that became another has its own paragraph."""
        if not self._repeats:
            self.text += chunk
            return chunk
        self._attempt += chunk
        if self.text.startswith(self._attempt):
            return ""
        self._repeats = False
        more = self._attempt.removeprefix(self.text)
        if more == self._attempt:
            more = f"\n\n{more}"
        self.text += more
        return more

    def rest(self, whole: str) -> str:
        """Return what is missing of the whole answer, where its pieces were not all told."""
        if not whole.startswith(self.text):
            return ""
        more = whole[len(self.text) :]
        self.text = whole
        return more
