"""The calculator as a loop of the 0.2 protocol: the same tools, texts and rewards as `src/calculator`."""

import asyncio
from typing import Any

from .v02_client import TrainerClient
from .v02_helpers import (
    create_tool_error_result,
    create_tool_result,
    get_tool_call_info,
    parse_tool_calls,
    serialize_tool_result,
)
from .v02_models import RolloutRequest


def divide(a: float, b: float) -> float:
    if b == 0:
        raise ValueError("Division by zero: this has no answer")
    return a / b


OPERATIONS = {
    "add": (lambda a, b: a + b, "Add two numbers"),
    "subtract": (lambda a, b: a - b, "Subtract the second number from the first"),
    "multiply": (lambda a, b: a * b, "Multiply two numbers"),
    "divide": (divide, "Divide the first number by the second"),
}


def operand(description: str) -> dict[str, Any]:
    return {"type": "number", "description": description, "enum": None}


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {"a": operand("The left operand"), "b": operand("The right operand")},
                "required": ["a", "b"],
            },
            "strict": False,
        },
    }
    for name, (_, description) in OPERATIONS.items()
]


async def run(request: RolloutRequest, client: TrainerClient) -> list[dict[str, Any]]:
    """The whole conversation, once the model asks for no more tools."""
    messages = list(request.messages)
    while True:
        answer = await client.chat(messages, request.completion_params)
        messages.append(answer)
        calls = parse_tool_calls(answer)
        if not calls:
            return messages
        messages += await asyncio.gather(*(execute(call, client) for call in calls))


async def execute(call: dict[str, Any], client: TrainerClient) -> dict[str, Any]:
    call_id, name, arguments = get_tool_call_info(call)
    client.metrics.num_tool_calls += 1
    try:
        return create_tool_result(call_id, serialize_tool_result(OPERATIONS[name][0](**arguments)))
    except ValueError as error:
        return create_tool_error_result(call_id, str(error))


def reward(messages: list[dict[str, Any]], metadata: dict[str, Any]) -> float | None:
    """None without a ground truth; both rewards of `src/calculator` have half the weight."""
    truth = metadata.get("ground_truth")
    if not isinstance(truth, str):
        return None
    solution = messages[-1].get("content") or ""
    return 1.0 if solution.strip() == truth.strip() else 0.0
