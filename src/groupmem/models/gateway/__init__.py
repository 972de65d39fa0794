"""The gateway: an OpenAI-compatible server on loopback behind which all models of the lab are.

    with Gateway(models, run="r1") as gateway:
        cell = gateway.open_cell("unit/mem0", chat="openai:gpt-5-mini", embedding="minilm")
        client = openai.OpenAI(base_url=cell.base_url, api_key=cell.api_key)

A memory system that is a package of its own talks to it as to OpenAI. Every call is booked on the cell and the phase of
its work, retried, priced and held to the budget, and no key leaves the lab.
"""

from groupmem.models.gateway.cell import GatewayCell
from groupmem.models.gateway.server import Gateway

__all__ = ["Gateway", "GatewayCell"]
