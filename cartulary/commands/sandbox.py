"""The command sandbox: lets a game go on from one of its events, to find out what could have happened."""

from typing import Any, Final

import click

from cartulary.command_line import IntRange, argument, bad_parameter, command, option, usage_error
from cartulary.commands.options import (
    color_option,
    json_option,
    seed_of,
    source_argument,
    source_options,
)
from cartulary.language import command_renderer
from cartulary.source import errors_naming, read_source
from cartulary.terminal import Color, echo, print_message, progress, result_styler, width
from domain.errors import CartularyError, Malformed, NotNow, Refused
from domain.json_types import JsonObject
from domain.messages import Message, PlayerAt, Value, message, message_in, semicolon_list
from ledger.canonical import canonical
from ledger.record import Record
from replay.history.event_values import names_of
from replay.history.timeline import unreadable_on_error
from replay.language.renderer import Renderer
from replay.sandbox import Sandbox, SandboxStep, check_bots, game_with_drawn_secrets, known_secrets

MAX_TURNS: Final = 100_000
MAX_TURN_ACTIONS: Final = 100
"""Actions of a bot in one turn."""


@command(
    "sandbox",
    help=(
        message("Let a game go on from event N, and show what happens and the resulting position."),
        message(
            "The actions are taken in turn by the seat to act. Before each of them and at the end,"
            " bots act for their seats. Nothing is written to the game. The same seed gives the same"
            " result."
        ),
    ),
)
@source_argument
@argument("seq", metavar="N", type=IntRange(1))
@option(
    "--as",
    "viewer",
    type=IntRange(0),
    metavar=message_in("metavar", "SEAT"),
    help=message(
        "As this seat knows the game: other secrets are drawn at random. Default: as the source"
        " opens them."
    ),
)
@option(
    "--action",
    "actions",
    multiple=True,
    metavar=message_in("metavar", "TEXT"),
    help=message('An action of the seat to act, such as "move 0,0>1,0"; may be repeated.'),
)
@option(
    "--bots",
    metavar=message_in("metavar", "SEATS"),
    help=message("Seats for which bots act, such as 1,2."),
)
@option(
    "--bot",
    metavar=message_in("metavar", "NAME"),
    default="sensible",
    show_default=True,
    help=message("The bot that acts for them."),
)
@option(
    "--turns",
    type=IntRange(0, MAX_TURNS),
    default=100,
    show_default=True,
    help=message("The most turns that bots take after the last action, and before each."),
)
@option("--seed", metavar="HEX", help=message("Seed of all random choices; default: random."))
@option(
    "--legal", "is_legal_listed", is_flag=True, help=message("List the legal actions at the end.")
)
@json_option
@color_option
@source_options
def sandbox(
    source: str,
    seq: int,
    viewer: int | None,
    actions: tuple[str, ...],
    bots: str | None,
    bot: str,
    turns: int,
    seed: str | None,
    is_legal_listed: bool,  # noqa: FBT001 # click passes options by name
    as_json: bool,  # noqa: FBT001 # as above
    color: Color,
) -> None:
    seed_bytes = seed_of(seed)
    record = read_source(source)
    with errors_naming(source):
        sandbox = _open(record, seq, viewer, seed_bytes)
    seats = _seats(bots)
    renderer = command_renderer(names_of(record), in_utc=as_json)
    if seed is None:
        print_message(message("seed {seed}", seed=seed_bytes.hex()))
    with errors_naming(source):
        try:
            with unreadable_on_error(seq):
                for action in actions:
                    _let_bots_act(sandbox, seats, bot, turns)
                    sandbox.act(_parsed(sandbox, action))
                _let_bots_act(sandbox, seats, bot, turns)
            with unreadable_on_error(seq):
                output = (
                    canonical(_as_json(sandbox, seq, viewer, seed_bytes, renderer)).decode() + "\n"
                    if as_json
                    else _page(sandbox, color, renderer, is_legal_listed=is_legal_listed)
                )
        except Malformed as error:
            raise click.UsageError(renderer(error.fields.get("") or error.why)) from None
        except Refused as error:
            number = len([step for step in sandbox.steps if step.bot is None])
            # In a position that was made up, even an action that a bot found legal can be refused.
            source_of_action: Value = actions[number] if number < len(actions) else message("a bot")
            fault = message("{action}: {reason}", action=source_of_action, reason=error.message)
            raise click.ClickException(renderer(fault)) from None
    echo(output, newline=False)


