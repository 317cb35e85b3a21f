"""The official SDK's driver, callback listener and callback store against a server, told by lines of JSON what to do.

Arguments: the server's base URL, and that of the model. A command is one of

    {"run": {…request}, "callback_timeout_sec", "cancel_once_running", "cancel_fails", "key", "commit", "lose"}
    {"callbacks": rollout id}

`commit` names what befalls the store's commits ("fails once" or "slow"), `lose` the route ("completion" or "grader") whose
first acknowledgement gets lost. A run is answered by its outcome or by what was raised; both by the callbacks that came.
"""

import asyncio
import json
import logging
import sys
from typing import Any
from urllib.parse import quote

import httpx
from osmosis_ai.rollout.controller import CallbackListener, CallbackStore, TerminalCallbackResult
from osmosis_ai.rollout.driver import RolloutRunRequest
from osmosis_ai.rollout.http_driver import HttpRolloutDriver

KEY = "controller-key"


class Errors(logging.Handler):
    """What the SDK logs as an error: payloads that contradict each other."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Store(CallbackStore):
    """The SDK's store, which notes what it is told and what it answers."""

    def __init__(self, command: dict[str, Any]) -> None:
        super().__init__(on_terminal_commit=self.commit)
        self.plan = command.get("commit")
        self.lose = command.get("lose")
        self.commits: list[str] = []
        self.callbacks: list[dict[str, Any]] = []

    async def commit(self, result: TerminalCallbackResult) -> dict[str, Any]:
        self.commits.append(result.source)
        if self.plan == "slow":
            await asyncio.sleep(0.3)
        if self.plan == "fails once" and len(self.commits) == 1:
            raise RuntimeError("the disk is full")
        return {"ok": True, "commit": len(self.commits)} if result.source == "grader" else result.acknowledgment

    async def handle_completion(self, rollout_id: str, request: Any) -> dict[str, Any]:
        return await self.note("completion", request, super().handle_completion(rollout_id, request))

    async def handle_grader(self, rollout_id: str, request: Any) -> dict[str, Any]:
        return await self.note("grader", request, super().handle_grader(rollout_id, request))

    async def note(self, route: str, request: Any, handling: Any) -> dict[str, Any]:
        entry: dict[str, Any] = {"route": route, "body": request.model_dump(mode="json")}
        self.callbacks.append(entry)
        try:
            entry["ack"] = await handling
        except Exception as error:
            entry["error"] = type(error).__name__
            raise
        if self.lose == route:
            self.lose = None
            raise RuntimeError("the acknowledgement got lost")
        return entry["ack"]


class Drives:
    def __init__(self, server_url: str, model_url: str) -> None:
        self.server_url = server_url
        self.model_url = model_url
        self.stores: dict[str, Store] = {}
        self.listeners: list[CallbackListener] = []
        self.errors = Errors()
        logging.getLogger("osmosis_ai").addHandler(self.errors)

    async def run(self, command: dict[str, Any]) -> dict[str, Any]:
        request = RolloutRunRequest(**command["run"])
        store = self.stores.setdefault(request.rollout_id, Store(command))
        listener = CallbackListener(store, auth_token=KEY)
        # Open to the end: late callbacks find it.
        await listener.start()
        self.listeners.append(listener)
        driver = HttpRolloutDriver(
            rollout_base_url=self.server_url,
            callback_store=store,
            completion_url_for=listener.completion_url,
            grader_url_for=listener.grader_url,
            chat_completions_url_for=lambda rollout_id: f"{self.model_url}/v1/rollouts/{quote(rollout_id, safe='')}",
            chat_api_key="model-key",
            controller_api_key=command.get("key", KEY),
            cancel_transport=httpx.MockTransport(lambda _: httpx.Response(503)) if command.get("cancel_fails") else None,
            callback_timeout_sec=command.get("callback_timeout_sec"),
        )
        try:
            return {**await self.outcome(driver, request, command), **self.told(request.rollout_id)}
        finally:
            await driver.aclose()

    async def outcome(self, driver: HttpRolloutDriver, request: RolloutRunRequest, command: dict[str, Any]) -> dict[str, Any]:
        running = asyncio.create_task(driver.run(request))
        if command.get("cancel_once_running"):
            await self.until_running(request.rollout_id)
            running.cancel()
        try:
            outcome = await running
        except asyncio.CancelledError:
            return {"raised": "CancelledError"}
        except Exception as error:
            return {"raised": type(error).__name__, "status_code": getattr(error, "status_code", None)}
        sample = outcome.sample.model_dump(mode="json", exclude={"trajectory_messages"}) if outcome.sample else None
        return {"status": outcome.status, "error": outcome.error, "sample": sample}

    async def until_running(self, rollout_id: str) -> None:
        async with httpx.AsyncClient() as http:
            while (await http.get(f"{self.server_url}/rollout/{rollout_id}/status")).json()["status"] != "running":
                await asyncio.sleep(0.02)

    def told(self, rollout_id: str) -> dict[str, Any]:
        store = self.stores[rollout_id]
        return {"callbacks": store.callbacks, "commits": store.commits, "conflicts": self.errors.lines}


async def main() -> None:
    drives = Drives(*sys.argv[1:3])
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        answer = await drives.run(command) if "run" in command else drives.told(command["callbacks"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
