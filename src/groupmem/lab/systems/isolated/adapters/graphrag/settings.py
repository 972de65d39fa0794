"""The settings of the package: its defaults, the gateway's models, and folders that are ours."""

from __future__ import annotations

from graphrag.config.models.graph_rag_config import GraphRagConfig

STEPS = ("extraction", "summaries", "communities")


def make_config(setting, scratch):
    """What belongs to the memory lies in the store; logs and copies that updates leave lie in `scratch`."""
    gateway, store = setting["gateway"], setting["store_dir"]
    embedding = _model(gateway, gateway["embedding_model"], gateway["base_url"])
    return GraphRagConfig(
        completion_models={
            "default_completion_model": _model(gateway, gateway["chat_model"], gateway["base_url"]),
            **{step: _model(gateway, gateway["chat_model"], _step_url(gateway, step)) for step in STEPS},
        },
        embedding_models={"default_embedding_model": embedding},
        extract_graph={
            "completion_model_id": "extraction",
            "max_gleanings": int(setting["options"]["gleanings"]),
        },
        summarize_descriptions={"completion_model_id": "summaries"},
        community_reports={"completion_model_id": "communities"},
        input_storage={"base_dir": str(scratch / "input")},
        output_storage={"base_dir": f"{store}/output"},
        update_output_storage={"base_dir": str(scratch / "updates")},
        reporting={"base_dir": str(scratch / "logs")},
        cache={"type": "none"},
        vector_store={"type": "lancedb", "db_uri": f"{store}/lancedb", "vector_size": gateway["dimensions"]},
    )


def _model(gateway, name, url):
    """Without tries of its own: the gateway tries again."""
    return {
        "model_provider": "openai",
        "model": name,
        "api_base": url,
        "api_key": gateway["api_key"],
        "retry": None,
    }


def _step_url(gateway, step):
    return f"{gateway['base_url'].removesuffix('/v1')}/{step}/v1"
