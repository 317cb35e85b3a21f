"""The calculator as a loop in Python: the same tools, texts and rewards as `src/calculator`."""

import asyncio
from typing import Any, Awaitable, Callable

from .v02_helpers import (
    create_tool_error_result,
    create_tool_result,
    get_tool_call_info,
    parse_tool_calls,
    serialize_tool_result,
)


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


Message = dict[str, Any]


async def run(
    prompt: list[Message],
    chat: Callable[[list[Message]], Awaitable[Message]],
    count_call: Callable[[], None] = lambda: None,
) -> list[Message]:
    """The whole conversation, once the model asks for no more tools."""
    messages = list(prompt)
    while True:
        answer = await chat(messages)
        messages.append(answer)
        calls = parse_tool_calls(answer)
        if not calls:
            return messages
        for call in calls:
            count_call()
        messages += await asyncio.gather(*(execute(call) for call in calls))


async def execute(call: dict[str, Any]) -> Message:
    call_id, name, arguments = get_tool_call_info(call)
    try:
        return create_tool_result(call_id, serialize_tool_result(OPERATIONS[name][0](**arguments)))
    except ValueError as error:
        return create_tool_error_result(call_id, str(error))


def reward(messages: list[Message], truth: str | None) -> float | None:
    """None without a truth; both rewards of `src/calculator` have half the weight."""
    if truth is None:
        return None
    solution = messages[-1].get("content") or ""
    return 1.0 if solution.strip() == truth.strip() else 0.0
