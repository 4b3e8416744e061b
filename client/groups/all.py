"""All groups of calls, as attributes of a client. A group is imported when it is used.

`python -m service.http.client_generator` has written this file.
"""

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from client.groups.account import AccountCalls
    from client.groups.administration import AdministrationCalls
    from client.groups.analyses import AnalysesCalls
    from client.groups.chat import ChatCalls
    from client.groups.club_challenges import ClubChallengesCalls
    from client.groups.clubs import ClubsCalls
    from client.groups.conditional_actions import ConditionalActionsCalls
    from client.groups.disputes import DisputesCalls
    from client.groups.explorer import ExplorerCalls
    from client.groups.feeds import FeedsCalls
    from client.groups.history import HistoryCalls
    from client.groups.holidays import HolidaysCalls
    from client.groups.imports import ImportsCalls
    from client.groups.invitations import InvitationsCalls
    from client.groups.notes import NotesCalls
    from client.groups.notifications import NotificationsCalls
    from client.groups.people import PeopleCalls
    from client.groups.pictures import PicturesCalls
    from client.groups.play import PlayCalls
    from client.groups.profiles import ProfilesCalls
    from client.groups.push import PushCalls
    from client.groups.puzzles import PuzzlesCalls
    from client.groups.ratings import RatingsCalls
    from client.groups.sandboxes import SandboxesCalls
    from client.groups.server import ServerCalls
    from client.groups.substitutes import SubstitutesCalls
    from client.groups.tokens import TokensCalls
    from client.groups.tournaments import TournamentsCalls
    from client.groups.transparency import TransparencyCalls
    from client.groups.webhooks import WebhooksCalls


class Groups:
    """The groups of calls of a client."""

    @property
    def account(self) -> "AccountCalls[Self]":
        """The player's own account."""
        from client.groups import account

        return account.AccountCalls(self)

    @property
    def administration(self) -> "AdministrationCalls[Self]":
        """For accounts with the role of an administrator."""
        from client.groups import administration

        return administration.AdministrationCalls(self)

    @property
    def analyses(self) -> "AnalysesCalls[Self]":
        """What finished games meant."""
        from client.groups import analyses

        return analyses.AnalysesCalls(self)

    @property
    def chat(self) -> "ChatCalls[Self]":
        """Messages and comments about games, and players who are muted."""
        from client.groups import chat

        return chat.ChatCalls(self)

    @property
    def club_challenges(self) -> "ClubChallengesCalls[Self]":
        """Challenges between clubs."""
        from client.groups import club_challenges

        return club_challenges.ClubChallengesCalls(self)

    @property
    def clubs(self) -> "ClubsCalls[Self]":
        """Groups of players."""
        from client.groups import clubs

        return clubs.ClubsCalls(self)

    @property
    def conditional_actions(self) -> "ConditionalActionsCalls[Self]":
        """Actions that players prepare while they wait."""
        from client.groups import conditional_actions

        return conditional_actions.ConditionalActionsCalls(self)

    @property
    def disputes(self) -> "DisputesCalls[Self]":
        """Disputes about what happened in a game."""
        from client.groups import disputes

        return disputes.DisputesCalls(self)

    @property
    def explorer(self) -> "ExplorerCalls[Self]":
        """What finished public games have in common."""
        from client.groups import explorer

        return explorer.ExplorerCalls(self)

    @property
    def feeds(self) -> "FeedsCalls[Self]":
        """Feeds of a player's games and deadlines."""
        from client.groups import feeds

        return feeds.FeedsCalls(self)

    @property
    def history(self) -> "HistoryCalls[Self]":
        """The events of games, and what a player has of them."""
        from client.groups import history

        return history.HistoryCalls(self)

    @property
    def holidays(self) -> "HolidaysCalls[Self]":
        """Holidays, and pauses by agreement."""
        from client.groups import holidays

        return holidays.HolidaysCalls(self)

    @property
    def imports(self) -> "ImportsCalls[Self]":
        """Records that players have uploaded."""
        from client.groups import imports

        return imports.ImportsCalls(self)

    @property
    def invitations(self) -> "InvitationsCalls[Self]":
        """Invitations, and rematches."""
        from client.groups import invitations

        return invitations.InvitationsCalls(self)

    @property
    def notes(self) -> "NotesCalls[Self]":
        """Private notes of a player."""
        from client.groups import notes

        return notes.NotesCalls(self)

    @property
    def notifications(self) -> "NotificationsCalls[Self]":
        """Notifications and feeds."""
        from client.groups import notifications

        return notifications.NotificationsCalls(self)

    @property
    def people(self) -> "PeopleCalls[Self]":
        """The people of a game."""
        from client.groups import people

        return people.PeopleCalls(self)

    @property
    def pictures(self) -> "PicturesCalls[Self]":
        """Pictures of positions."""
        from client.groups import pictures

        return pictures.PicturesCalls(self)

    @property
    def play(self) -> "PlayCalls[Self]":
        """Positions and actions."""
        from client.groups import play

        return play.PlayCalls(self)

    @property
    def profiles(self) -> "ProfilesCalls[Self]":
        """What players show of themselves."""
        from client.groups import profiles

        return profiles.ProfilesCalls(self)

    @property
    def push(self) -> "PushCalls[Self]":
        """The player's own push subscriptions."""
        from client.groups import push

        return push.PushCalls(self)

    @property
    def puzzles(self) -> "PuzzlesCalls[Self]":
        """Positions with one clearly best action."""
        from client.groups import puzzles

        return puzzles.PuzzlesCalls(self)

    @property
    def ratings(self) -> "RatingsCalls[Self]":
        """Ratings of players, and how to check them."""
        from client.groups import ratings

        return ratings.RatingsCalls(self)

    @property
    def sandboxes(self) -> "SandboxesCalls[Self]":
        """What if: games beside their logs."""
        from client.groups import sandboxes

        return sandboxes.SandboxesCalls(self)

    @property
    def server(self) -> "ServerCalls[Self]":
        """The server itself."""
        from client.groups import server

        return server.ServerCalls(self)

    @property
    def substitutes(self) -> "SubstitutesCalls[Self]":
        """Vacant seats, and who takes them."""
        from client.groups import substitutes

        return substitutes.SubstitutesCalls(self)

    @property
    def tokens(self) -> "TokensCalls[Self]":
        """Personal tokens, for programs that act for a player."""
        from client.groups import tokens

        return tokens.TokensCalls(self)

    @property
    def tournaments(self) -> "TournamentsCalls[Self]":
        """The conversations of tournaments."""
        from client.groups import tournaments

        return tournaments.TournamentsCalls(self)

    @property
    def transparency(self) -> "TransparencyCalls[Self]":
        """The log of the heads of all games, for witnesses."""
        from client.groups import transparency

        return transparency.TransparencyCalls(self)

    @property
    def webhooks(self) -> "WebhooksCalls[Self]":
        """The player's own webhooks."""
        from client.groups import webhooks

        return webhooks.WebhooksCalls(self)
