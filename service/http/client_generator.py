"""Writes the calls of client/groups/ from the OpenAPI document: `python -m service.http.client_generator`.

It also writes the table of docs/client.md that lists them. With `--check` it writes nothing, and exits with
status 1 if a file is not as it would write it. A call that
client/calls.py describes by hand is left out (BY_HAND), and every other one becomes a function, and a method
of the group of its tag. The types of bodies and results are TypedDicts, in the module of the group that uses
them, or in `shared` if several do.
"""

import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import orjson

from domain.json_types import JsonObject
from domain.registry import EXPANSIONS
from service.bootstrap import build
from service.http.api_docs import PREFIX
from service.http.app import create_app, openapi_document
from service.http.client_types import TypeWriter, docstring, ruff_format
from service.settings import Settings

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = Path("client", "groups")
PAGE: Final = Path("docs", "client.md")
_TABLE: Final = re.compile(r"(?<=\| group \| methods \|\n\| --- \| --- \|\n)(\| .*\n)*")
BY_HAND: Final = frozenset(
    {
        *("register_player", "create_guest", "log_in", "log_out", "name_guest", "get_me"),
        *("create_game", "list_games", "get_game", "join_game", "add_bot", "leave_game"),
        *("create_invitation", "revoke_invitation", "get_invitation"),
        *("list_messages", "post_message", "erase_message"),
        *("get_position", "get_legal_actions", "get_lessons", "submit_action"),
        *("open_dispute", "withdraw_dispute", "answer_dispute"),
        *("request_takeback", "answer_takeback", "agree_to_pause", "give_time"),
        *("list_events", "list_public_events", "get_record", "stream_events", "stream_my_games"),
    }
)
"""The operations that client/calls.py and client/streams.py describe."""

_GROUP_OF_TAG: Final[Mapping[str, str]] = {
    "players": "account",
    "games": "server",
    "messages": "chat",
    "comments": "chat",
    "tournament_posts": "tournaments",
    "mutes": "chat",
    "clocks": "holidays",
    "receipts": "history",
    "own imports": "imports",
    "health": "server",
}
"""The groups of tags that do not have the name of their group."""
_GROUP_OF_OPERATION: Final[Mapping[str, str]] = {
    "list_personal_tokens": "tokens",
    "create_personal_token": "tokens",
    "revoke_personal_token": "tokens",
    "revoke_personal_tokens": "tokens",
    "list_feeds": "feeds",
    "create_feeds": "feeds",
    "revoke_feeds": "feeds",
    "get_atom_feed": "feeds",
    "get_calendar": "feeds",
    "list_keys": "server",
    "list_announcements": "server",
}
_TITLES: Final[Mapping[str, str]] = {
    "account": "The player's own account.",
    "chat": "Messages and comments about games, and players who are muted.",
    "feeds": "Feeds of a player's games and deadlines.",
    "history": "The events of games, and what a player has of them.",
    "server": "The server itself.",
    "tokens": "Personal tokens, for programs that act for a player.",
}
"""What the groups have that are not those of one tag."""
_METHODS: Final[Mapping[str, str]] = {
    "change_account": "change",
    "erase_player": "erase",
    "list_my_keys": "list_keys",
    "revoke_personal_tokens": "revoke_all",
    "get_calendar": "read_calendar",
    "get_position_svg": "draw_svg",
    "get_position_png": "draw_png",
    "get_game_notifications": "get_of_game",
    "choose_game_notifications": "choose_of_game",
    "list_all_notes": "list_all",
    "upload_record": "upload",
    "get_imported_record": "get_record",
    "list_own_imports": "list_own",
    "undo_in_sandbox": "undo",
    "list_my_clubs": "list_own",
    "list_my_invitations": "list",
    "hand_club_on": "hand_on",
    "revoke_club_link": "revoke_link",
    "list_games_of_player": "list_games",
    "let_bots_act_in_sandbox": "let_bots_act",
    "get_atom_feed": "read_atom",
    "delete_import_as_administrator": "delete_import",
}
"""The methods whose names do not follow from the operation: its id without the words of its group."""
_PREPOSITIONS: Final = frozenset({"to", "from", "in", "for"})
_LONG: Final = frozenset({"application/jsonl", "application/x-ndjson"})
_SPECIAL_NAMES: Final[Mapping[str, str]] = {"from": "from_"}
_HEADER: Final = '''"""{title}

`python -m service.http.client_generator` has written this file.
"""

'''


