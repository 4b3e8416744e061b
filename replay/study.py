"""Studies: notes on the events of a finished game, and variations that are played by its rules.

A study is a JSON file beside the record of the game, to which it refers by the game and the hash of the last
event (docs/formats.md). Everything in it is checked against the record before it is shown. A game in progress
is never studied, so that nobody is helped during one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.contract import AnyRuleSystem, DomainEvent
from domain.errors import CartularyError, Malformed, NotNow, Refused, Unreadable
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import PlayerAt, Text, comma_list, message, semicolon_list
from domain.scene import Scene
from ledger.record import Record
from replay.history.event_text import actor_message, outcome_message
from replay.history.timeline import game_at, unreadable_on_error
from replay.language.renderer import Renderer
from replay.language.text_layout import columns, wrap
from replay.render.geometry import is_drawable
from replay.render.styles import BOLD, Styler
from replay.sandbox import Sandbox, game_with_drawn_secrets

FORMAT: Final = "cartulary-study"
VERSION: Final = 1
MAX_FILE_BYTES: Final = 4 * 1024 * 1024
MAX_ENTRIES: Final = 500
"""The most notes, and the most variations."""
MAX_STEPS: Final = 200
MAX_CHARACTERS: Final = 4000
LANGUAGES: Final = ("en", "es", "fr")
_SEED: Final = bytes(32)
"""Nothing is drawn in a finished game, all of whose secrets are open; a sandbox needs a seed all the same."""
_MEMBERS: Final = ("format", "version", "game", "head", "title", "notes", "variations")


class NotStudied(CartularyError):
    """The game cannot be studied."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text about an event, by language."""

    seq: int
    text: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """An action of a variation in short form, with what the rules make of it."""

    seat: int
    action: str
    events: tuple[DomainEvent, ...]


@dataclass(frozen=True, slots=True)
class Variation:
    """Actions that are taken after an event instead of those of the game, and a text about them."""

    seq: int
    steps: Sequence[Step]
    text: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Study:
    """A study of a game, which has been checked against the record of the game."""

    game: str
    head: str
    title: Mapping[str, str]
    notes: Sequence[Note]
    variations: Sequence[Variation]

    def as_json(self) -> JsonObject:
        """Return the study as its file has it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game,
            "head": self.head,
            "title": dict(self.title),
            "notes": [{"seq": note.seq, "text": dict(note.text)} for note in self.notes],
            "variations": [
                {
                    "seq": variation.seq,
                    "steps": [step.action for step in variation.steps],
                    "text": dict(variation.text),
                }
                for variation in self.variations
            ],
        }


def checked_study(raw: object, record: Record) -> Study:
    """Return the study in decoded JSON, checked against the record of its game.

    `head` may be missing, in a study that is being written. Raises NotStudied for a game that is not finished
    and for the study of another game, Malformed, which names every faulty member or the variation whose
    action the rules refuse, and Unreadable.
    """
    if not record.events or record.events[-1]["type"] != "GameFinished":
        raise NotStudied.with_message(
            "the game is not finished: only finished games can be studied, so that nobody is helped"
            " during one"
        )
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise Malformed({"format": message("must be {format}", format=FORMAT)})
    if raw.get("version") != VERSION:
        raise Malformed({"version": message("must be {version}", version=VERSION)})
    head = record.events[-1]["hash"]
    if raw.get("game") != record.game or raw.get("head", head) != head:
        raise NotStudied.with_message("the study is of another game, or of another state of it")
    faults: dict[str, Text] = {
        name: message("is no member of a study") for name in raw if name not in _MEMBERS
    }
    title = checked_text(raw.get("title", {}), "title", faults)
    notes = [
        Note(
            _seq(entry, path, record, faults),
            checked_text(entry.get("text"), f"{path}.text", faults),
        )
        for path, entry in _entries(raw, "notes", ("seq", "text"), faults)
    ]
    drafts = [
        (
            path,
            _seq(entry, path, record, faults),
            checked_steps(entry.get("steps"), f"{path}.steps", faults),
            checked_text(entry.get("text", {}), f"{path}.text", faults),
        )
        for path, entry in _entries(raw, "variations", ("seq", "steps", "text"), faults)
    ]
    if faults:
        raise Malformed(faults)
    variations = [
        Variation(seq, _played(record, seq, steps, f"{path}.steps"), text)
        for path, seq, steps, text in drafts
    ]
    return Study(record.game, head, title, notes, variations)


def study_text(study: Study, record: Record, renderer: Renderer, styler: Styler, width: int) -> str:
    """Return a study as text, by event, in lines of at most `width` columns where its words allow it."""
    lines: list[str] = []

    def add(text: Text | str, indent: int) -> None:
        for paragraph in text.splitlines() if isinstance(text, str) else [text]:
            wrapped = wrap(renderer(paragraph), width - indent, columns)
            lines.extend(" " * indent + line if indent else styler(line, BOLD) for line in wrapped)

    title = _in_language(study.title, renderer.language) or study.game
    add(message("Study: {title}", title=title), 0)
    seqs = {note.seq for note in study.notes} | {each.seq for each in study.variations}
    for seq in sorted(seqs):
        game = game_at(record, seq)
        event = record.events[seq - 1]
        outcome = outcome_message(game.rules, event, game)
        actor = actor_message(event)
        add(message("Event {seq}: {actor} {outcome}", seq=seq, actor=actor, outcome=outcome), 0)
        for note in study.notes:
            if note.seq == seq:
                add(_in_language(note.text, renderer.language), 2)
        for variation in study.variations:
            if variation.seq == seq:
                add(message("How it could have gone on:"), 2)
                for step in variation.steps:
                    add(_outcome(game.rules, step), 4)
                add(_in_language(variation.text, renderer.language), 4)
    return "\n".join(lines) + "\n"


def study_pictures(study: Study, record: Record, renderer: Renderer) -> Iterator[tuple[str, str]]:
    """Yield a picture of each position of a study, as SVG, with the name of its file.

    These are the positions after the events that have notes or variations, and those at the end of each
    variation. There is none before the start of the game. Raises Unreadable for a board that is too wide.
    """
    variations: dict[int, list[Variation]] = {}
    for variation in study.variations:
        variations.setdefault(variation.seq, []).append(variation)
    for seq in sorted({note.seq for note in study.notes} | variations.keys()):
        game = _game_after(record, seq)
        position = game.position(None, ended=True)
        if position is not None:
            event: Any = record.events[seq - 1]
            yield f"{seq:04}.svg", _picture(game.rules.scene(position, event), renderer)
        for number, variation in enumerate(variations.get(seq, ()), 1):
            steps = [step.action for step in variation.steps]
            sandbox, _ = _play(game, steps, "steps")
            scene = game.rules.scene(sandbox.position(), None)
            yield f"{seq:04}-{number}.svg", _picture(scene, renderer)


def _picture(scene: Scene, renderer: Renderer) -> str:
    # Only pictures need this import.
    from replay.render.svg import svg

    if not is_drawable(scene):
        raise Unreadable.with_message("the board is too wide to be drawn")
    return svg(scene, renderer)


def _outcome(rules: AnyRuleSystem, step: Step) -> Text:
    outcomes = semicolon_list(rules.event_message(each.type, each.data) for each in step.events)
    return message("{player} {outcome}", player=PlayerAt(step.seat), outcome=outcomes)


def _entries(
    raw: Mapping[str, Any], name: str, members: tuple[str, ...], faults: dict[str, Text]
) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the objects of a list, each with its path."""
    value = raw.get(name, [])
    if not isinstance(value, list) or len(value) > MAX_ENTRIES:
        faults[name] = message("must be a list of at most {count} entries", count=MAX_ENTRIES)
        return []
    entries: list[tuple[str, Mapping[str, Any]]] = []
    for index, entry in enumerate(value):
        path = f"{name}.{index}"
        if not isinstance(entry, dict) or not entry.keys() <= set(members):
            faults[path] = message(
                "must be an object with the members {names}", names=comma_list(members)
            )
        else:
            entries.append((path, entry))
    return entries


