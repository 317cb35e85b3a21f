"""The tool and message helpers of the 0.2 protocol, as its description tells them. Python's own `json` and `str` decide."""

import asyncio
import json
from typing import Any, Awaitable, Callable


class ToolArgumentError(Exception):
    pass


def create_tool_result(tool_call_id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "content": content, "tool_call_id": tool_call_id}


def create_tool_error_result(tool_call_id: str, message: str) -> dict[str, Any]:
    return create_tool_result(tool_call_id, f"Error: {message}")


def serialize_tool_result(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, str) else json.dumps(value)


def parse_tool_arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, dict):
        return arguments
    if not isinstance(arguments, str):
        raise ToolArgumentError(f"Expected str or dict arguments, got {type(arguments).__name__}")
    try:
        parsed = json.loads(arguments)
    except json.JSONDecodeError as error:
        raise ToolArgumentError(f"Invalid JSON arguments: {error}") from error
    if not isinstance(parsed, dict):
        raise ToolArgumentError(f"Expected dict from JSON, got {type(parsed).__name__}")
    return parsed


def get_tool_call_info(call: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    function = call.get("function", {})
    return call.get("id", "unknown"), function.get("name", ""), parse_tool_arguments(function.get("arguments", {}))


async def execute_tool_calls(calls: list[Any] | None, executor: Callable[[Any], Awaitable[Any]]) -> list[Any]:
    return list(await asyncio.gather(*(executor(call) for call in calls or [])))


def parse_tool_calls(message: dict[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def normalize_stop(stop: Any) -> list[str] | None:
    if isinstance(stop, str):
        return [stop]
    return [str(word) for word in stop] if isinstance(stop, list) else None


def get_message_content(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def get_message_role(message: dict[str, Any]) -> str:
    role = message.get("role")
    return role if isinstance(role, str) else "unknown"


def is_assistant_message(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant"


def is_tool_message(message: dict[str, Any]) -> bool:
    return message.get("role") == "tool"


def is_user_message(message: dict[str, Any]) -> bool:
    return message.get("role") == "user"


def count_messages_by_role(messages: list[dict[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for message in messages:
        role = get_message_role(message)
        counts[role] = counts.get(role, 0) + 1
    return counts
