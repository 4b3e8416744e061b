"""Messages in the source code: Babel can extract each of them, and each has the values that it names."""

import ast
import re

from tests.support.messages import (
    ROOT,
    calls_of,
    extracted_messages,
    fields,
    message_calls,
    template_calls,
)

CREATING_FILES = ("domain/errors.py", "service/pages/templating.py", "workers/mail/templating.py")
"""The files besides domain/messages.py with functions that create messages: errors, and templates."""


def test_there_are_messages() -> None:
    assert len(message_calls()) > 1000


def test_no_template_is_built_at_run_time() -> None:
    for call in message_calls():
        for argument in call.literals:
            is_literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            assert is_literal, f"{call.place}: the template is not a literal string"


def test_only_known_functions_create_messages_and_terms() -> None:
    calls = [
        call
        for call in calls_of({"Message", "Term"})
        if not any(path in call for path in CREATING_FILES)
    ]
    assert not calls


def test_a_text_in_a_template_is_literal_and_has_the_values_that_it_names() -> None:
    calls = template_calls()
    assert len(calls) > 10
    for call in calls:
        count = 2 if call.function == "plural_text" else 1
        templates = [argument.as_const() for argument in call.node.args[:count]]
        assert all(isinstance(template, str) for template in templates), call.place
        names = {keyword.key for keyword in call.node.kwargs}
        used = set().union(*map(fields, templates))
        if call.function == "plural_text":
            used.add("count")
        assert used == names, f"{call.place}: {sorted(used)} are named, {names} are passed"


def test_a_message_has_the_values_that_its_template_names_and_no_others() -> None:
    for call in message_calls():
        if call.function == "term":
            continue
        names = {keyword.arg for keyword in call.node.keywords}
        assert None not in names, f"{call.place}: values are passed with **"
        used = set().union(*map(fields, call.templates))
        if call.is_plural:
            used.add("count")
        assert used == names, f"{call.place}: {sorted(used)} are named, {names} are passed"


def test_both_templates_of_a_plural_message_have_the_same_values_except_for_the_count() -> None:
    for call in message_calls():
        if call.is_plural:
            singular, plural = map(fields, call.templates)
            assert singular | {"count"} == plural | {"count"}, call.place


def test_no_value_of_a_message_is_a_sentence() -> None:
    """A literal string, or one with words in it, that is passed as a value would never be translated."""
    for call in message_calls():
        for keyword in call.node.keywords:
            words = [
                constant.value
                for constant in ast.walk(keyword.value)
                if isinstance(constant, ast.Constant)
                and isinstance(constant.value, str)
                and " " in constant.value.strip()
            ]
            if not isinstance(keyword.value, ast.Call):
                assert not words, f"{call.place}: {keyword.arg} has the words {words}"


SHORT_FORMS = {"domain/baron/actions.py", "domain/baron/choices.py", "domain/barony/action_text.py"}
"""Files that write actions in the form in which people type them, which is the same in every language."""


def test_the_domain_puts_no_sentence_together() -> None:
    """Words in a formatted string are only for programmers: in exceptions of Python, and in `__repr__`."""
    for path in (ROOT / "domain").rglob("*.py"):
        if str(path.relative_to(ROOT)) in SHORT_FORMS:
            continue
        tree = ast.parse(path.read_text())
        allowed = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.Raise)
            or (isinstance(node, ast.FunctionDef) and node.name == "__repr__")
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) and id(node) not in allowed:
                words = [part for part in node.values if isinstance(part, ast.Constant)]
                sentence = " ".join(str(part.value) for part in words)
                assert not re.search(r"[a-z]{2} | [a-z]{2}", sentence), f"{path}:{node.lineno}"


def test_babel_extracts_every_message() -> None:
    extracted = {entry.id for entry in extracted_messages()}
    for call in message_calls():
        templates = call.templates
        id = tuple(templates) if call.is_plural else templates[0]
        assert id in extracted, call.place
