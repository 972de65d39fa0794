"""The weights of the graph walk (GroupMemBench, App. B), as functions of counts."""

from __future__ import annotations

from math import pi, sin

from groupmem.lab.synthesis.policy import Weights


def post_need(weights: Weights, messages: int, posts: int, progress: float) -> float:
    """w_post: phases with nothing in them first, then those with few posts, with a bulge in mid-phase."""
    if messages == 0:
        return weights.post_empty
    if posts == 0:
        return weights.post_none
    need = max(weights.post_floor, weights.post_base - weights.post_slope * posts)
    return need + weights.post_progress * sin(pi * progress)


def phase_heat(weights: Weights, messages: int, unanswered: int, progress: float) -> float:
    """w_heat: volume up to a cap, unanswered posts, and a bulge in mid-phase."""
    volume = weights.heat_volume * min(messages, weights.heat_cap)
    return 1 + volume + weights.heat_unanswered * unanswered + weights.heat_progress * sin(pi * progress)


def active_thread(weights: Weights, messages: int) -> float:
    """w_thread: where a bridge lands."""
    return 1 + weights.thread_volume * min(messages, weights.thread_cap)


def attraction(weights: Weights, replies: int, is_post: bool) -> float:
    """The part of w(m) that does not age: preferential attachment with saturation, and the bias for posts."""
    attached = (1 + replies) ** weights.parent_exponent
    saturation = 1.0 if replies < weights.parent_saturation else weights.parent_saturated
    return float(attached * saturation * (weights.parent_post_bias if is_post else 1.0))


def recency(weights: Weights, age: int) -> float:
    """The part of w(m) that ages: linear decay over a window of messages, down to a floor. The newest has age 0."""
    return max(weights.parent_floor, 1 - age / weights.parent_window)


def parent_weight(weights: Weights, replies: int, age: int, is_post: bool) -> float:
    """w(m): how likely a message of the phase is to be answered."""
    return attraction(weights, replies, is_post) * recency(weights, age)
