"""Talks to a trainer of the 0.2 protocol: chat turns, and the completion. No retries: the suite's trainers answer.

With `--verify` each rollout's client makes a TLS context, as the real 0.2.17 does.
"""

import sys
import time
from typing import Any

import httpx

from .v02_helpers import normalize_stop
from .v02_models import ChatRequest, RolloutMetrics, RolloutResponse

VERIFY = "--verify" in sys.argv
CHAT_PARAMS = ("model", "temperature", "top_p", "max_tokens", "logprobs")


class TrainerClient:
    def __init__(self, server_url: str, rollout_id: str, api_key: str | None) -> None:
        self.base = server_url.rstrip("/")
        self.rollout_id = rollout_id
        self.metrics = RolloutMetrics()
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # Without `verify` no TLS context is made, which takes 25 ms a client; there is no TLS on loopback.
        self.http = httpx.AsyncClient(headers=headers, timeout=30, verify=VERIFY)

    async def __aenter__(self) -> "TrainerClient":
        return self

    async def __aexit__(self, *_error: Any) -> None:
        await self.http.aclose()

    async def chat(self, messages: list[dict[str, Any]], params: dict[str, Any]) -> dict[str, Any]:
        """The assistant's message. The metrics count the call."""
        known = {name: params[name] for name in CHAT_PARAMS if name in params}
        request = ChatRequest(
            messages=messages, rollout_id=self.rollout_id, stop=normalize_stop(params.get("stop")), **known
        )
        started = time.monotonic()
        answer = await self.post("/v1/chat/completions", request)
        self.metrics.llm_latency_ms += (time.monotonic() - started) * 1000
        self.metrics.num_llm_calls += 1
        usage = answer.get("usage", {})
        self.metrics.prompt_tokens += usage.get("prompt_tokens", 0)
        self.metrics.response_tokens += usage.get("completion_tokens", 0)
        return answer["choices"][0]["message"]

    def count_tool_call(self) -> None:
        self.metrics.num_tool_calls += 1

    async def complete(
        self,
        status: str,
        final_messages: list[dict[str, Any]],
        finish_reason: str,
        error_message: str | None = None,
        reward: float | None = None,
    ) -> None:
        response = RolloutResponse(
            rollout_id=self.rollout_id,
            status=status,
            final_messages=final_messages,
            finish_reason=finish_reason,
            error_message=error_message,
            reward=reward,
            metrics=self.metrics,
        )
        await self.post("/v1/rollout/completed", response)

    async def post(self, path: str, body: ChatRequest | RolloutResponse) -> Any:
        response = await self.http.post(self.base + path, json=body.model_dump(mode="json", exclude_none=True))
        response.raise_for_status()
        return response.json()
