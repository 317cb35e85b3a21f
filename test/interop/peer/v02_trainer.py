"""A mock trainer of the 0.2 protocol: a model that asks for the operations of a sum, and the completions it was told.

A question is `Compute 2 + 3 * 4; 7 - 1`: each part is worked out from left to right, one tool call a turn, all parts at
once. What is left of a part travels in the id of its call, so that the model needs the last message only.
"""

import json
import re
import time
from typing import Any

from fastapi import FastAPI

from .serving import serve
from .v02_models import ChatRequest, RolloutResponse

QUESTION = re.compile(r"^Compute (.+)\.$")
OPERATIONS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}

app = FastAPI()
completed: dict[str, Any] = {}


def calls_for(last: dict[str, Any]) -> list[dict[str, Any]]:
    """What the model asks for after a message; nothing when it is done."""
    if last.get("role") == "user":
        question = QUESTION.match(last.get("content", ""))
        parts = question[1].split("; ") if question else []
        return [call for index, part in enumerate(parts) for call in next_call(f"p{index}", *part.split(" "))]
    if last.get("role") == "tool":
        name, *rest = last["tool_call_id"].split(" ")
        return next_call(name, last["content"], *rest)
    return []


def next_call(name: str, left: str, *rest: str) -> list[dict[str, Any]]:
    if not rest or left.startswith("Error"):
        return []
    sign, right, *later = rest
    arguments = f'{{"a": {left}, "b": {right}}}'
    function = {"name": OPERATIONS[sign], "arguments": arguments}
    return [{"id": " ".join([name, *later]), "type": "function", "function": function}]


@app.post("/v1/chat/completions")
async def chat(request: ChatRequest) -> dict[str, Any]:
    last = request.messages[-1] if request.messages else {"role": "user", "content": ""}
    calls = calls_for(last)
    if calls:
        content = "I'll help you with that calculation."
    else:
        content = "The calculation is complete." if last.get("role") == "tool" else "OK."
    message = {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}
    tokens = list(range(len(content)))
    prompt = list(range(10 * max(1, len(request.messages))))
    return {
        "id": request.rollout_id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": len(prompt),
            "completion_tokens": len(tokens),
            "total_tokens": len(prompt) + len(tokens),
        },
        "token_ids": tokens,
        "logprobs": [0.0 for _ in tokens],
        "prompt_token_ids": prompt,
    }


@app.post("/v1/rollout/completed")
async def complete(response: RolloutResponse) -> dict[str, str]:
    completed[response.rollout_id] = json.loads(response.model_dump_json(exclude_none=True))
    return {"status": "ok"}


@app.get("/v1/rollout/completed/{rollout_id}")
async def completion(rollout_id: str) -> Any:
    return completed.get(rollout_id, {})


if __name__ == "__main__":
    serve(app)
