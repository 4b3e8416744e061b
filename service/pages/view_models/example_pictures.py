"""A picture of each game for visitors who do not know it: a position that bots have played to.

The same rules always give the same picture. Drawing one takes some milliseconds, once in each process.
"""

from functools import lru_cache
from typing import Final

from domain.chance import Chance
from domain.contract import evolve
from domain.messages import message
from domain.registry import rule_systems
from replay.language.catalogue import ENGLISH
from replay.language.renderer import renderer
from replay.render.embedded_map import board_svg
from service.errors import NotFound
from service.games.bot_names import DEFAULT_BOT
from service.pages.view_models.new_game_form import usual_seats

_SEED: Final = b"a picture for the first page"
_ACTIONS: Final = 30


@lru_cache(maxsize=32)
def example_picture(name: str) -> str:
    """Return the picture of the rule system with this name in the registry, as SVG. Raises NotFound."""
    entry = rule_systems().get(name)
    if entry is None:
        raise NotFound(message("there is no such picture"))
    rules = entry.system
    options = rules.check_options(usual_seats(rules), entry.options)
    chance = Chance(_SEED)
    opening = rules.set_up(usual_seats(rules), options, chance)
    state = rules.initial_state(usual_seats(rules), options, opening.data, opening.secrets)
    bot = rules.BOTS[DEFAULT_BOT]
    for _ in range(_ACTIONS):
        seat = state.to_act
        if seat is None:
            break
        action = bot(rules.position(state, seat), rules.legal_actions(state, seat), seat, chance)
        state = evolve(rules, state, [rules.decide(state, seat, action)])
    return board_svg(rules.scene(rules.position(state, None), None), renderer(ENGLISH))
