"""The actions that the reader of a mail can take, in their short forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.errors import CartularyError
from domain.game import Game
from domain.messages import message_in
from replay.language.renderer import Renderer
from service.bootstrap import Service
from service.errors import Unavailable
from workers.mail.templating import COLUMNS

MAX_FORMS: Final = 24
"""Actions that are all listed; of more, the first FORMS_OF_KIND of each kind are."""
FORMS_OF_KIND: Final = 5
INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class PossibleActions:
    """The actions of one kind: what it is called, the short forms that are listed, and how many are not."""

    label: str
    forms: tuple[str, ...]
    omitted: int

    @property
    def lines(self) -> Sequence[str]:
        """The short forms in lines of at most COLUMNS, with bars between them: none is broken."""
        lines: list[str] = []
        for form in self.forms:
            line = f"{lines[-1]} | {form}" if lines else form
            if lines and len(line) <= COLUMNS - len(INDENT):
                lines[-1] = line
            else:
                lines.append(form)
        return [INDENT + line for line in lines]


def possible_actions(
    service: Service, game: Game, player: str, renderer: Renderer
) -> Sequence[PossibleActions]:
    """Return what a player can do in a game as it is at its head, by kind; nothing if it is not their turn.

    Raises Unavailable.
    """
    try:
        seq, actions = service.games.queries.legal_actions(game.id, player)
    except Unavailable:
        raise
    except CartularyError:
        return ()
    if seq != game.seq:
        return ()
    by_type: dict[str, list[str]] = {}
    for action in actions:
        form = game.rules.action_text(game.rules.parse_action(action))
        by_type.setdefault(action["type"], []).append(form)
    listed = len(actions) if len(actions) <= MAX_FORMS else FORMS_OF_KIND
    return tuple(
        PossibleActions(_label(game, kind, renderer), tuple(forms[:listed]), len(forms[listed:]))
        for kind, forms in by_type.items()
    )


def _label(game: Game, kind: str, renderer: Renderer) -> str:
    label = game.rules.LABELS.get(kind)
    return renderer.sentence(message_in("label", "{word}", word=kind) if label is None else label)
