"""The official SDK's rollout server.

Without arguments it takes every rollout and runs none. `--calculator` runs the calculator in the SDK's own in-process backend.
With `--unlimited` it runs any number of rollouts at once, where the backend's default is four. With `--without-echo` a 422
does not repeat what was sent.
"""

import sys
from typing import Any

import httpx
from fastapi.exceptions import RequestValidationError
from osmosis_ai.rollout.agent_workflow import AgentWorkflow
from osmosis_ai.rollout.backend.base import ExecutionBackend
from osmosis_ai.rollout.backend.local import LocalBackend
from osmosis_ai.rollout.context import AgentWorkflowContext, GraderContext, get_rollout_context
from osmosis_ai.rollout.grader import Grader
from osmosis_ai.rollout.server import create_rollout_server
from osmosis_ai.rollout.types import AgentWorkflowConfig

from . import calculator
from .serving import serve
from .without_echo import without_echo


class NoBackend(ExecutionBackend):
    async def execute(self, *_: Any, **__: Any) -> None:
        return None


class CalculatorWorkflow(AgentWorkflow[Any]):
    async def run(self, ctx: AgentWorkflowContext[Any]) -> list[dict[str, Any]]:
        rollout = get_rollout_context()
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {rollout.api_key}"}, verify=False) as http:

            async def chat(messages: list[dict[str, Any]]) -> dict[str, Any]:
                body = {"model": "osmosis-rollout", "messages": messages, "tools": calculator.TOOLS}
                response = await http.post(f"{rollout.chat_completions_url}/chat/completions", json=body)
                return response.raise_for_status().json()["choices"][0]["message"]

            return await calculator.run(ctx.prompt, chat)


class CalculatorGrader(Grader):
    async def grade(self, ctx: GraderContext) -> None:
        ctx.set_reward(calculator.reward(ctx.sample.messages, ctx.label))


def backend() -> ExecutionBackend:
    if "--calculator" not in sys.argv:
        return NoBackend()
    config = AgentWorkflowConfig(name="calculator") if "--unlimited" in sys.argv else None
    return LocalBackend(workflow=CalculatorWorkflow, workflow_config=config, grader=CalculatorGrader)


if __name__ == "__main__":
    app = create_rollout_server(backend=backend(), configure_logging=False)
    if "--without-echo" in sys.argv:
        app.add_exception_handler(RequestValidationError, without_echo)
    serve(app)
