"""Runs a league of a club from a spreadsheet, which is a CSV file with a column `handle`: see programs.md.

    python example_league.py create CLUB "Spring league" players.csv
    python example_league.py registered LEAGUE players.csv
    python example_league.py begin LEAGUE
    python example_league.py export LEAGUE tables.csv standings.csv

The environment has the address of the server (CARTULARY_URL) and a personal token with the scopes `read` and
`play` of the owner of the club (CARTULARY_TOKEN).
"""

import csv
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cartulary.client import Client, MalformedRequest, Problem, pages

DAY = 24 * 3600
FORMAT = {
    "format": "league",
    "table_size": 2,
    "cycles": 1,
    "divisions": 2,
    "promoted": 1,
    "seasons": 1,
}


def rows_of(sheet: Path) -> list[dict[str, str]]:
    """Return the rows of a spreadsheet."""
    with sheet.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(sheet: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a spreadsheet."""
    with sheet.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])


def create(client: Client, club: str, name: str, players: Path) -> str:
    """Create a league for the players of a spreadsheet, and return its id."""
    listed = [page["players"] for page in pages(client.clubs.list_members, club)]
    members = {member["handle"] for entries in listed for member in entries}
    strangers = [row["handle"] for row in rows_of(players) if row["handle"] not in members]
    if strangers:
        sys.exit(f"not in the club: {', '.join(strangers)}")
    closes = datetime.now(UTC) + timedelta(days=14)
    league = client.tournaments.create(
        # If the program is started again because it has lost the response, there is still one league.
        idempotency_key=f"{club} {name}",
        name=name,
        format=FORMAT,
        rules="barony",
        options={"club": club, "round_limit": 20},
        clock={"per_turn": 2 * DAY},
        private=client.clubs.get(club)["private"],
        least=4,
        closes=closes.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        round_seconds=30 * DAY,
    )
    return league["id"]


def note_registered(client: Client, league: str, players: Path) -> None:
    """Write into the column `registered` of a spreadsheet who has registered."""
    details = client.tournaments.get(league)
    handles = {details["handles"][entrant] for entrant in details["entrants"]}
    rows = rows_of(players)
    for row in rows:
        row["registered"] = "yes" if row["handle"] in handles else "no"
    write(players, list(rows[0]), [list(row.values()) for row in rows])


def begin(client: Client, league: str) -> None:
    """Close the registration now, so that the first round is drawn."""
    client.tournaments.change(league, type="ClosingDateChanged", reason="All have registered.")


def export(client: Client, league: str, tables: Path, standings: Path) -> None:
    """Write all tables of a league so far, and its standings."""
    details = client.tournaments.get(league)
    handles = details["handles"]
    write(
        tables,
        ["round", "players", "places", "game"],
        (
            (
                drawn["round"],
                " ".join(handles[player] or "(erased)" for player in table["players"]),
                " ".join(map(str, table["places"] or [])),
                table["game"] or "bye",
            )
            for drawn in details["drawn"]
            for table in drawn["tables"]
        ),
    )
    write(
        standings,
        ["division", "place", "handle", "points", "victories", "games"],
        (
            (
                division,
                place,
                handles[entry["player"]],
                entry["points"],
                entry["wins"],
                entry["played"],
            )
            for division, group in enumerate(client.tournaments.get_standings(league)["groups"], 1)
            for place, entry in enumerate(group, 1)
        ),
    )


def main(words: Sequence[str]) -> None:
    """Do what the words of the command line say."""
    with Client(os.environ["CARTULARY_URL"], os.environ["CARTULARY_TOKEN"]) as client:
        match words:
            case ["create", club, name, players]:
                print(create(client, club, name, Path(players)))
            case ["registered", league, players]:
                note_registered(client, league, Path(players))
            case ["begin", league]:
                begin(client, league)
            case ["export", league, tables, standings]:
                export(client, league, Path(tables), Path(standings))
            case _:
                sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except MalformedRequest as problem:
        sys.exit("\n".join(f"{fault.field}: {fault.detail}" for fault in problem.errors))
    except Problem as problem:
        sys.exit(problem.detail)
