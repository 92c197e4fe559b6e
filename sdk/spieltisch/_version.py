"""The versions of this package and of the API that it was written against."""

__version__ = "0.1.0"

#: `info.version` of the OpenAPI document that this package was written against.
SPEC_VERSION = "0.1.0"
