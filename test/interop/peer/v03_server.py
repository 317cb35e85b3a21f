"""The official SDK's rollout server, whose backend takes every rollout and runs none.

With `--without-echo` a 422 does not repeat what was sent.
"""

import sys
from typing import Any

from fastapi.exceptions import RequestValidationError
from osmosis_ai.rollout.backend.base import ExecutionBackend
from osmosis_ai.rollout.server import create_rollout_server

from .serving import serve
from .without_echo import without_echo


class NoBackend(ExecutionBackend):
    async def execute(self, *_: Any, **__: Any) -> None:
        return None


if __name__ == "__main__":
    app = create_rollout_server(backend=NoBackend(), configure_logging=False)
    if "--without-echo" in sys.argv:
        app.add_exception_handler(RequestValidationError, without_echo)
    serve(app)
