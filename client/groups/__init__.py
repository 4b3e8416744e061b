"""The calls of the HTTP interface that are described by the OpenAPI document, in groups."""
