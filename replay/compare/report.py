"""Formats a comparison as text: the records, their divergence, the attestations, and the proofs.

The last paragraph begins with the verdict: in English "continuation", "divergence" or "cannot be known".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Instant, Message, Value, comma_list, message, message_in, plural_message
from replay.compare.attestations import Attestation
from replay.compare.comparison import Comparison, Verdict
from replay.compare.conclusions import (
    A_AND_B,
    HASH_DIGITS,
    attestation_name,
    conclusions,
    meaning,
    place,
    summary,
)
from replay.compare.histories import SIDES, History, Side
from replay.history.event_values import actor
from replay.language.renderer import Renderer
from replay.language.text_layout import columns, wrap
from replay.render.styles import BOLD, DIM, Styler

_STYLES: Final = {"continuation": "green", "divergence": "bold red", "unknown": "yellow"}
_VERDICTS: Final[Mapping[Verdict, Message]] = {
    "continuation": message_in("verdict", "continuation"),
    "divergence": message_in("verdict", "divergence"),
    "unknown": message_in("verdict", "cannot be known"),
}
_SHORT_LABELS: Final = ("A", "B")
"""The labels of the records at the head of a line."""
_MOST_LISTED: Final = 10
"""The most attestations of one group, and faults of one file, that the page lists."""


def comparison_page(
    comparison: Comparison, names: tuple[str, str], styler: Styler, width: int, renderer: Renderer
) -> str:
    """Return the whole comparison in lines of about `width` columns, with a final line feed.

    `names` are the names of the two files.
    """
    page = _Page(comparison, renderer.with_names(comparison.names), styler, width)
    lines: list[str] = []
    histories = (comparison.a, comparison.b)
    for label, name, history in zip(_SHORT_LABELS, names, histories, strict=True):
        lines += page.file_lines(label, name, history)
    lines += page.section(message("where they diverge"), page.divergence_items())
    lines += page.section(message("signatures"), page.signature_items())
    lines += page.section(message("what this proves"), page.rendered(conclusions(comparison)))
    verdict = page.renderer(_VERDICTS[comparison.verdict])
    sentence = message(
        "{verdict}: {reason}", verdict=_VERDICTS[comparison.verdict], reason=summary(comparison)
    )
    first, *rest = wrap(page.renderer(sentence), width, columns)
    styled = first.replace(verdict, styler(verdict, _STYLES[comparison.verdict]), 1)
    return "\n".join([*lines, "", styled, *rest]) + "\n"


@dataclass(frozen=True, slots=True)
class _Page:
    """The parts of the page about one comparison."""

    comparison: Comparison
    renderer: Renderer
    styler: Styler
    width: int

    def rendered(self, texts: Iterable[Message]) -> list[str]:
        """Return messages as text."""
        return [self.renderer(text) for text in texts]

    def section(self, heading: Message, items: Sequence[str]) -> list[str]:
        """Return a heading with items; [] if there are none."""
        if not items:
            return []
        lines = ["", self.styler(self.renderer(heading), BOLD)]
        for item in items:
            first, *rest = wrap(item, self.width - 4, columns)
            lines += [f"  {first}", *(f"    {line}" for line in rest)]
        return lines

    def file_lines(self, label: str, name: str, history: History) -> list[str]:
        """Return the contents of one of the files, and its faults."""
        heading = self.styler(f"{label}  {self.renderer(name)}", BOLD)
        contents = self.renderer(comma_list(_contents(history)))
        faults = [
            message("line {line}: {text}", line=fault.line, text=fault.why)
            for fault in history.faults[:_MOST_LISTED]
        ]
        lines = [f"   {self.renderer(fault)}" for fault in faults]
        return [f"{heading}  {contents}", *(self.styler(line, DIM) for line in lines)]

    def divergence_items(self) -> list[str]:
        """Return the divergence of the records, and its meaning."""
        comparison, divergence = self.comparison, self.comparison.divergence
        if divergence is None:
            return []
        after = divergence.after
        if after:
            items = [
                self.renderer(
                    plural_message(
                        "event 1 is the same", "events 1 to {count} are the same", count=after
                    )
                )
            ]
        else:
            items = [self.renderer(message("no event is the same"))]
        for label, side, history in zip(
            _SHORT_LABELS, SIDES, (comparison.a, comparison.b), strict=True
        ):
            event = history.events[after]
            renderer = self.renderer.with_names(comparison.names_in(side))
            items.append(renderer(_event_item(label, event)))
        fields = _differing_fields(comparison.a.events[after], comparison.b.events[after])
        explanation = message(
            "They differ in these fields: {fields}. {meaning}",
            fields=comma_list(fields),
            meaning=meaning(divergence),
        )
        return [*items, self.renderer(explanation)]

    def signature_items(self) -> list[str]:
        """Return the attestations, and the signatures that do not count."""
        comparison = self.comparison
        only_a, only_b = comparison.after_common
        denials = comparison.denials
        shared = [
            attestation
            for attestation in comparison.attestations
            if not attestation.fault and attestation not in (*only_a, *only_b, *denials)
        ]
        groups = (
            (message("only A"), only_a),
            (message("only B"), only_b),
            (message("another history"), denials),
            (message("the common events"), shared),
        )
        items: list[Message] = []
        for label, attestations in groups:
            texts = _attestation_texts(attestations, comparison)
            items += [
                message("{events}: {attestation}", events=label, attestation=text)
                for text in texts[:_MOST_LISTED]
            ]
            items += _rest(len(texts))
        invalid = [attestation for attestation in comparison.attestations if attestation.fault]
        items += [
            message(
                "not valid: {attestation}, {place}: {reason}",
                attestation=attestation_name(attestation),
                place=place(attestation),
                reason=attestation.fault or "",
            )
            for attestation in invalid[:_MOST_LISTED]
        ]
        return self.rendered([*items, *_rest(len(invalid))])


def _contents(history: History) -> list[Message]:
    header = history.record.header
    if history.has_only_receipts:
        receipts = len(history.record.receipts)
        return [plural_message("{count} receipt", "{count} receipts", count=receipts)]
    parts = [message("no game")]
    if history.events:
        parts = [
            message("game {game}", game=history.game or ""),
            plural_message("{count} event", "{count} events", count=len(history.events)),
        ]
    if header:
        parts.append(message("signed by key {key}", key=header["head"]["key"]))
    else:
        parts.append(message("header unreadable"))
    if history.intact < len(history.events):
        parts.append(message("an unbroken hash chain up to event {seq} only", seq=history.intact))
    return parts


def _event_item(label: str, event: Event) -> Message:
    return message(
        "{record}, event {seq}: {time}, {actor}, {type}, hash {hash}…",
        record=label,
        seq=event["seq"],
        time=Instant(event["at"], is_exact=True),
        actor=actor(event["by"]),
        type=event["type"],
        hash=event["hash"][:HASH_DIGITS],
    )


def _differing_fields(one: Event, other: Event) -> list[str]:
    first: JsonObject = {**one}
    second: JsonObject = {**other}
    names = sorted(first.keys() | second.keys())
    return [name for name in names if first.get(name) != second.get(name)]


def _attestation_texts(
    attestations: Sequence[Attestation], comparison: Comparison
) -> list[Message]:
    """Return one message for each attestation, and one for all receipts by one key in one record."""
    texts = []
    receipts: dict[tuple[Side, str], list[Attestation]] = {}
    for attestation in attestations:
        if attestation.kind == "receipt":
            receipts.setdefault((attestation.side, attestation.key), []).append(attestation)
        else:
            texts.append(_attestation_text(attestation, comparison))
    for (side, _), group in receipts.items():
        if len(group) == 1:
            texts.append(_attestation_text(group[0], comparison))
            continue
        texts.append(
            plural_message(
                "{count} receipt, for events {first} to {last}, {key}, in {record}",
                "{count} receipts, for events {first} to {last}, {key}, in {record}",
                count=len(group),
                first=min(attestation.seq or 0 for attestation in group),
                last=max(attestation.seq or 0 for attestation in group),
                key=_key(group[0], comparison),
                record=A_AND_B[SIDES.index(side)],
            )
        )
    return texts


def _attestation_text(attestation: Attestation, comparison: Comparison) -> Message:
    return message(
        "{attestation}, {key}, {place}",
        attestation=attestation_name(attestation),
        key=_key(attestation, comparison),
        place=place(attestation),
    )


def _key(attestation: Attestation, comparison: Comparison) -> Value:
    if attestation.kind == "action":
        return message("key {key}", key=attestation.key)
    if attestation.public in comparison.trusted:
        return message("key {key} (known)", key=attestation.key)
    return message("key {key} (unknown)", key=attestation.key)


def _rest(count: int) -> list[Message]:
    rest = count - _MOST_LISTED
    return [plural_message("and {count} more", "and {count} more", count=rest)] if rest > 0 else []
