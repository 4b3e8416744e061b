"""`python -m bench.siege [ATTACK ...]`: attack a service in these ways, or all, and print what happened."""

import argparse
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from bench.http_rows import free_port
from bench.siege.attack import FROM_PLAYERS, Attack
from bench.siege.attackers import control_server
from bench.siege.attacks import ATTACKS, attack_by_name
from bench.siege.measurement import Measurement, PlayersProcess, measure, running_players
from bench.siege.report import markdown_head, markdown_rows, summary, text_row
from bench.siege.service_under_siege import ServiceUnderSiege
from bench.siege.stored_games import Sizes, StoredGames, store_games

SECONDS: Final = 5.0
SECONDS_TO_WARM_UP: Final = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the attacks; return 0 if every one met its aims, and 1 otherwise."""
    options = _parse(arguments)
    if options.list:
        width = max(map(len, ATTACKS))
        for attack in ATTACKS.values():
            print(f"{attack.name:<{width}}  {attack.description}")
        return 0
    attacks = [attack_by_name(name) for name in options.attacks or ATTACKS]
    signal.signal(signal.SIGTERM, _interrupt)
    _raise_file_limit()
    measurements: list[Measurement] = []
    try:
        with tempfile.TemporaryDirectory(prefix="cartulary-siege-") as folder, ExitStack() as stack:
            control_port = stack.enter_context(control_server()) if options.control else None
            for measurement in _measure(
                attacks, Path(folder), options.seconds, control_port, options.log
            ):
                if options.markdown:
                    if not measurements:
                        print(markdown_head())
                    print(markdown_rows(measurement), flush=True)
                else:
                    print(f"{text_row(measurement)}\n", flush=True)
                measurements.append(measurement)
    except KeyboardInterrupt:
        _report_progress("stopped")
        return 1
    _report_progress(summary(measurements))
    return 1 if any(measurement.missed_aims() for measurement in measurements) else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.siege", description=__doc__)
    parser.add_argument(
        "attacks",
        nargs="*",
        metavar="ATTACK",
        help=f"a name from --list; with {FROM_PLAYERS} at its end, from the address of the players",
    )
    parser.add_argument("--list", action="store_true", help="list the attacks and exit")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time of each attack")
    parser.add_argument(
        "--control",
        action="store_true",
        help="attack a server that does nothing, to measure what the attackers themselves cost",
    )
    parser.add_argument("--log", type=Path, help="file to which the log of the service is copied")
    options = parser.parse_args(arguments)
    names = {*ATTACKS, *(f"{attack.name}{FROM_PLAYERS}" for attack in ATTACKS.values())}
    if unknown := [name for name in options.attacks if name not in names]:
        parser.error(f"no such attack: {', '.join(unknown)}; --list lists them")
    return options


def _measure(
    attacks: Sequence[Attack],
    folder: Path,
    seconds: float,
    control_port: int | None,
    log: Path | None,
) -> Iterator[Measurement]:
    """Run the attacks in turn, on a new service whenever the settings change."""
    _report_progress("storing accounts and games")
    stored = store_games(folder, free_port(), free_port(), Sizes())
    for environ, group in groupby(attacks, lambda attack: attack.environ):
        with _service(folder, stored, environ, log) as (service, players):
            for attack in group:
                _report_progress(f"{attack.name}: {attack.description}")
                duration = attack.seconds or seconds
                yield measure(attack, duration, service, players, stored, control_port)


@contextmanager
def _service(
    data: Path, stored: StoredGames, environ: dict[str, str], log: Path | None
) -> Iterator[tuple[ServiceUnderSiege, PlayersProcess]]:
    """Run a service and clients that play on it until the end of the block."""
    target = stored.target
    settings = {
        name: value.format(webhook_port=target.webhook_port) for name, value in environ.items()
    }
    service = ServiceUnderSiege(data, target.port, settings)
    _report_progress("starting the service")
    try:
        service.start()
        with running_players(stored) as players:
            players.wait(SECONDS_TO_WARM_UP)
            yield service, players
    finally:
        service.stop()
        if log is not None:
            log.write_bytes(service.log.read_bytes())


def _raise_file_limit() -> None:
    """Let this process and its children open as many files as the system allows."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """End in the same way as after Ctrl-C, so that everything is stopped."""
    raise KeyboardInterrupt


def _report_progress(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
