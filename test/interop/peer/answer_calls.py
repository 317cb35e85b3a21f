"""Answers calls of the helpers, one JSON line each: {"helper", "in"} → {"returns"} or {"throws", "message"}.

With a file of recorded calls instead: says how many there are, and which of them are answered otherwise.
"""

import asyncio
import json
import sys
from typing import Any, Callable

from . import v02_helpers as helpers


async def tell_arguments(call: Any) -> Any:
    call_id, _, arguments = helpers.get_tool_call_info(call)
    return helpers.create_tool_result(call_id, helpers.serialize_tool_result(arguments))


HELPERS: dict[str, Callable[[Any], Any]] = {
    "serializeToolResult": helpers.serialize_tool_result,
    "parseToolArguments": helpers.parse_tool_arguments,
    "getToolCallInfo": helpers.get_tool_call_info,
    "executeToolCalls": lambda calls: asyncio.run(helpers.execute_tool_calls(calls, tell_arguments)),
    "parseToolCalls": helpers.parse_tool_calls,
    "normalizeStop": helpers.normalize_stop,
    "getMessageContent": helpers.get_message_content,
    "getMessageRole": helpers.get_message_role,
    "isAssistantMessage": helpers.is_assistant_message,
    "isToolMessage": helpers.is_tool_message,
    "isUserMessage": helpers.is_user_message,
    "countMessagesByRole": helpers.count_messages_by_role,
    "createToolResult": lambda both: helpers.create_tool_result(*both),
    "createToolErrorResult": lambda both: helpers.create_tool_error_result(*both),
}


def answer(call: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"returns": HELPERS[call["helper"]](call["in"])}
    except Exception as error:  # whatever a helper throws is its answer
        return {"throws": type(error).__name__, "message": str(error)}


def as_recorded(helper: str, recorded: dict[str, Any]) -> bool:
    given = json.loads(json.dumps(answer({"helper": helper, "in": recorded["in"]})))
    if "throws" not in recorded:
        return given == {"returns": recorded["returns"]}
    return given.get("throws") == recorded["throws"] and given["message"].startswith(recorded.get("message_starts", ""))


def replay(file: str) -> dict[str, Any]:
    with open(file) as text:
        calls = [(helper, call) for helper, calls in json.load(text).items() for call in calls]
    return {"calls": len(calls), "otherwise": [call for call in calls if not as_recorded(*call)]}


if __name__ == "__main__" and len(sys.argv) > 1:
    print(json.dumps(replay(sys.argv[1])), flush=True)
elif __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
