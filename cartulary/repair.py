"""Repairs the data of an embedded Redis, or a single game: what the command `repair` does."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Final

from cartulary.language import text
from cartulary.terminal import confirm, echo
from domain.errors import CartularyError
from domain.messages import Message, Value, comma_list, message, plural_message
from service.bootstrap import Service, build
from service.errors import NotFound
from service.operation.append_only_file.parts import (
    ManifestError,
    find_parts,
    manifest_from_names,
    manifest_of,
    write_manifest,
)
from service.operation.append_only_file.salvage import (
    Contents,
    complete_replacement,
    read_contents,
    replace_by,
)
from service.operation.data_folder import REPAIR_FOLDER, DataFolderLock
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.games import LostEvents, find_lost_events_of, remove_lost_events
from service.recovery.intact_copy import write_intact_copy
from service.recovery.recovery import Losses, recover
from service.recovery.reindex import rebuild_game_outbox
from service.settings import Settings, load_settings
from service.transparency.restores import mark_restored

_MOST_IDS: Final = 20
"""Ids of accounts that are printed."""


def repair(environ: Mapping[str, str], *, yes: bool) -> None:
    """Check the data folder of the settings in `environ`, and repair damaged data after asking.

    With `yes`, nothing is asked. Raises CartularyError if there is nothing to repair it from.
    """
    settings = load_settings(environ)
    folder = settings.data / "redis"
    if not folder.is_dir():
        raise CartularyError.with_message(
            "the data folder {folder} contains no data of an embedded Redis",
            folder=str(settings.data),
        )
    with DataFolderLock(settings.data):
        complete_replacement(folder)
        _repair_manifest(folder, yes=yes)
        contents = read_contents(folder)
        if contents.is_complete:
            echo(text(message("every write is complete")))
        _repair_contents(settings, folder, contents, yes=yes)
    with EmbeddedRedis(settings.data):
        echo(text(message("Redis loads the data")))


def repair_game(service: Service, game: str, *, yes: bool) -> None:
    """Check the log of a game in a running service, and after asking remove what does not belong to it.

    With `yes`, nothing is asked. Raises NotFound if there is no such game, and Unavailable.
    """
    if not service.store.head(game):
        raise NotFound.with_message("there is no game {game}", game=game)
    lost = find_lost_events_of(service.redis, service.store, game)
    if lost is None:
        echo(text(message("every event of game {game} is sound", game=game)))
        return
    echo(text(message("These events are lost:")))
    echo(text(_event_line(lost)))
    if not yes:
        confirm(message("Remove them from the log?"))
    remove_lost_events(service.redis, lost)
    if lost.kept:
        service.games.repository.update_listings(game)
        rebuild_game_outbox(service, game)
    echo(text(message("repaired; play continues after event {seq}", seq=lost.kept)))


def _repair_manifest(folder: Path, *, yes: bool) -> None:
    try:
        find_parts(folder)
    except ManifestError as error:
        manifest = manifest_from_names(folder)
        heading = message(
            "{fault}. This manifest lists the files that are there, in the order in which they were written:",
            fault=error.message,
        )
        echo(f"{text(heading)}\n{manifest}")
        if not yes:
            confirm(message("Write this manifest?"))
        write_manifest(folder, manifest)
        echo(text(message("wrote {path}", path=str(manifest_of(folder)))))


def _repair_contents(settings: Settings, folder: Path, contents: Contents, *, yes: bool) -> None:
    """Repair a copy of the data with its intact writes, report what is lost, and put it in their place."""
    copy = settings.data / REPAIR_FOLDER
    shutil.rmtree(copy, ignore_errors=True)
    try:
        write_intact_copy(contents, copy)
        with EmbeddedRedis(copy) as redis:
            service = build(
                replace(settings, redis_url=redis.url, queue_url=redis.url), read_only=True
            )
            try:
                losses = recover(service, contents.events)
            finally:
                service.redis.close()
        if contents.is_complete and losses.are_none:
            return
        for line in (*_description(contents), *_losses(losses)):
            echo(text(line))
        if not yes:
            confirm(message("Repair the data?"))
        archive = replace_by(folder, copy / "redis")
        if losses.contradicts_checkpoint:
            mark_restored(settings.data)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    echo(text(message("repaired; the damaged file is in {path}", path=str(archive))))


def _description(contents: Contents) -> Iterable[Message]:
    """Yield where there is damage, and how much is removed."""
    for part, writes in contents.damaged_snapshots:
        yield plural_message(
            "{path}: the snapshot is damaged; at most {count} value in it is intact",
            "{path}: the snapshot is damaged; at most {count} values in it are intact",
            count=len(writes.entries or ()),
            path=str(part.path),
        )
    for part, (start, end) in contents.gaps:
        yield message(
            "{path}: bytes {first} to {last} contain no intact write",
            path=str(part.path),
            first=start,
            last=end - 1,
        )
    total = sum(end - start for _, (start, end) in contents.gaps)
    if total:
        yield plural_message(
            "The repair removes {count} byte, and keeps all other writes.",
            "The repair removes {count} bytes, and keeps all other writes.",
            count=total,
        )


def _losses(losses: Losses) -> Iterable[Message]:
    """Yield what is lost: events game by game, and other data."""
    if losses.events:
        yield message("These events are lost:")
        for lost in losses.events:
            yield _event_line(lost)
        yield message("`cartulary import` restores games from their records, if somebody has them.")
    else:
        yield message("No event is known to be lost.")
    for game in losses.seeds:
        yield message(
            "  game {game}: its secret is lost, so that it cannot be played to its end", game=game
        )
    if losses.archived:
        yield plural_message(
            "{count} game was found again in the archive.",
            "{count} games were found again in the archive.",
            count=losses.archived,
        )
    other = losses.other
    if other.accounts:
        ids = list(other.accounts[:_MOST_IDS])
        yield plural_message(
            "The account of {count} player is lost: {ids}",
            "The accounts of {count} players are lost: {ids}",
            count=len(other.accounts),
            ids=comma_list(ids if len(ids) == len(other.accounts) else [*ids, "…"]),
        )
    if other.deliveries:
        yield plural_message(
            "{count} delivery of a notification is lost.",
            "{count} deliveries of notifications are lost.",
            count=other.deliveries,
        )
    if other.keys:
        yield plural_message(
            "The entry of {count} public key of the service is lost: {ids}",
            "The entries of {count} public keys of the service are lost: {ids}",
            count=len(other.keys),
            ids=comma_list(other.keys),
        )
    if other.administration is not None:
        yield message(
            "The administration log has a gap before entry {seq}.", seq=other.administration
        )
    if losses.leaves:
        yield plural_message(
            "The transparency log has lost {count} entry.",
            "The transparency log has lost {count} entries.",
            count=losses.leaves,
        )
    if losses.contradicts_checkpoint:
        yield message("The service will declare a new epoch of the transparency log.")


def _event_line(lost: LostEvents) -> Message:
    """Return a line for one game, with the seqs of its lost events."""
    seqs = comma_list(_ranges(lost.seqs))
    if not lost.kept:
        return message("  game {game}: events {seqs}, the whole game", game=lost.game, seqs=seqs)
    return message("  game {game}: events {seqs}", game=lost.game, seqs=seqs)


def _ranges(numbers: Iterable[int]) -> Iterable[Value]:
    """Yield the ranges of ascending numbers: for [1, 2, 3, 5], `1 to 3` and `5`."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        first, *others = (number for _, number in group)
        yield message("{first} to {last}", first=first, last=others[-1]) if others else first
