"""The games as a PettingZoo environment (AEC), for people who train bots. Needs the extra `pettingzoo`.

    env = cartulary.pettingzoo_env.env("baron", seats=3)

The agents are `seat_0`, `seat_1` and so on. Each observes what its seat may see, as numbers
(`cartulary.observations`). An action is the index of a legal action in the list of all of them, which the
observation has as numbers too.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from typing_extensions import override

from cartulary.observations import (
    ACTION_COLUMNS,
    HIGHEST,
    LOWEST,
    POSITION_COLUMNS,
    action_rows,
    position_rows,
)
from domain import lifecycle
from domain.chance import Chance
from domain.registry import rule_systems

MAX_ACTIONS: Final = 1024
"""The default size of the action space. A seat seldom has more than 500 legal actions."""
MAX_ROWS: Final = 384
"""The default number of rows of an observed position: enough for five seats."""

Observation = dict[str, NDArray[np.int16] | NDArray[np.int8]]


def env(rules: str, seats: int = 2, **settings: Any) -> OrderEnforcingWrapper:
    """Return a new environment that reports a wrong order of calls. The arguments are those of `GameEnv`."""
    return OrderEnforcingWrapper(GameEnv(rules, seats, **settings))


class GameEnv(AECEnv):  # type: ignore[misc] # PettingZoo has no annotations for others
    """A game of one rule system with a number of seats.

    When it is over, each agent gets the share of the others that it is ahead of, less the share that is
    ahead of it: 1 for the only winner, -1 for the last place. All other rewards are 0, and all rewards add
    up to 0.
    """

    metadata: Final = {"name": "cartulary_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        rules: str,
        seats: int = 2,
        *,
        options: Mapping[str, Any] | None = None,
        max_actions: int = MAX_ACTIONS,
        max_rows: int = MAX_ROWS,
        render_mode: str | None = None,
    ) -> None:
        """`rules` is the name of a game or of an expansion: `barony`, `sorcery`, `baron`.

        `options` are those of a new game. Where a seat has more than `max_actions` legal actions, the space
        contains that many of them, spread evenly over the list. Raises ValueError if there is no such game
        or expansion, and Malformed for invalid seats or options.
        """
        super().__init__()
        systems = rule_systems()
        if rules not in systems:
            raise ValueError(f"rules must be one of: {', '.join(systems)}")
        if render_mode not in (None, "ansi"):
            raise ValueError("render_mode must be None or 'ansi'")
        entry = systems[rules]
        self._rules = entry.system
        self._options = lifecycle.check_options(
            entry.rules, seats, {**entry.options, **(options or {})}
        )
        self._max_actions = max_actions
        self._max_rows = max_rows
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self._random, _ = seeding.np_random(None)
        self._state: Any = None
        self._actions: list[Any] = []

    @cache  # noqa: B019 # a space has its own generator, so that an agent must always get the same one
    @override
    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of indices of legal actions, the same for all agents."""
        return Discrete(self._max_actions)

    @cache  # noqa: B019 # as above
    @override
    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of observations, the same for all agents."""
        return Dict(
            {
                "observation": Box(LOWEST, HIGHEST, (self._max_rows, POSITION_COLUMNS), np.int16),
                "actions": Box(LOWEST, HIGHEST, (self._max_actions, ACTION_COLUMNS), np.int16),
                "action_mask": Box(0, 1, (self._max_actions,), np.int8),
            }
        )

    @override
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. Equal seeds lead to equal set-ups; without one, the last generator goes on."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        chance = Chance(sha256(self._random.bytes(32)).digest())
        seats = len(self.possible_agents)
        opening = self._rules.set_up(seats, self._options, chance)
        self._state = self._rules.initial_state(seats, self._options, opening.data, opening.secrets)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._begin_turn()

    @override
    def step(self, action: int | None) -> None:
        """Take the legal action with this index for the agent to act. Raises ValueError if there is none."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < len(self._actions):
            raise ValueError(f"action {action} is not the index of a legal action")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        rules, seat = self._rules, self._state.to_act
        event = rules.decide(self._state, seat, self._actions[int(action)])
        rules.apply(self._state, event.type, event.data)
        if self._state.to_act is None:
            self._end()
        else:
            self._begin_turn()
        self._accumulate_rewards()

    @override
    def observe(self, agent: str) -> Observation:
        """Return what an agent observes: the position as its seat may see it, and its legal actions."""
        seat = self.possible_agents.index(agent)
        position = self._rules.position(self._state, seat)
        rows = position_rows(self._rules, position, seat)
        if len(rows) > self._max_rows:
            raise ValueError(f"the position has {len(rows)} rows; increase max_rows")
        observation = np.zeros((self._max_rows, POSITION_COLUMNS), np.int16)
        observation[: len(rows)] = rows
        actions = np.zeros((self._max_actions, ACTION_COLUMNS), np.int16)
        mask = np.zeros(self._max_actions, np.int8)
        if seat == self._state.to_act:
            own = action_rows(self._rules, self._actions)
            actions[: len(own)] = own
            mask[: len(own)] = 1
        return {"observation": observation, "actions": actions, "action_mask": mask}

    @override
    def render(self) -> str | None:
        """Return the position as everybody may see it, as text; None without a render mode."""
        if self.render_mode is None:
            return None
        from replay.language.renderer import renderer
        from replay.render.styles import Styler
        from replay.render.text import text

        scene = self._rules.scene(self._rules.position(self._state, None), None)
        return text(scene, renderer("en"), Styler(is_on=False), None)

    @override
    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def action_text(self, action: int) -> str:
        """Return the legal action with this index in the short form that people type. Raises IndexError."""
        return self._rules.action_text(self._actions[action])

    def _begin_turn(self) -> None:
        """Let the seat whose turn it is choose among its legal actions."""
        seat = self._state.to_act
        self.agent_selection = self.possible_agents[seat]
        legal = list(self._rules.legal_actions(self._state, seat))
        if len(legal) > self._max_actions:
            legal = [
                legal[number * len(legal) // self._max_actions]
                for number in range(self._max_actions)
            ]
        self._actions = legal

    def _end(self) -> None:
        """Reward all agents by their places."""
        data: Any = self._rules.finish(self._state).data
        places = {entry["seat"]: entry["place"] for entry in data["ranking"]}
        others = len(self.possible_agents) - 1
        for seat, agent in enumerate(self.possible_agents):
            ahead = sum(places[seat] < place for place in places.values())
            behind = sum(place < places[seat] for place in places.values())
            self.rewards[agent] = (ahead - behind) / others
            self.terminations[agent] = True
        self._actions = []
        self.agent_selection = self.agents[0]
