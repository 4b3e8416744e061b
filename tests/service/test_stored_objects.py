"""What a later version has stored is read by this one, and is still there when this one has changed it."""

import ast
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, replace
from datetime import time
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import orjson
import pytest
import redis

from domain.conditional import Node
from service import wall_clock
from service.bootstrap import Service
from service.chat.reports import ChatMessageReports
from service.connection import connect
from service.games.player_statistics import PlayerStatistics
from service.notification_subjects.table import KINDS
from service.notifications.mail.account_mails import AccountMails
from service.notifications.preferences import PreferenceStore
from service.stored_objects import decode_object, members_of

ROOT = Path(__file__).parents[2]
SOURCES = [path for name in ("service", "workers") for path in sorted((ROOT / name).rglob("*.py"))]


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a module, methods included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


def calls(node: ast.AST, name: str) -> list[ast.Call]:
    """Return the calls of a function in a node, such as `decode_object` or `orjson.loads`."""
    return [
        call
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == name
    ]


def object_types() -> dict[str, type]:
    """Return every class as which a stored record is read, by its module and name."""
    types = {}
    for path in SOURCES:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        # Every process of a run collects this file, so modules that cannot have such a call are not parsed.
        if "decode_object" not in path.read_text(encoding="utf-8"):
            continue
        for function in functions(path):
            for call in calls(function, "decode_object"):
                name: str = ast.unparse(call.args[0])
                if name == "cls":
                    assert function.returns is not None
                    name = ast.unparse(function.returns).strip("'")
                if name != "object_type":
                    types[f"{module}.{name}"] = getattr(importlib.import_module(module), name)
    return types


OBJECT_TYPES = object_types()


def written_again() -> list[type]:
    """Return the classes whose records are changed: the modules store what `members_of` returns."""
    return [
        item
        for name, item in OBJECT_TYPES.items()
        if "members_of" in vars(importlib.import_module(name.rpartition(".")[0]))
    ]


def value_of(hint: Any) -> Any:
    """Return a value of a member; a word that nobody knows for one that is one of some words."""
    if get_origin(hint) is Literal:
        return "a word of a later version"
    for item in get_args(hint):
        if get_origin(item) is Literal:
            return "a word of a later version"
    plain = get_origin(hint) or hint
    return {str: "text", int: 1, bool: True, tuple: [], list: [], dict: {}}.get(plain, {})


def members(object_type: Any) -> dict[str, Any]:
    """Return a stored record that has the members without a default, and every word."""
    hints = get_type_hints(object_type, localns={"Node": Node})

    def is_stored(field: Field[Any]) -> bool:
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        return not has_default or get_origin(hints[field.name]) is Literal

    return {
        item.name: value_of(hints[item.name]) for item in fields(object_type) if is_stored(item)
    }


def test_records_of_every_kind_are_found() -> None:
    assert len(OBJECT_TYPES) > 15
    assert len(written_again()) > 7


@pytest.mark.parametrize("object_type", OBJECT_TYPES.values(), ids=lambda item: item.__name__)
def test_a_record_with_a_member_and_words_of_a_later_version_is_read(object_type: Any) -> None:
    stored = members(object_type)
    record = decode_object(object_type, orjson.dumps({**stored, "later": {"a": [1]}}))
    assert {name: getattr(record, name) for name in stored} == stored


@pytest.mark.parametrize("object_type", written_again(), ids=lambda item: item.__name__)
def test_a_changed_record_keeps_the_members_of_a_later_version(object_type: Any) -> None:
    record = decode_object(object_type, {**members(object_type), "later": {"a": [1]}})
    assert members_of(replace(record))["later"] == {"a": [1]}


def test_a_record_within_a_record_keeps_its_members_too() -> None:
    stored = {
        "games": {"barony 3": {"playing": 1, "later": 2}},
        "reliability": {"recent": "1", "later": 3},
        "later": 4,
    }
    again = orjson.loads(PlayerStatistics.decode(orjson.dumps(stored).decode()).encode())
    assert again["later"] == 4
    assert again["reliability"]["later"] == 3
    assert again["games"]["barony 3"]["later"] == 2


