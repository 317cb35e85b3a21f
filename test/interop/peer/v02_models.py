"""The bodies of the 0.2 protocol as pydantic models: what the official SDK declares, as the protocol's description tells it."""

import json
from enum import Enum
from typing import Any
from urllib.parse import urlparse

from pydantic import BaseModel, Field, field_validator, model_validator

MAX_METADATA_BYTES = 1_048_576


def no_blank_id(value: str) -> str:
    if not value.strip():
        raise ValueError("rollout_id cannot be empty or whitespace only")
    return value


class RolloutRequest(BaseModel):
    rollout_id: str = Field(min_length=1, max_length=256)
    server_url: str
    messages: list[dict[str, Any]]
    completion_params: dict[str, Any]
    tool_server_url: str | None = None
    max_turns: int = 10
    max_tokens_total: int = 8192
    metadata: dict[str, Any] = Field(default_factory=dict)
    api_key: str | None = None
    idempotency_key: str | None = None

    check_id = field_validator("rollout_id")(no_blank_id)

    @field_validator("server_url")
    @classmethod
    def check_url(cls, value: str) -> str:
        parts = urlparse(value)
        if parts.scheme not in ("http", "https"):
            raise ValueError("server_url must use http or https scheme")
        if not parts.netloc:
            raise ValueError("server_url must have a valid host")
        return value

    @model_validator(mode="after")
    def check_metadata_size(self) -> "RolloutRequest":
        if self.metadata and len(json.dumps(self.metadata).encode()) > MAX_METADATA_BYTES:
            raise ValueError(f"metadata size exceeds maximum allowed size of {MAX_METADATA_BYTES // 1_048_576}MB")
        return self


class ChatRequest(BaseModel):
    model: str = "default"
    messages: list[dict[str, Any]]
    rollout_id: str = Field(min_length=1, max_length=256)
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 512
    stop: list[str] | None = None
    logprobs: bool = True

    check_id = field_validator("rollout_id")(no_blank_id)


class RolloutStatus(str, Enum):
    COMPLETED = "COMPLETED"
    ERROR = "ERROR"


class RolloutMetrics(BaseModel):
    total_latency_ms: float = 0.0
    llm_latency_ms: float = 0.0
    tool_latency_ms: float = 0.0
    num_llm_calls: int = 0
    num_tool_calls: int = 0
    prompt_tokens: int = 0
    response_tokens: int = 0
    max_context_tokens: int = 0


class RolloutResponse(BaseModel):
    rollout_id: str
    status: RolloutStatus
    final_messages: list[dict[str, Any]] = Field(default_factory=list)
    finish_reason: str | None = None
    error_message: str | None = None
    reward: float | None = None
    metrics: RolloutMetrics | None = None
    extra_fields: dict[str, Any] = Field(default_factory=dict)
