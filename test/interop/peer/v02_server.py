"""A rollout server of the 0.2 protocol on the libraries of the official SDK, with the calculator as its agent.

With `--accept-only` an accepted rollout is not run. With `--without-echo` a 422 does not repeat what was sent. The API key is
`SERVER_KEY` of the environment.
"""

import asyncio
import os
import secrets
import sys
import time
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from . import calculator
from .serving import serve
from .v02_client import TrainerClient
from .v02_models import RolloutRequest
from .without_echo import without_echo

API_KEY = os.environ.get("SERVER_KEY", "server-key-0123456789")
ACCEPT_ONLY = "--accept-only" in sys.argv

app = FastAPI()
accepted: dict[str, dict[str, Any]] = {}
running: set[asyncio.Task[None]] = set()


if "--without-echo" in sys.argv:
    app.add_exception_handler(RequestValidationError, without_echo)


def check_key(request: Request) -> None:
    value = request.headers.get("authorization", "").strip()
    parts = value.split()
    token = parts[1] if len(parts) == 2 and parts[0].lower() == "bearer" else value
    if not token or not secrets.compare_digest(token, API_KEY):
        raise HTTPException(401, "Invalid or missing API key")


@app.post("/v1/rollout/init")
async def init(body: RolloutRequest, request: Request) -> JSONResponse:
    check_key(request)
    key = body.idempotency_key or body.rollout_id
    if key not in accepted:
        accepted[key] = {"rollout_id": body.rollout_id, "tools": [] if ACCEPT_ONLY else calculator.TOOLS}
        if not ACCEPT_ONLY:
            task = asyncio.create_task(run(body))
            running.add(task)
            task.add_done_callback(running.discard)
    return JSONResponse(accepted[key], 202)


async def run(request: RolloutRequest) -> None:
    started = time.monotonic()
    async with TrainerClient(request.server_url, request.rollout_id, request.api_key) as client:
        try:
            chat = lambda messages: client.chat(messages, request.completion_params)
            messages = await calculator.run(request.messages, chat, client.count_tool_call)
            client.metrics.total_latency_ms = (time.monotonic() - started) * 1000
            reward = calculator.reward(messages, request.metadata.get("ground_truth"))
            await client.complete("COMPLETED", messages, "stop", reward=reward)
        except Exception as error:
            await client.complete("ERROR", [], "error", error_message=str(error))


if __name__ == "__main__":
    serve(app)