def test_no_decoded_json_is_the_arguments_of_a_call() -> None:
    """Such a call fails with a member of a later version: `decode_object` is for that."""
    spread = [
        f"{path.relative_to(ROOT)}: {ast.unparse(call)}"
        for path in SOURCES
        if path.name != "stored_objects.py"
        for function in functions(path)
        if calls(function, "orjson.loads")
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and any(keyword.arg is None for keyword in call.keywords)
    ]
    assert not spread


LATER: Mapping[str, Any] = {
    "kinds": {
        "email": ["your_turn", "later_kind"],
        "webhook": [],
        "push": ["game_over"],
        "later_channel": ["your_turn"],
    },
    "digest": "weekly",
    "quiet_hours": ["22:00", "07:00"],
    "offered": [*KINDS, "later_kind", "other_kind", "push.other_kind"],
    "later": {"a": [1]},
}


@pytest.fixture
def redis_client(service: Service, redis_url: str) -> Iterator[redis.Redis]:
    """Yield a client of the Redis of a service, which is empty."""
    with connect(redis_url) as client:
        yield client


@pytest.fixture
def preferences(redis_client: redis.Redis) -> PreferenceStore:
    redis_client.set("cartulary:notifications:anna", orjson.dumps(LATER))
    return PreferenceStore(redis_client)


def stored(client: redis.Redis) -> dict[str, Any]:
    value: Any = client.get("cartulary:notifications:anna")
    fields: dict[str, Any] = orjson.loads(value)
    return fields


def test_preferences_of_a_later_version_are_what_the_player_has_chosen(
    preferences: PreferenceStore,
) -> None:
    assert preferences.of("anna").as_json() == {
        "kinds": {"email": ["your_turn"], "webhook": [], "push": ["game_over"]},
        "digest": None,
        "quiet_hours": ["22:00", "07:00"],
    }


def test_changed_preferences_keep_what_a_later_version_has_stored(
    preferences: PreferenceStore, redis_client: redis.Redis
) -> None:
    preferences.change("anna", {"kinds": {"email": ["your_turn", "message"]}})
    again = stored(redis_client)
    assert again["kinds"]["email"] == ["your_turn", "message"]
    assert again["kinds"]["later_channel"] == ["your_turn"]
    assert again["digest"] == "weekly"
    assert again["later"] == {"a": [1]}
    assert {"later_kind", "other_kind", "email.later_kind", "push.other_kind"} <= {
        *again["offered"]
    }
    assert preferences.of("anna").kinds["push"] == {"game_over", "other_kind"}


def test_what_a_player_chooses_replaces_a_value_of_a_later_version(
    preferences: PreferenceStore, redis_client: redis.Redis
) -> None:
    preferences.change("anna", {"digest": "08:30", "kinds": {"email": []}})
    again = stored(redis_client)
    assert again["digest"] == "08:30"
    assert "email.later_kind" not in again["offered"]
    assert preferences.of("anna").digest == time(8, 30)


def test_an_account_mail_of_a_later_version_is_left_alone(redis_client: redis.Redis) -> None:
    mails = AccountMails(redis_client)
    later: Any = "later_kind"
    for kind in (later, "password_changed"):
        mails.add(kind, "anna", "digest", id=kind)
    assert mails.take_due(wall_clock.now(), 10) == [("password_changed", "anna")]
    assert redis_client.get("cartulary:account-mail:later_kind") is not None


def test_a_report_of_a_later_kind_is_not_taken_for_one_of_a_comment(
    redis_client: redis.Redis,
) -> None:
    reports = ChatMessageReports(redis_client, 10, 10)
    later: Any = "later_kind"
    reports.add("game", 1, "anna", "bert", "text", None, later)
    comment = reports.add("game", 1, "anna", "bert", "text", None, "comment")
    assert reports.page()[0] == [comment]
