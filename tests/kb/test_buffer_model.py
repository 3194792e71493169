"""Any edits of any text, held against a model that shares no code with the buffer.

The model keeps the text as one string, finds lines with a pattern, and counts a position in the bytes of its line. A
range that it cannot take, because it runs backwards or begins or ends inside a character, has to be refused; every
other one has to give the model's text.
"""

import random
import re
from dataclasses import dataclass

import pytest
from gazetteer.kb.blocks import SIZE
from gazetteer.kb.buffer import Buffer, Change
from gazetteer.kb.errors import ConflictError, InvalidArgumentError
from gazetteer.kb.text import Units

PIECES = (
    *("a", "word ", "é", "中", "\ufeff", "\ufffd", "😀", "𝔘", "e\u0301", "\t", "\0"),
    *("\n", "\r\n", "\r", "\n\n", "\r\r\n"),
    *("\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"),
)
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
EDITS_A_DOCUMENT = 40


@dataclass
class Model:
    """A client's own document."""

    text: str
    units: Units

    def offset(self, line: int, character: int) -> int | None:
        for number, found in enumerate(LINE.finditer(self.text)):
            if number == line:
                wide = found[1].encode(CODECS[self.units])
                try:
                    return found.start() + len(wide[: character * UNIT_BYTES[self.units]].decode(CODECS[self.units]))
                except UnicodeDecodeError:
                    return None
        return len(self.text)

    def after(self, change: Change) -> "Model | None":
        if change.range is None:
            return Model(change.text, self.units)
        line, character, last_line, last_character = change.range
        if min(change.range) < 0 or (line, character) > (last_line, last_character):
            return None
        start, end = self.offset(line, character), self.offset(last_line, last_character)
        if start is None or end is None:
            return None
        return Model(self.text[:start] + change.text + self.text[end:], self.units)


class Client:
    """Random changes of one document."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice

    def text(self, most: int) -> str:
        """Mostly short; of all kinds of characters, or of one, so that blocks are of every width."""
        pieces = PIECES if self.dice.random() < 0.7 else self.dice.sample(PIECES, 2)
        return "".join(self.dice.choices(pieces, k=self.dice.randrange(most)))

    def position(self, model: Model) -> tuple[int, int]:
        lines = LINE.findall(model.text)
        line = self.dice.randrange(len(lines) + 2)
        long = len(lines[line]) if line < len(lines) else 3
        return line, self.dice.choice(
            (0, 1, self.dice.randrange(long + 1), self.dice.randrange(4 * long + 3), 2**31 - 1)
        )

    def change(self, model: Model) -> Change:
        chance = self.dice.random()
        if chance < 0.02:
            return Change(self.text(40))
        new = self.dice.choice(
            ("", "x", self.text(4), self.text(4), self.text(60), self.text(3 * SIZE if chance > 0.97 else 9))
        )
        start = self.position(model)
        end = start if chance < 0.4 else self.position(model)
        if start > end and chance < 0.95:  # else it runs backwards
            start, end = end, start
        if chance > 0.9 and end[0] - start[0] > 50:
            end = start
        return Change(new, (-1, *start[1:], *end) if chance < 0.03 else (*start, *end))


def differences(documents: int, seed: int) -> tuple[int, int, int]:
    """Edits, how many of them were refused, and in how many the buffer was not what the model is."""
    dice = random.Random(seed)
    client = Client(dice)
    edits = refused = wrong = 0
    for number in range(documents):
        units: Units = ("utf-8", "utf-16", "utf-32")[number % 3]
        model = Model(client.text(6 * SIZE if number % 4 == 0 else 60), units)
        buffer = Buffer.of(model.text, 0)
        for version in range(1, EDITS_A_DOCUMENT + 1):
            change = client.change(model)
            after = model.after(change)
            edits += 1
            try:
                buffer = buffer.apply([change], version, units)
            except InvalidArgumentError:
                refused += 1
                wrong += after is not None
                buffer = repaired(buffer, version, units)
                continue
            wrong += after is None or buffer.text != after.text
            model = after or Model(buffer.text, units)
    return edits, refused, wrong


def repaired(buffer: Buffer, version: int, units: Units) -> Buffer:
    """What is left when a change was refused takes no other range; the whole text makes it good again."""
    lost = buffer.lost()
    with pytest.raises(ConflictError):
        lost.apply([Change("x", (0, 0, 0, 0))], version, units)
    return lost.apply([Change(buffer.text)], version, units)


def test_two_thousand_edits_differ_from_the_model_in_nothing() -> None:
    """PR16, PE03, PE05: all separators, characters of every width, three encodings, odd ranges."""
    edits, refused, wrong = differences(50, seed=31)
    assert (edits, wrong) == (2_000, 0)
    assert 100 < refused < 1_000, "odd ranges are among them, and not most of them"


@pytest.mark.soak
def test_twenty_thousand_edits_differ_from_the_model_in_nothing() -> None:
    """PR16, PE03, PE05."""
    edits, _, wrong = differences(500, seed=32)
    assert (edits, wrong) == (20_000, 0)
