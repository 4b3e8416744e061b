"""A one-sentence summary of each clause, by id. docs/rules.md contains the full text of the clauses."""

from collections.abc import Mapping
from typing import Final

from domain.messages import Text, message

CLAUSES: Final[Mapping[str, Text]] = {
    "BY-MAT-1": message("Each player has 7 knights, 5 cities, 2 strongholds and 14 villages."),
    "BY-MAT-2": message(
        "The terrains are mountain, forest, plain, field and lake; all but the lake have tokens."
    ),
    "BY-MAT-3": message(
        "Resource/victory points of tokens: mountain 2/0, forest 3/1, plain 4/2, field 5/3."
    ),
    "BY-MAT-4": message(
        "The bank has 20 tokens of each kind; nobody gains a token of a kind that has run out."
    ),
    "BY-MAT-5": message("There are 36 tiles, each a trefoil of three hexes."),
    "BY-SET-1": message(
        "The board consists of nine tiles for each player, drawn and laid at random."
    ),
    "BY-SET-2": message("The board is connected and compact, and has no holes."),
    "BY-SET-3": message(
        "All but the last player place one city, the last places three, then the others two each."
    ),
    "BY-SET-4": message(
        "A first city cannot be on a lake, in a forest, or on or beside a hex with a city."
    ),
    "BY-SET-5": message("If no hex is left for a first city, the set-up is over for all players."),
    "BY-SET-6": message(
        "In the set-up, players only place cities; when a deadline passes, a bot places or the seat is out."
    ),
    "BY-SET-7": message("The option seating determines the first player."),
    "BY-TURN-1": message(
        "Players take turns of one action each; a round is one turn of every player."
    ),
    "BY-TURN-2": message("A player may pass only if no other action is legal."),
    "BY-TURN-3": message(
        "Players may act only on their own turn and while the game is being played."
    ),
    "BY-TURN-4": message(
        "If all players in the game pass in the same round, the game ends with that round."
    ),
    "BY-TURN-5": message("A forfeited turn has no effect and does not count as a pass."),
    "BY-REC-1": message(
        "A player recruits up to 2 knights in one of their cities, or up to 3 beside a lake."
    ),
    "BY-REC-2": message("A player cannot recruit more knights than the reserve contains."),
    "BY-MOV-1": message(
        "One or two of the player's knights each move to an adjacent hex of the board."
    ),
    "BY-MOV-2": message("A knight moves at most once in an action."),
    "BY-MOV-3": message("A knight cannot move onto a lake."),
    "BY-MOV-4": message("A knight cannot move onto a hex with an opponent's city or stronghold."),
    "BY-MOV-5": message(
        "A knight cannot move onto a hex with two or more pawns of the same opponent."
    ),
    "BY-MOV-6": message("A knight cannot move onto a mountain with an opponent's pawn."),
    "BY-MOV-7": message("The second move is checked on the board that results from the first."),
    "BY-CON-1": message(
        "If a knight joins another pawn of its owner, all opponents' pawns on the hex are destroyed."
    ),
    "BY-CON-2": message(
        "The attacker takes one resource token from the owner of each destroyed village."
    ),
    "BY-CON-3": message("The action names a token for each destroyed village whose owner has one."),
    "BY-BLD-1": message("Villages and strongholds replace knights, at most one on each hex."),
    "BY-BLD-2": message("Nothing can be built on a hex that already has a building."),
    "BY-BLD-3": message("Nothing can be built on a hex with an opponent's knight."),
    "BY-BLD-4": message(
        "A player cannot build more villages or strongholds than the reserve contains."
    ),
    "BY-BLD-5": message("Each building yields a token of the terrain of its hex."),
    "BY-BLD-6": message("Players cannot choose to remove their own buildings."),
    "BY-CTY-1": message(
        "A city replaces one of the player's own villages and scores 10 victory points."
    ),
    "BY-CTY-2": message("A new city cannot be in a forest."),
    "BY-CTY-3": message("A new city cannot be adjacent to another city."),
    "BY-CTY-4": message("A new city cannot be on a hex with an opponent's knight."),
    "BY-CTY-5": message("A new city requires a city in reserve."),
    "BY-EXP-1": message(
        "One knight of the reserve leaves the game; another is placed on the edge of the board."
    ),
    "BY-EXP-2": message("An expedition must go to a hex on the edge of the board."),
    "BY-EXP-3": message("An expedition cannot go to a lake."),
    "BY-EXP-4": message("An expedition cannot go to a hex that holds any pawn."),
    "BY-EXP-5": message("An expedition requires two knights in reserve."),
    "BY-TTL-1": message("Tokens worth at least 15 resource points buy one rank, without change."),
    "BY-TTL-2": message("Each action raises the player by one rank, up to duke."),
    "BY-TTL-3": message("A payment cannot contain a token that it does not need."),
    "BY-END-1": message("The track score is 15 points for each rank and 10 for each new city."),
    "BY-END-2": message("When a player becomes duke, the round under way is the last one."),
    "BY-END-3": message("The final score includes the victory points of unspent tokens."),
    "BY-END-4": message(
        "The highest final score wins; in a tie, the player furthest from the first player wins."
    ),
    "BY-END-5": message("A game can have a round limit, or end when all players agree."),
    "BY-END-6": message("A player who leaves the game is skipped and ranked last; the pawns stay."),
    "BY-END-7": message("A city that was not placed in the set-up can be built later."),
    "BS-SPL-1": message(
        "A cast consists of available spells of one family and replaces the action of the turn."
    ),
}

EXPLAINED_BY: Final[Mapping[str, str]] = {
    # Types of actions
    "place_city": "BY-SET-4",
    "recruit": "BY-REC-1",
    "move": "BY-MOV-1",
    "build": "BY-BLD-1",
    "new_city": "BY-CTY-1",
    "expedition": "BY-EXP-1",
    "noble_title": "BY-TTL-1",
    "pass": "BY-TURN-2",
    "agree_to_end": "BY-END-5",
    "resign": "BY-END-6",
    "cast": "BS-SPL-1",
    # Terrains and pawns
    "mountain": "BY-MOV-6",
    "forest": "BY-CTY-2",
    "plain": "BY-MAT-3",
    "field": "BY-MAT-3",
    "lake": "BY-MOV-3",
    "village": "BY-CTY-1",
    "stronghold": "BY-MOV-4",
    "city": "BY-REC-1",
    "knight": "BY-MOV-1",
    # Titles
    "baron": "BY-TTL-1",
    "viscount": "BY-TTL-1",
    "count": "BY-TTL-1",
    "marquis": "BY-TTL-1",
    "duke": "BY-END-2",
    "King": "BY-END-4",
    # Numbers
    "score": "BY-END-1",
    "place": "BY-END-4",
    "score track": "BY-END-1",
    "tokens": "BY-MAT-3",
    "resource points": "BY-TTL-1",
    "reserve": "BY-MAT-1",
    "new cities": "BY-CTY-1",
    "removed from the game": "BY-EXP-1",
    "end of the game": "BY-END-5",
    "this round": "BY-TURN-4",
    "bank": "BY-MAT-4",
    "last round": "BY-END-5",
}
"""The clause that explains a word of a page."""