class GeneratorError(Exception):
    """The document has something that the generator cannot express."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the document."""

    method: str
    path: str
    description: JsonObject

    @property
    def id(self) -> str:
        """Its operationId."""
        return str(self.description["operationId"])

    @property
    def group(self) -> str:
        """The name of its group."""
        (tag,) = self.description["tags"]
        return _GROUP_OF_OPERATION.get(self.id) or _GROUP_OF_TAG.get(tag, tag.replace(" ", "_"))

    @property
    def method_name(self) -> str:
        """The name of its method within its group."""
        if self.id in _METHODS:
            return _METHODS[self.id]
        own = {"personal"}
        for word in self.group.split("_"):
            stem = word.removesuffix("es")
            own |= {word, word.removesuffix("s"), stem, f"{stem}is"}
        kept = [word for word in self.id.split("_") if word not in own]
        while kept[-1] in _PREPOSITIONS:
            kept.pop()
        return "_".join(kept)

    def parameters(self, place: str) -> list[JsonObject]:
        """Return its parameters of the path or of the query."""
        return [entry for entry in self.description["parameters"] if entry["in"] == place]

    def has_header(self, name: str) -> bool:
        """Whether it has a header with this name."""
        return any(entry["name"] == name for entry in self.parameters("header"))

    @property
    def bodies(self) -> Mapping[str, JsonObject]:
        """The schemas of its request body, by media type."""
        content = self.description.get("requestBody", {}).get("content", {})
        return {kind: entry["schema"] for kind, entry in content.items()}

    @property
    def result(self) -> tuple[str, JsonObject]:
        """Media type and schema of its successful response; an empty type if it has no content."""
        replies = {
            (kind, orjson.dumps(entry["schema"])): entry["schema"]
            for status, reply in self.description["responses"].items()
            if status.startswith("2")
            for kind, entry in reply.get("content", {}).items()
        }
        if not replies:
            return "", {}
        if len(replies) > 1:
            raise GeneratorError(f"{self.id} has several results")
        ((kind, _),) = replies
        return kind, next(iter(replies.values()))


@dataclass(slots=True)
class _Module:
    """A module of client/groups/: the operations of a group."""

    name: str
    title: str
    operations: list[Operation] = field(default_factory=list)

    def methods(self) -> dict[str, str]:
        """Return the ids of the operations by the names of their methods. Raises GeneratorError."""
        methods: dict[str, str] = {}
        for operation in self.operations:
            name = operation.method_name
            if name in methods:
                raise GeneratorError(f"{operation.id} and {methods[name]} are both {name}")
            methods[name] = operation.id
        return methods


def operations_of(document: JsonObject) -> Iterator[Operation]:
    """Yield the operations of a document."""
    for path, methods in document["paths"].items():
        for method, description in methods.items():
            if isinstance(description, dict):
                parameters = [*methods.get("parameters", ()), *description.get("parameters", ())]
                yield Operation(method.upper(), path, {**description, "parameters": parameters})


def modules_of(document: JsonObject) -> dict[str, _Module]:
    """Return the modules that operations of a document belong to, by the names of the groups."""
    modules: dict[str, _Module] = {}
    titles = {tag["name"]: tag["description"] for tag in document["tags"]}
    for operation in operations_of(document):
        if operation.id in BY_HAND:
            continue
        (tag,) = operation.description["tags"]
        name = operation.group
        module = modules.setdefault(name, _Module(name, _TITLES.get(name, titles[tag])))
        module.operations.append(operation)
    return modules


def generate(document: JsonObject) -> dict[str, str]:
    """Return the files of client/groups/ by their names. Raises GeneratorError."""
    modules = modules_of(document)
    types = TypeWriter(document["components"]["schemas"])
    users: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for operation in module.operations:
            for component in types.needed(
                [
                    *operation.bodies.values(),
                    operation.result[1],
                    *(entry["schema"] for entry in operation.parameters("query")),
                ]
            ):
                users[component].add(module.name)
    shared = {component for component, names in users.items() if len(names) > 1}
    # What a shared type consists of is shared as well.
    shared |= set(types.needed([types.reference(component) for component in shared]))
    files = {
        f"{module.name}.py": _module(
            module,
            types,
            [name for name in users if module.name in users[name] and name not in shared],
        )
        for module in modules.values()
    }
    files["shared.py"] = _HEADER.format(title="The types that several groups of calls use.") + (
        types.imports_of(shared) + types.definitions(shared)
    )
    files["all.py"] = _all(modules)
    return dict(zip(files, ruff_format(list(files.values())), strict=True))


def _class_of(group: str) -> str:
    return "".join(word.capitalize() for word in group.split("_")) + "Calls"


def _module(module: _Module, types: TypeWriter, own: Sequence[str]) -> str:
    """Return the text of the module of a group."""
    functions = "\n\n".join(_function(operation, types) for operation in module.operations)
    lines = [f"    {name} = Method({id})" for name, id in module.methods().items()]
    definition = f"class {_class_of(module.name)}(Group[C_co]):\n{docstring(module.title, 4)}\n\n"
    body = "\n\n\n".join([types.definitions(own), functions, definition + "\n".join(lines)])
    return _HEADER.format(title=f"{module.title}") + types.imports_of(own, body) + body + "\n"


