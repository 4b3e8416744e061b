"""The description of a chart of scores in words."""

from domain.messages import Message, PlayerAt, message
from replay.language.renderer import Renderer
from replay.score_chart import Mark, ScoreChart, ordinal


def mark_message(mark: Mark) -> Message:
    """Return what happened in the event of a mark."""
    return message("event {seq}: {outcome}", seq=mark.seq, outcome=mark.outcome)


def describe_chart(chart: ScoreChart, renderer: Renderer) -> str:
    """Return what the chart shows in a few sentences."""
    rounds = {end.round for end in chart.rounds}
    scored = {end.round for end in chart.rounds if end.scored_by is not None}
    sentences = [
        message(
            "{score} of {seats} players after {events} events.",
            score=chart.score_name,
            seats=chart.seats,
            events=chart.points[-1].seq,
        ),
        message("Rounds that have ended: {rounds}.", rounds=len(rounds)),
        message("Rounds that are scored: {rounds}.", rounds=len(scored)),
    ]
    for seat, score in enumerate(chart.points[-1].scores):
        player = PlayerAt(seat)
        if chart.places:
            place = ordinal(chart.places[seat])
            sentences.append(
                message(
                    "{player:label}: {score}, {place}.", player=player, score=score, place=place
                )
            )
        else:
            sentences.append(message("{player:label}: {score}.", player=player, score=score))
    sentences += [message("{mark}.", mark=mark_message(mark)) for mark in chart.marks]
    sentences += [
        message("Events {first} to {last} are superseded.", first=start, last=end)
        for start, end in chart.superseded
    ]
    return " ".join(map(renderer.sentence, sentences))
