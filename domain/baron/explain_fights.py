"""What baronies and fights came to, clause by clause, as the rulebook's examples tell it: who met whom, which
tiles were the battlefield, both sums, what each gained and lost.

A part of `explain`. Strengths, outcomes and honour are those that the fact has; the board says what they
consist of.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from domain.baron.baronies import Standing, barony, worth
from domain.baron.battles import CARNAGE, LOST_BATTLE, WEAKER_RIVAL, Claim, claims
from domain.baron.components import BARON
from domain.baron.phrases import (
    baron_text,
    change_text,
    ground_text,
    knight_text,
    sum_text,
    tile_text,
)
from domain.baron.resolution import ESTABLISHED
from domain.contract import Json
from domain.hex_text import hex_text
from domain.hexes import Hex, hex_of, neighbours
from domain.phrases import counted, listing

Reason: TypeAlias = tuple[str, str]
"""A clause's id and a sentence about this board."""


def explain_baronies(board: Standing, type: str, data: Json) -> Iterator[Reason]:
    """BN-BAR, BN-FGT, BN-SIM, BN-END-2: the baronies of a fact. `board`: what they were reckoned on."""
    entries = data.get("baronies", ())
    if not entries:
        return
    told = _Moment(board, entries, at_the_end=type == "GameFinished")
    yield told.occasion(type, data)
    if len(entries) > 1:
        yield "BN-SIM-6", f"all {len(entries)} are judged on the board as it stood, and at once"
    for entry in entries:
        yield told.claimed(entry)
    yield from told.encounters()
    for entry in entries:
        yield from told.battle(entry)
    for entry in entries:
        yield from told.bystanders(entry)
        yield from told.fight(entry)


