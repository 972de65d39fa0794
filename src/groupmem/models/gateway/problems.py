"""What went wrong, as the OpenAI API says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groupmem.errors import BudgetError, ModelError
from groupmem.models.retry import SendFailure


class ApiError(Exception):
    """An answer that is an error. `code` is what clients tell errors apart by; `type` follows from the status."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code

    @property
    def of_request(self) -> bool:
        """Whether the request was at fault: another one, shorter perhaps, can be answered."""
        return self.status in (400, 413, 422)

    @property
    def body(self) -> Mapping[str, Any]:
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}


def malformed(message: str) -> ApiError:
    """The request is not one that the API takes."""
    return ApiError(400, message, "invalid_request")


def told(error: BaseException) -> ApiError:
    """The answer for a call that failed in the lab or at the provider.

    A full budget is HTTP 402, which clients do not send again. A provider that refused the request for good is quoted
    with its status; one that failed after all tries is HTTP 502.
    """
    if isinstance(error, ApiError):
        return error
    if isinstance(error, BudgetError):
        return ApiError(402, str(error), "budget_reached")
    if isinstance(error, SendFailure) and error.too_long:
        return ApiError(400, str(error), "context_length_exceeded")
    if isinstance(error, SendFailure) and error.status is not None:
        return ApiError(error.status, str(error), "provider_refused")
    if isinstance(error, ModelError):
        return ApiError(502, str(error), "provider_failed")
    return ApiError(500, f"{type(error).__name__}: {error}", "gateway_failed")