def _open(record: Record, seq: int, viewer: int | None, seed: bytes) -> Sandbox:
    """Return the sandbox that begins after event `seq` of a record. Raises ClickException, Unreadable."""
    last = len(record.events)
    if seq > last:
        raise usage_error(
            message(
                "there is no event {seq}: the record has events 1 to {last}", seq=seq, last=last
            )
        )
    opened = record.opened_values()
    if viewer is not None:
        opened = known_secrets(opened, viewer)
    game = game_with_drawn_secrets(record.events[:seq], opened, seed)
    if viewer is not None and viewer >= game.seats:
        raise bad_parameter(
            message("the seats are {first} to {last}", first=0, last=game.seats - 1), "--as"
        )
    try:
        return Sandbox(game, seed)
    except NotNow as error:
        raise CartularyError(error.why) from None


def _seats(bots: str | None) -> frozenset[int]:
    words = [] if bots is None else bots.split(",")
    if not all(word.strip().isdecimal() and len(word) < 10 for word in words):
        raise bad_parameter(message("must be seats, separated by commas"), "--bots")
    return frozenset(int(word) for word in words)


def _let_bots_act(sandbox: Sandbox, seats: frozenset[int], bot: str, turns: int) -> None:
    if not seats:
        return
    check_bots(sandbox.game, seats, bot)
    for _ in progress(range(turns), turns, message("bots")):
        if not sandbox.let_bots_act(seats, bot, turns=1, max_actions=MAX_TURN_ACTIONS):
            return


def _parsed(sandbox: Sandbox, short_form: str) -> Any:
    """Return the JSON of an action in its short form. Raises Malformed."""
    return sandbox.rules.action_to_json(sandbox.rules.parse_action_text(short_form))


def _step_json(sandbox: Sandbox, step: SandboxStep, renderer: Renderer) -> JsonObject:
    events = [
        {
            "type": event.type,
            "data": event.data,
            "text": renderer(sandbox.rules.event_message(event.type, event.data)),
        }
        for event in step.events
    ]
    return {**step.as_json(), "events": events}


def _as_json(
    sandbox: Sandbox, seq: int, viewer: int | None, seed: bytes, renderer: Renderer
) -> JsonObject:
    return {
        "game": sandbox.game.id,
        "seq": seq,
        "as": viewer,
        "seed": seed.hex(),
        "actions": [_step_json(sandbox, step, renderer) for step in sandbox.steps],
        "to_act": sandbox.to_act,
        "position": sandbox.position(),
        "legal_actions": sandbox.legal_actions(),
    }


def _page(sandbox: Sandbox, color: Color, renderer: Renderer, *, is_legal_listed: bool) -> str:
    from replay.render.text import text as drawing

    lines = [
        f"{number:>4}  {renderer(_step_line(sandbox, step))}"
        for number, step in enumerate(sandbox.steps, 1)
    ]
    scene = sandbox.rules.scene(sandbox.position(), None)
    page = "".join(line + "\n" for line in lines) + drawing(
        scene, renderer, result_styler(color), width()
    )
    if not is_legal_listed:
        return page
    rules = sandbox.rules
    legal = [rules.action_text(rules.parse_action(raw)) for raw in sandbox.legal_actions()]
    heading = message("nobody is to act")
    if sandbox.to_act is not None:
        heading = message("legal for {player}:", player=PlayerAt(sandbox.to_act))
    return page + "\n".join([renderer(heading), *(f"  {action}" for action in legal)]) + "\n"


def _step_line(sandbox: Sandbox, step: SandboxStep) -> Message:
    """Return what a seat did, and the name of the bot that chose it."""
    events = semicolon_list(
        sandbox.rules.event_message(event.type, event.data) for event in step.events
    )
    if step.bot is None:
        return message("{player:label}  {events}", player=PlayerAt(step.seat), events=events)
    return message(
        "{player:label}  {events}  ({bot})", player=PlayerAt(step.seat), events=events, bot=step.bot
    )