class _Moment:
    """All knights of one moment, and the board under them."""

    def __init__(self, board: Standing, entries: Sequence[Json], *, at_the_end: bool) -> None:
        self.board = board
        self.entries = entries
        self.at_the_end = at_the_end
        self.claims: Mapping[Hex, Claim] = {
            claim.at: claim for claim in claims(board, [_at(entry) for entry in entries])
        }
        self.barons = {
            at: (seat, barony(board, at))
            for at, (seat, side) in sorted(board.keeps.items())
            if side == BARON
        }

    def occasion(self, type: str, data: Json) -> Reason:
        """BN-BAR-2, BN-END-2: why it is now that these knights try."""
        if self.at_the_end:
            who = counted(len(self.entries), "knight")
            verb = "try" if self.entries[1:] else "tries"
            return (
                "BN-END-2",
                (
                    f"{who} still on the board {verb} to establish, complete or not; their strengths and "
                    "gains are halved and rounded up"
                ),
            )
        here = hex_text(data["at"])
        if type == "KeepPlaced":
            return "BN-BAR-2", f"all six tiles around {here} are there: it is resolved at once"
        whose = listing(knight_text(entry) for entry in self.entries)
        return (
            "BN-BAR-2",
            (
                f"{tile_text(data['tile'])} on {here} was what {whose} still lacked: it is resolved "
                "before the turn goes on"
            ),
        )

    def claimed(self, entry: Json) -> Reason:
        """BN-BAR-1: what the barony is worth."""
        own = self.claims[_at(entry)].barony
        laid, around = len(own - {_at(entry)}), len(neighbours(_at(entry)))
        what = f"{knight_text(entry)} claims a barony worth {self._sum(own)}"
        if laid == around:
            return "BN-BAR-1", what
        return "BN-END-2", f"{what}, with {laid or 'none'} of the {around} tiles around him"

    def encounters(self) -> Iterator[Reason]:
        """BN-SIM-1: which knights are in each other's way, and why."""
        for one, other in combinations(self.entries, 2):
            met = one.get("battle", {"opponents": (), "rivals": ()})
            both = f"{knight_text(one)} and {knight_text(other)}"
            if any(it["at"] == other["at"] for it in met["opponents"]):
                yield "BN-SIM-1", f"{both} are opponents: {self._in_common(one, other)}"
            elif any(it["at"] == other["at"] for it in met["rivals"]):
                yield "BN-SIM-1", f"{both} are rivals: {self._foes_in_common(one, other)}"

    def _in_common(self, one: Json, other: Json) -> str:
        """What makes opponents of two knights."""
        mine, theirs = self.claims[_at(one)], self.claims[_at(other)]
        reasons = []
        if shared := mine.fought_for & theirs.fought_for:
            reasons.append(f"they share {ground_text(self.board, shared)}")
        if faced := sorted(mine.barons.keys() & theirs.barons.keys()):
            reasons.append(f"both face {listing(map(self._baron, faced))}")
        return listing(reasons)

    def _foes_in_common(self, one: Json, other: Json) -> str:
        """What makes rivals of two knights of one owner."""
        mine, theirs = self.claims[_at(one)], self.claims[_at(other)]
        faced = [self._baron(at) for at in sorted(mine.barons.keys() & theirs.barons.keys())]
        against = {tuple(it["at"]) for it in other["battle"]["opponents"]}
        faced += [
            knight_text(it) for it in one["battle"]["opponents"] if tuple(it["at"]) in against
        ]
        return f"both have {listing(faced)} against them"

    def battle(self, entry: Json) -> Iterator[Reason]:
        """BN-SIM-2, 3, 5: how a knight fared among the knights."""
        if "battle" not in entry:
            return
        met, who = entry["battle"], knight_text(entry)
        outside = self._outside(entry, met)
        yield (
            "BN-SIM-2",
            f"battlefield of {who}: {self._ground(met)}; what is left of his barony gives him {outside}",
        )
        against = [*met["opponents"], *met["rivals"]]
        why = entry.get("why")
        if why == LOST_BATTLE:
            foe = max(met["opponents"], key=_strength)
            yield (
                "BN-SIM-2",
                (
                    f"{knight_text(foe)} has {foe['strength']}, more than {met['strength']}: {who} is "
                    f"beaten, and {self._takes_back(entry)}"
                ),
            )
        elif why == CARNAGE:
            equals = [it for it in met["opponents"] if it["strength"] == met["strength"]]
            verb = "have" if equals[1:] else "has"
            yield (
                "BN-SIM-3",
                (
                    f"{listing(map(knight_text, equals))} {verb} {met['strength']} as well: it is carnage, "
                    f"and {self._takes_back(entry)}"
                ),
            )
        elif why == WEAKER_RIVAL:
            yield from self._gave_way(entry)
        else:
            others = listing(f"{it['strength']} of {self._knight(it)}" for it in against)
            yield "BN-SIM-2", f"{who} has {met['strength']} against {others}, and goes on"
            yield from self._counted_as_stronger(entry)

    def _gave_way(self, entry: Json) -> Iterator[Reason]:
        """BN-SIM-5, 3: a knight whose rival goes on in his place."""
        met = entry["battle"]
        best = max(met["rivals"], key=lambda it: (*_rank(it), -it["at"][0], -it["at"][1]))
        if best["strength"] == met["strength"]:
            yield "BN-SIM-3", self._tie_text(entry, best)
        yield (
            "BN-SIM-5",
            (
                f"{self._knight(best)} with {best['strength']} is the stronger of them: "
                f"{knight_text(entry)} with {met['strength']} does not fight, and {self._takes_back(entry)}"
            ),
        )

    def _counted_as_stronger(self, entry: Json) -> Iterator[Reason]:
        """BN-SIM-3: of equal rivals the one who went on."""
        for it in entry["battle"]["rivals"]:
            if it["strength"] == entry["battle"]["strength"]:
                yield "BN-SIM-3", self._tie_text(it, {"at": entry["at"], **entry["battle"]})

    def _tie_text(self, weaker: Json, stronger: Json) -> str:
        """Why the second of two equal rivals counts as the stronger."""
        value = weaker["battle"]["value"] if "battle" in weaker else weaker["value"]
        if stronger["value"] > value:
            why = f"his barony is worth {stronger['value']}, and the other's {value}"
        else:
            why = "their baronies are worth the same, and his hex comes first"
        return f"equal as they are, {self._knight(stronger)} counts as the stronger: {why}"

    def bystanders(self, entry: Json) -> Iterator[Reason]:
        """BN-FGT-1: barons with whom nothing worth a fight is shared; BN-SIM-4: and who is left in peace."""
        claim = self.claims[_at(entry)]
        for at, (seat, theirs) in self.barons.items():
            shared = claim.barony & theirs
            if shared and at not in claim.barons:
                only = f"with whom he shares only {ground_text(self.board, shared)}"
                why = "who has the same owner" if seat == claim.seat else only
                yield (
                    "BN-FGT-1",
                    f"{knight_text(entry)} does not fight {self._baron(at)}, {why}",
                )
        if "fight" not in entry and claim.barons:
            met = {tuple(it["at"]) for other in self.entries for it in _barons_met(other)}
            left = [self._baron(at) for at in claim.barons if at not in met]
            if left:
                verb = "take" if left[1:] else "takes"
                yield (
                    "BN-SIM-4",
                    f"{listing(left)} {verb} no part, since {knight_text(entry)} does not go on",
                )

    def fight(self, entry: Json) -> Iterator[Reason]:
        """BN-SIM-4, BN-FGT, BN-BAR-3: a knight who meets barons, or nobody."""
        who = knight_text(entry)
        if "fight" in entry:
            yield from self._fought(entry)
        if entry["result"] != ESTABLISHED:
            return
        if "fight" not in entry:
            left = "no baron is left to oppose" if "battle" in entry else "nobody opposes"
            yield "BN-BAR-3", f"{left} {who}: he is established with {entry['value']}"
        yield from self._gained(entry)
        for beaten in entry["beaten"]:
            yield from self._lost(entry, beaten)

    def _fought(self, entry: Json) -> Iterator[Reason]:
        """The fight itself."""
        met, who, claim = entry["fight"], knight_text(entry), self.claims[_at(entry)]
        for it in met["barons"]:
            shared = claim.fought_for & barony(self.board, _at(it))
            yield (
                "BN-FGT-1",
                f"{who} fights {baron_text(it)} over {ground_text(self.board, shared)}",
            )
        if "battle" in entry:
            freed = {*map(tuple, entry["battle"]["battlefield"])} - {
                *map(tuple, met["battlefield"])
            }
            again = f"{ground_text(self.board, freed)} counts again" if freed else "nothing changes"
            yield "BN-SIM-4", f"the battlefield of {who} without the knights that left: {again}"
        yield "BN-FGT-2", f"battlefield of {who}: {self._ground(met)}, which counts for nobody"
        yield "BN-FGT-2", f"without it {who} has {self._outside(entry, met)}"
        field = {*map(tuple, met["battlefield"])}
        for it in met["barons"]:
            rest = barony(self.board, _at(it)) - field
            yield "BN-FGT-2", f"without it {baron_text(it)} has {self._sum(rest)}"
        yield self._verdict(entry)
        if entry["result"] != ESTABLISHED:
            yield (
                "BN-FGT-4",
                f"{who} is beaten: {self._takes_back(entry)}, and no honour changes hands",
            )

    def _verdict(self, entry: Json) -> Reason:
        """BN-FGT-3."""
        met = entry["fight"]
        strongest = max(met["barons"], key=_strength)
        named = baron_text(strongest)
        if met["barons"][1:]:
            named = f"the strongest of them, {named}"
        mine, theirs = met["strength"], strongest["strength"]
        who = knight_text(entry)
        if mine > theirs:
            return "BN-FGT-3", f"{who} wins against {named}, {mine} to {theirs}"
        short = "equal is not enough" if mine == theirs else f"{mine} to {theirs}"
        return "BN-FGT-3", f"{who} loses against {named}: {short}"

    def _gained(self, entry: Json) -> Iterator[Reason]:
        """What the owner of an established knight has of it."""
        seat, who, claim = entry["seat"], knight_text(entry), self.claims[_at(entry)]
        before = {*map(tuple, entry.get("counted_before", ()))}
        if before:
            yield from self._counted_before(entry, before)
        points = worth(self.board, claim.barony - before)
        if "unhalved" in entry and entry["gain"] != points and seat not in self.board.out:
            yield "BN-END-2", f"half of {points} for {who} is {entry['gain']}, rounded up"
        if seat in self.board.out:
            yield (
                "BN-OUB-2",
                f"seat {seat} is out: its honour stays as it is for all that {who} won",
            )
        elif "fight" in entry:
            field = "the battlefield included"
            what = f"{change_text(entry['gain'])} honour for a barony of {entry['value']}"
            yield "BN-FGT-5", f"{who} is established: seat {seat} {what}, {field}"
        else:
            yield "BN-BAR-3", f"seat {seat} {change_text(entry['gain'])} honour"

    def _counted_before(self, entry: Json, before: set[Hex]) -> Iterator[Reason]:
        """BN-BAR-4, and BN-SIM-6 for knights of the same moment."""
        seat = entry["seat"]
        of_barons = {at for owner, theirs in self.barons.values() if owner == seat for at in theirs}
        if standing := before & of_barons:
            yield (
                "BN-BAR-4",
                (
                    f"seat {seat} has a barony already with {ground_text(self.board, standing)}: "
                    f"{worth(self.board, standing)} that it does not earn again"
                ),
            )
        if together := before - of_barons:
            yield (
                "BN-SIM-6",
                (
                    f"{ground_text(self.board, together)} went to seat {seat}'s knight established before "
                    f"him: {worth(self.board, together)} that it does not earn again"
                ),
            )

    def _lost(self, entry: Json, beaten: Json) -> Iterator[Reason]:
        """BN-FGT-5: what a beaten baron costs his owner."""
        seat, tiles = beaten["seat"], {*map(tuple, beaten["tiles"])}
        if seat in self.board.out:
            yield (
                "BN-OUB-2",
                (
                    f"{baron_text(beaten)} is beaten, but seat {seat} is out: the keep leaves the game, and "
                    "its honour stays as it is"
                ),
            )
            return
        shared = self.claims[_at(entry)].barony & barony(self.board, _at(beaten))
        once = f"; {ground_text(self.board, shared - tiles)} is lost once" if shared - tiles else ""
        what = f"{change_text(-beaten['loss'])} honour for {ground_text(self.board, tiles)}"
        yield (
            "BN-FGT-5",
            f"{baron_text(beaten)} is beaten: seat {seat} takes back the keep and {what}{once}",
        )

    def _outside(self, entry: Json, met: Json) -> str:
        """A knight's strength, of what it is made and how it was halved."""
        field = {*map(tuple, met["battlefield"])}
        rest = self._sum(self.claims[_at(entry)].barony - field)
        return f"{rest}, halved to {met['strength']}" if "unhalved" in met else rest

    def _ground(self, met: Json) -> str:
        return ground_text(self.board, map(hex_of, met["battlefield"]))

    def _sum(self, hexes: frozenset[Hex]) -> str:
        return sum_text(self.board, hexes)

    def _baron(self, at: Hex) -> str:
        return baron_text({"at": at, "seat": self.barons[at][0]})

    def _knight(self, it: Json) -> str:
        """Rivals come without their seat, which is the knight's own."""
        return knight_text({"at": it["at"], "seat": self.claims[_at(it)].seat})

    def _takes_back(self, entry: Json) -> str:
        seat = entry["seat"]
        if seat in self.board.out:
            return f"his keep leaves the game, since seat {seat} is out"
        return f"seat {seat} takes back the keep"


def _at(entry: Json) -> Hex:
    return hex_of(entry["at"])


def _strength(it: Json) -> int:
    strength: int = it["strength"]
    return strength


def _rank(it: Json) -> tuple[int, int]:
    return (it["strength"], it["value"])


def _barons_met(entry: Json) -> Sequence[Json]:
    barons: Sequence[Json] = entry["fight"]["barons"] if "fight" in entry else ()
    return barons
