"""Questions about any conversation, with models: a light filter, a classifier, a proposer and a verifier."""
