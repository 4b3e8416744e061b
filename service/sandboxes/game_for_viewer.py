"""A game after one of its events as one viewer knows it: other secrets are drawn at random."""

import orjson

from domain.contract import Opened, secret_owner
from domain.event import Event
from domain.game import Game
from domain.upcasters import upcast
from replay.sandbox import game_with_drawn_secrets
from service.store.event_store import LogReader


def read_events(log_reader: LogReader, game_id: str, seq: int) -> list[Event]:
    """Return the events of a game up to event `seq`, or fewer if the log has lost some."""
    return [upcast(orjson.loads(line)) for line in log_reader.read(game_id, 0, seq)]


def game_for_viewer(
    log_reader: LogReader, events: list[Event], viewer: int | None, seed: bytes
) -> Game:
    """Return the game after these events as the seat `viewer` knows it; None knows everything.

    The secrets that the viewer does not know are drawn from `seed`. Raises Unreadable.
    """
    return game_with_drawn_secrets(events, _opened(log_reader, events, viewer), seed)


def _opened(log_reader: LogReader, events: list[Event], viewer: int | None) -> Opened:
    """Return the values of the secrets that the viewer may see. Others are not even read."""
    names = [
        f"{event['seq']}/{name}"
        for event in events
        for name in event.get("secrets", {})
        if viewer is None or secret_owner(name) == viewer
    ]
    opened: dict[int, dict[str, object]] = {}
    for key, opening in log_reader.secrets(events[0]["game"], names).items():
        seq, _, name = key.partition("/")
        opened.setdefault(int(seq), {})[name] = orjson.loads(opening)["value"]
    return opened
