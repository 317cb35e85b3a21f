"""A 422 that does not repeat what was sent: the echo of NaN or of half a surrogate pair cannot be written, and makes a 500."""

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse


def without_echo(_request: Request, error: RequestValidationError) -> JSONResponse:
    return JSONResponse({"detail": [{"type": fault["type"], "loc": fault["loc"]} for fault in error.errors()]}, 422)
