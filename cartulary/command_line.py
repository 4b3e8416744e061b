"""Commands and options of click whose texts are messages, shown in the language of the command line.

Every command has the option `--lang`, so that it may stand before a subcommand or after it. The
commands that read records work without the dependencies of the extra `server`, and the others raise
ServerExtraMissing where these are not installed.
"""

import gettext
import io
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import click
from typing_extensions import override

from cartulary.language import LANGUAGE_OPTION, language_of, text, without_language
from domain.errors import CartularyError
from domain.messages import Message, Text, comma_list, message, message_in
from ledger.files.os_errors import os_reason
from replay.language.catalogue import languages
from replay.language.text_layout import clean


class _Translated:
    """An attribute of click that is set to a message and read as text.

    It may be set to several messages as well, which are paragraphs, or to a string that has no words.
    """

    def __init__(self, default: Message | None = None) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = vars(instance).get(self._name, self._default)
        if value is None:
            return None
        paragraphs = value if isinstance(value, tuple) else (value,)
        return "\n\n".join(map(text, paragraphs))

    def __set__(self, instance: Any, value: Message | tuple[Message, ...] | str | None) -> None:
        vars(instance)[self._name] = value


class Option(click.Option):
    """An option whose help and metavar are messages."""

    help: Any = _Translated()
    metavar: Any = _Translated()

    def __init__(self, *args: Any, help: Message | None = None, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.help = help

    @override
    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the names and the help, with remarks such as the default separated as in the language."""
        record = super().get_help_record(ctx)
        if record is None or not record[1].endswith("]"):
            return record
        names, description = record
        sentences, bracket, remarks = description.rpartition("[")
        separator = text(message_in("in a list", "; "))
        return names, sentences + bracket + remarks.replace("; ", separator)


class Argument(click.Argument):
    """An argument whose metavar is a message."""

    metavar: Any = _Translated()


class Integer(click.types.IntParamType):
    """A whole number, whose name is a message."""

    name: Any = _Translated(message_in("type of a value", "integer"))


class IntRange(click.IntRange):
    """A whole number within bounds, whose name is a message."""

    name: Any = _Translated(message_in("type of a value", "integer"))


class FloatRange(click.FloatRange):
    """A number within bounds, whose name is a message."""

    name: Any = _Translated(message_in("type of a value", "number"))


class PathType(click.Path):
    """The path of a file or of a folder, whose name is a message."""

    name: Any = _Translated()

    def __init__(self, **attributes: Any) -> None:
        super().__init__(path_type=pathlib.Path, **attributes)
        if not self.dir_okay:
            self.name = message_in("type of a value", "file")
        elif not self.file_okay:
            self.name = message_in("type of a value", "directory")
        else:
            self.name = message_in("type of a value", "path")


class File(click.File):
    """A file to read, whose name and errors are messages."""

    name: Any = _Translated(message_in("type of a value", "file"))

    def __init__(self) -> None:
        super().__init__("rb")

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Open the file. Raises BadParameter."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if not isinstance(reason := error.__context__, OSError):
                raise
            path = click.format_filename(value)
            fault = message("cannot open {path}: {reason}", path=path, reason=os_reason(reason))
            raise click.BadParameter(text(fault), ctx, param) from None


class Context(click.Context):
    """A context whose errors quote arguments without characters that could do harm in a terminal."""

    @override
    def fail(self, message: str) -> NoReturn:
        """Raise a UsageError."""
        super().fail(clean(message))


def usage_error(fault: Text) -> click.UsageError:
    """Return the error of a command that is used wrongly."""
    return click.UsageError(text(fault))


def bad_parameter(fault: Text, name: str | None = None) -> click.BadParameter:
    """Return the error of a command to which an invalid value of an option or of an argument is given."""
    return click.BadParameter(text(fault), param_hint=name)


HAS_FAULT: Final = "cartulary.fault"
"""The name in a context's `meta` of the fact that a command shows something in which a fault was found."""


class Command(click.Command):
    """A command whose help is a message, or several that are paragraphs; with the option `--lang`."""

    context_class: type[click.Context] = Context
    help: Any = _Translated()
    options_metavar: Any = _Translated()

    def __init__(
        self,
        name: str | None = None,
        *,
        help: tuple[Message, ...],
        params: Sequence[click.Parameter] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(name, params=[*params, _LANGUAGE], **attributes)
        self.help = help
        self.options_metavar = message_in("metavar", "[OPTIONS]")

    @override
    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; it exits with status 1 if it has reported a fault."""
        try:
            result = super().invoke(ctx)
        except click.UsageError as error:
            if not ctx.meta.get(HAS_FAULT):
                raise
            # What was asked for may be in the part that cannot be read.
            raise click.ClickException(error.message) from None
        if ctx.meta.get(HAS_FAULT):
            ctx.exit(1)
        return result

    @override
    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the whole first sentence of the help; click itself would cut a long one short."""
        paragraph = (self.help or "").partition("\n\n")[0]
        sentence, full_stop, _ = paragraph.partition(". ")
        return sentence + full_stop.rstrip()

    @override
    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option `--help`, which click creates once, with its help in the current language."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = gettext.gettext("Show this message and exit.")
        return option


class Group(Command, click.Group):
    """A group of commands; as the whole program it selects the language of the command line."""

    command_class: type[click.Command] | None = Command
    subcommand_metavar: Any = _Translated()

    def __init__(self, name: str | None = None, **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self.subcommand_metavar = message_in("metavar", "COMMAND [ARGS]...")

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; where there are none but `--lang`, the help is shown."""
        return super().parse_args(ctx, args if without_language(args) else [])

    @override
    def main(self, args: Sequence[str] | None = None, *others: Any, **attributes: Any) -> Any:
        """Run the program in the language of its command line."""
        arguments = sys.argv[1:] if args is None else list(args)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Its encoding need not have all characters of the language.
            sys.stdout.reconfigure(errors="replace")
        with language_of(arguments):
            return super().main(arguments, *others, **attributes)


def command(
    name: str, *, help: tuple[Message, ...], **attributes: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command. Its help consists of paragraphs; the first sentence is the short help."""
    return click.command(name, cls=Command, help=help, **attributes)


def group(
    name: str, *, help: tuple[Message, ...], cls: type[Group] = Group, **attributes: Any
) -> Callable[[Callable[..., Any]], Group]:
    """Make a function a group of commands; see `command`."""
    return click.group(name, cls=cls, help=help, **attributes)


def option(
    *names: str, help: Message | None = None, **attributes: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add an option to a command, like `click.option`, with a message as `help` and perhaps as `metavar`."""
    return click.option(*names, cls=Option, help=help, **attributes)


def argument(
    name: str, *, metavar: Message | str, **attributes: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add an argument to a command, like `click.argument`, with a message as `metavar`."""
    return click.argument(name, cls=Argument, metavar=metavar, **attributes)


_LANGUAGE: Final = Option(
    [LANGUAGE_OPTION],
    metavar=message_in("metavar", "LANGUAGE"),
    expose_value=False,
    help=message(
        "Language of the output: {languages}; default: that of the locale.",
        languages=comma_list(languages()),
    ),
)
"""The option that `language_of` evaluates before click parses the arguments."""


INSTALL_COMMAND: Final = "python -m pip install 'cartulary[server]'"
_OWN_PACKAGES: Final = frozenset(
    {"cartulary", "client", "domain", "ledger", "replay", "service", "workers"}
)


class ServerExtraMissing(CartularyError):
    """A package that only the server needs is not installed."""


def server_extra_missing(error: ModuleNotFoundError) -> ServerExtraMissing:
    """Return the error to raise in place of the error of an import.

    Raises the error of the import itself if the module that it lacks is one of our own.
    """
    package = (error.name or "").partition(".")[0]
    if not package or package in _OWN_PACKAGES:
        raise error
    return ServerExtraMissing.with_message(
        "the server's dependencies are not installed (there is no {package}): run {command}",
        package=package,
        command=INSTALL_COMMAND,
    )
