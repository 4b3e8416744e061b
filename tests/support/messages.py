"""The calls in the source code that create messages, found without running it."""

import ast
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Message
from filelock import FileLock
from jinja2 import Environment, nodes

from replay.language.maintenance import TEMPLATE_KEYWORDS, extract_messages

ROOT = Path(__file__).parents[2]
_EXTRACTED = ROOT / ".pytest_cache" / "d" / "messages"
PACKAGES = ("domain", "ledger", "replay", "client", "service", "workers", "cartulary")
TEMPLATES = {
    "message": slice(0, 1),
    "message_in": slice(0, 2),
    "plural_message": slice(0, 2),
    "reason": slice(1, 2),
    "plural_reason": slice(1, 3),
    "refusal": slice(1, 2),
    "not_now": slice(0, 1),
    "with_message": slice(0, 1),
    "term": slice(0, 1),
}
"""By function, which of its arguments must be literal strings."""
MODULES = ("domain.messages", "domain.errors")
"""The modules with these functions, except for `with_message`, the method of all errors."""


@dataclass(frozen=True, slots=True)
class MessageCall:
    """A call of a function that creates messages."""

    path: Path
    line: int
    function: str
    node: ast.Call

    @property
    def place(self) -> str:
        """Return the file and line of the call."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"

    @property
    def is_plural(self) -> bool:
        """Return whether it has a template for one and another for several."""
        return self.function in ("plural_message", "plural_reason")

    @property
    def literals(self) -> list[ast.expr]:
        """Return the arguments that must be literal strings."""
        return self.node.args[TEMPLATES[self.function]]

    @property
    def templates(self) -> list[str]:
        """Return the templates of the message."""
        literals = self.literals[1:] if self.function == "message_in" else self.literals
        return [ast.literal_eval(literal) for literal in literals]


@dataclass(frozen=True, slots=True)
class TemplateCall:
    """A call in a template of a page that creates a message."""

    place: str
    function: str
    node: nodes.Call


def template_calls() -> list[TemplateCall]:
    """Return every call in the templates of pages that creates a message."""
    environment = Environment(autoescape=True)
    return [
        TemplateCall(f"{path.relative_to(ROOT)}:{node.lineno}", node.node.name, node)
        for path in sorted((ROOT / "service").glob("*/templates/*.html"))
        for node in environment.parse(path.read_text()).find_all(nodes.Call)
        if isinstance(node.node, nodes.Name) and node.node.name in TEMPLATE_KEYWORDS
    ]


def fields(template: str) -> set[str]:
    """Return the names of the values in a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@lru_cache
def extracted_messages() -> tuple[Message, ...]:
    """Return what Babel extracts from the packages and from click.

    That takes it seconds, so the processes of a run, and later runs, share what one of them has extracted
    from the same files.
    """
    files = [
        path
        for package in PACKAGES
        for pattern in ("*.py", "templates/**/*.html", "templates/**/*.txt")
        for path in sorted((ROOT / package).rglob(pattern))
    ]
    digest = sha256(f"{version('babel')} {version('click')}".encode())
    for path in files:
        digest.update(f"{path}".encode() + sha256(path.read_bytes()).digest())
    _EXTRACTED.mkdir(parents=True, exist_ok=True)
    kept = _EXTRACTED / digest.hexdigest()
    with FileLock(_EXTRACTED / "lock"):
        if not kept.exists():
            for earlier in _EXTRACTED.glob("[0-9a-f]*"):
                earlier.unlink()
            extracted = tuple(entry for entry in extract_messages() if entry.id)
            incomplete = _EXTRACTED / "incomplete"
            incomplete.write_bytes(pickle.dumps(extracted))
            incomplete.rename(kept)
        messages: tuple[Message, ...] = pickle.loads(kept.read_bytes())  # noqa: S301 # our own file
    return messages


@lru_cache
def term_templates() -> frozenset[str]:
    """Return the templates of all terms. Of the packages, only the files with terms are parsed."""
    return frozenset(
        call.templates[0]
        for path in _sources()
        if "term(" in path.read_text()
        for call in _calls(path)
        if call.function == "term"
    )


@lru_cache
def message_calls() -> tuple[MessageCall, ...]:
    """Return every call in the packages that creates a message or a term."""
    return tuple(call for path in sorted(_sources()) for call in _calls(path))


def _sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (ROOT / package).rglob("*.py")


def _calls(path: Path) -> Iterator[MessageCall]:
    text = path.read_text()
    if not any(name in text for name in (*MODULES, ".with_message(")):
        return
    imports, calls = _imports_and_calls(path)
    imported = {
        alias.asname or alias.name: alias.name
        for node in imports
        if node.module in MODULES
        for alias in node.names
    }
    for call in calls:
        if isinstance(call.func, ast.Name):
            function = imported.get(call.func.id)
            if function in TEMPLATES:
                yield MessageCall(path, call.lineno, function, call)
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "with_message":
            yield MessageCall(path, call.lineno, "with_message", call)


def calls_of(class_names: set[str]) -> Iterator[str]:
    """Yield the places outside domain/messages.py where one of these classes is called."""
    for path in _sources():
        text = path.read_text()
        if path != ROOT / "domain" / "messages.py" and "domain.messages" in text:
            for call in _imports_and_calls(path)[1]:
                if isinstance(call.func, ast.Name) and call.func.id in class_names:
                    yield f"{path.relative_to(ROOT)}:{call.lineno}"


@cache
def _imports_and_calls(path: Path) -> tuple[list[ast.ImportFrom], list[ast.Call]]:
    """Return what a file imports from modules, and its calls: one walk through its tree, which takes long."""
    imports: list[ast.ImportFrom] = []
    calls: list[ast.Call] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            calls.append(node)
        elif isinstance(node, ast.ImportFrom):
            imports.append(node)
    return imports, calls
