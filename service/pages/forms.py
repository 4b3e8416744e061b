"""Forms: what a visitor has entered, and what is wrong with it; numbers in addresses and forms.

A form that is refused is shown again with everything that was entered, except for passwords, and each fault
stands next to its field. Values are checked by marshmallow schemas; an empty field counts as missing, and so
does one with nothing but white space, unless it is a password.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from typing import Any, Final, ParamSpec

from flask import redirect, request
from marshmallow import Schema
from werkzeug.wrappers import Response

from domain.errors import CartularyError, Malformed
from domain.messages import Text, message
from service.entered_text import trim
from service.errors import ServiceError
from service.http.problems import status_of
from service.http.validation import StrictSchema, String, validate, whole_number
from service.pages.return_addresses import NEXT_FIELD

_P = ParamSpec("_P")

CSRF_FIELD: Final = "csrf_token"
_SECRET_FIELDS: Final = frozenset({"password", "new_password"})


@dataclass(frozen=True, slots=True)
class Form:
    """What was entered in a form, and the faults by the names of fields; `fault` is about no field of it."""

    values: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, Text] = field(default_factory=dict)
    fault: Text | None = None

    def refused(self, error: CartularyError, field_name: str | None = None) -> "Form":
        """Return the form with the faults of an error; `field_name` is the field that it is about, if any.

        Faults of fields that the form does not have are about the form as a whole.
        """
        if isinstance(error, Malformed):
            return replace(self, faults=error.fields)
        why = error.why if isinstance(error, ServiceError) else error.message
        return (
            replace(self, fault=why)
            if field_name is None
            else replace(self, faults={field_name: why})
        )


EMPTY_FORM: Final = Form()


def entered_form() -> Form:
    """Return what was entered in the form of the request, without passwords."""
    values = {name: value for name, value in request.form.items() if name not in _SECRET_FIELDS}
    return Form(values)


def read_form(schema: Schema) -> dict[str, Any]:
    """Return what a schema loads from the form of the request. Raises Malformed."""
    others = (CSRF_FIELD, NEXT_FIELD)
    values = {
        name: text
        for name, text in request.form.items()
        if name not in others and (text if name in _SECRET_FIELDS else trim(text))
    }
    return validate(schema, values)


def read_field(name: str) -> str:
    """Return the text of a form that has no other field. Raises Malformed, also if it is empty."""
    return str(read_form(_schema_of_field(name))[name])


@cache
def _schema_of_field(name: str) -> Schema:
    return StrictSchema.from_dict({name: String(required=True)})()


def shows_refusals(
    show: Callable[..., Response],
    *errors: type[CartularyError],
    form: str = "form",
    field: str | None = None,
    keeps_entries: bool = True,
) -> Callable[[Callable[_P, Response]], Callable[_P, Response]]:
    """Return a decorator of the view of a form, so that one of these errors shows the page of the form again.

    `show` gets the arguments of the view, the form with its faults as the argument `form`, and the `status`.
    `field` is the field that an error is about, if any. The form has what was entered, unless it is not to
    keep its entries.
    """

    def decorate(view: Callable[_P, Response]) -> Callable[_P, Response]:
        @wraps(view)
        def post(*args: _P.args, **kwargs: _P.kwargs) -> Response:
            try:
                return view(*args, **kwargs)
            except errors as error:
                entered = entered_form() if keeps_entries else EMPTY_FORM
                refused = {form: entered.refused(error, field), "status": status_of(error)}
                return show(*args, **kwargs, **refused)

        return post

    return decorate


def see_other(address: str) -> Response:
    """Return a redirection to a page after a form was accepted, so that reloading sends nothing twice."""
    return redirect(address, 303)


def number_parameter(name: str) -> int | None:
    """Return a parameter of the address that is a whole number; None if it is missing or no such number."""
    return whole_number(request.args.get(name, "").strip())


def sequence_number(text: str, field: str) -> int:
    """Return the seq of an event that a field of a form or an address has. Raises Malformed."""
    number = whole_number(text)
    if number is None:
        raise Malformed({field: message("must be the seq of an event")})
    return number


def seat_parameter() -> int | None:
    """Return the seat of the parameter `as`; None without one. Raises Malformed if it is no number."""
    if not request.args.get("as", ""):
        return None
    seat = number_parameter("as")
    if seat is None:
        raise Malformed({"as": message("must be the number of a seat of this game")})
    return seat
