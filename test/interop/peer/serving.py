"""Serves an application on a loopback port of the system's choice, and says on stdout where."""

import asyncio
import json
import socket
from typing import Any

import uvicorn


def serve(app: Any) -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    host, port = listener.getsockname()
    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none")
    # Connections queue from here on, also those that come before the server's loop runs.
    listener.listen(128)
    print(json.dumps({"event": "listening", "url": f"http://{host}:{port}"}), flush=True)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