def _seq(entry: Mapping[str, Any], path: str, record: Record, faults: dict[str, Text]) -> int:
    seq, last = entry.get("seq"), len(record.events)
    if type(seq) is not int or not 1 <= seq <= last:
        faults[f"{path}.seq"] = message("must be {first} to {last}", first=1, last=last)
        return 1
    return seq


def checked_text(value: object, path: str, faults: dict[str, Text]) -> Mapping[str, str]:
    """Return a text by language; what is wrong with it is added to `faults`."""
    if not isinstance(value, dict) or not value.keys() <= set(LANGUAGES):
        faults[path] = message(
            "must be an object with texts by language: {names}", names=comma_list(LANGUAGES)
        )
        return {}
    for language, text in value.items():
        if not isinstance(text, str) or not 1 <= len(text) <= MAX_CHARACTERS:
            faults[f"{path}.{language}"] = message(
                "must be a text of at most {count} characters", count=MAX_CHARACTERS
            )
    return value


def checked_steps(value: object, path: str, faults: dict[str, Text]) -> list[str]:
    """Return actions in short form that have not been played yet; faults are added to `faults`."""
    if (
        not isinstance(value, list)
        or not 1 <= len(value) <= MAX_STEPS
        or not all(isinstance(text, str) for text in value)
    ):
        faults[path] = message(
            "must be a list of 1 to {count} actions in short form", count=MAX_STEPS
        )
        return []
    return value


def _played(record: Record, seq: int, steps: Sequence[str], path: str) -> list[Step]:
    """Take the actions of a variation after an event. Raises Malformed, Unreadable."""
    return played_steps(_game_after(record, seq), steps, path)


def _game_after(record: Record, seq: int) -> Game:
    """Return the game after an event, with all of its secrets."""
    return game_with_drawn_secrets(record.events[:seq], record.opened_values(), _SEED)


def played_steps(game: Game, steps: Sequence[str], path: str) -> list[Step]:
    """Take actions in short form in a game all of whose secrets are known, each for the seat to act.

    Raises Malformed, which names by `path` the action that the rules refuse, and Unreadable.
    """
    return _play(game, steps, path)[1]


def _play(game: Game, steps: Sequence[str], path: str) -> tuple[Sandbox, list[Step]]:
    """Take actions like `played_steps`, and return also the sandbox after them."""
    try:
        sandbox = Sandbox(game, _SEED)
    except NotNow as error:
        raise Malformed({path: error.message}) from None
    played: list[Step] = []
    for index, text in enumerate(steps):
        try:
            with unreadable_on_error(game.seq):
                action = sandbox.rules.parse_action_text(text)
                step = sandbox.act(dict(sandbox.rules.action_to_json(action)))
        except Malformed as error:
            raise Malformed({f"{path}.{index}": error.fields.get("") or error.why}) from None
        except (Refused, NotNow) as error:
            raise Malformed({f"{path}.{index}": error.message}) from None
        played.append(Step(step.seat, step.text, step.events))
    return sandbox, played


def _in_language(text: Mapping[str, str], language: str) -> str:
    """Return the text in a language, else the first one that there is; "" for none."""
    return text.get(language) or next((text[name] for name in LANGUAGES if name in text), "")