def _function(operation: Operation, types: TypeWriter) -> str:
    """Return the function that describes the call of an operation."""
    path = operation.path.removeprefix(PREFIX)
    arguments: list[str] = []
    for entry in operation.parameters("path"):
        name = entry["name"].removesuffix("_id")
        path = path.replace(f"{{{entry['name']}}}", f"{{segment({name})}}")
        kind = "int" if entry["schema"]["type"] == "integer" else "str"
        arguments.append(f"{name}: {kind}")
    bodies = operation.bodies
    is_file = bool(bodies) and "application/json" not in bodies
    if is_file:
        arguments.append("file: bytes")
    if arguments:
        arguments.append("/")
    keywords: list[str] = []
    params: list[str] = []
    options = {option for _, option in EXPANSIONS}
    for entry in sorted(operation.parameters("query"), key=lambda entry: not entry.get("required")):
        if entry["name"] in options:
            # The client knows no game.
            keywords.append("conditions: Mapping[str, str] | None = None")
            params.insert(0, "**(conditions or {})")
            continue
        name = _SPECIAL_NAMES.get(entry["name"], entry["name"])
        kind = types.of_parameter(entry["schema"])
        keywords.append(
            f"{name}: {kind}" if entry.get("required") else f"{name}: {kind} | None = None"
        )
        params.append(f'"{entry["name"]}": {name}')
    if operation.has_header("Idempotency-Key"):
        keywords.append("idempotency_key: str | None = None")
    if keywords:
        arguments += ["*", *keywords]
    if bodies and not is_file:
        arguments.append(f"**body: Unpack[{types.of(bodies['application/json'])}]")
    result, read = _result(operation, types)
    text = f'f"{path}"' if "{" in path else f'"{path}"'
    further = [f"params={{{', '.join(params)}}}"] if params else []
    if read == "":
        return_value = f"long_call({', '.join([text, *further])})"
    else:
        if bodies:
            further.append("file=file" if is_file else "body=body")
        if operation.has_header("Idempotency-Key"):
            further.append("key=new_key(idempotency_key)")
        if not operation.description["security"]:
            further.append("sends_token=False")
        if not operation.path.startswith(PREFIX):
            further.append('prefix=""')
        words = ", ".join([f'"{operation.method}"', text, read, *further])
        return_value = f"call({words})"
    summary, details = operation.description["summary"], operation.description.get("description")
    document = docstring(summary, 4, details)
    return (
        f"def {operation.id}({', '.join(arguments)}) -> Call[{result}]:\n"
        f"{document}\n    return {return_value}\n"
    )


def _result(operation: Operation, types: TypeWriter) -> tuple[str, str]:
    """Return the type of the result of an operation, and what reads it: empty for one as long as a record."""
    kind, schema = operation.result
    if not kind:
        return "None", "read_nothing"
    if kind == "application/json":
        name = types.of(schema)
        return name, f"reader({name})"
    if kind in _LONG:
        return "bytes", ""
    if schema.get("format") == "binary":
        return "bytes", "read_bytes"
    if kind.startswith("text/") or kind.endswith("xml"):
        return "str", "read_text"
    raise GeneratorError(f"{operation.id} returns {kind}")


def _all(modules: Mapping[str, _Module]) -> str:
    """Return the module with the base class of both clients, which has all groups."""
    names = sorted(modules)
    imports = "\n".join(f"    from client.groups.{name} import {_class_of(name)}" for name in names)
    properties = "\n\n".join(
        f'    @property\n    def {name}(self) -> "{_class_of(name)}[Self]":\n'
        f"{docstring(modules[name].title, 8)}\n"
        f"        from client.groups import {name}\n\n"
        f"        return {name}.{_class_of(name)}(self)"
        for name in names
    )
    title = "All groups of calls, as attributes of a client. A group is imported when it is used."
    return (
        _HEADER.format(title=title)
        + f"from typing import TYPE_CHECKING, Self\n\nif TYPE_CHECKING:\n{imports}\n\n\n"
        + 'class Groups:\n    """The groups of calls of a client."""\n\n'
        + f"{properties}\n"
    )


def document_of_code() -> JsonObject:
    """Return the OpenAPI document of this code. Nothing connects to Redis."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        nowhere = "redis://127.0.0.1:1"
        service = build(
            Settings(data=data, redis_url=nowhere, queue_url=nowhere, signing_key=data / "key.pem")
        )
        document: JsonObject = orjson.loads(openapi_document(create_app(service)))
        return document


def page_with_table(page: str, document: JsonObject) -> str:
    """Return the text of docs/client.md with the table of all groups."""
    rows = "".join(
        f"| `{name}` | {', '.join(f'`{method}`' for method in module.methods())} |\n"
        for name, module in sorted(modules_of(document).items())
    )
    return _TABLE.sub(lambda _: rows, page, count=1)


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Write the files below a folder, or check them, and return the exit status."""
    document = document_of_code()
    page = (root / PAGE).read_text("utf-8")
    files = {FOLDER / name: text for name, text in generate(document).items()}
    files[PAGE] = page_with_table(page, document)
    present = {
        path.relative_to(root): path.read_text("utf-8")
        for path in (root / FOLDER).glob("*.py")
        if path.name != "__init__.py"
    }
    present[PAGE] = page
    changed = sorted(
        path for path in files.keys() | present.keys() if files.get(path) != present.get(path)
    )
    if "--check" in arguments:
        for path in changed:
            print(f"{path} differs: run `make client`")  # noqa: T201 # a command
        return 1 if changed else 0
    for path in changed:
        if path in files:
            (root / path).write_text(files[path], "utf-8")
        else:
            (root / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
