"""The original of Bert.cs: the class of transformers, as it is, in a small configuration with random weights."""

from __future__ import annotations

from typing import Any

from transformers import BertConfig, BertModel


def bert(pooler: bool = True) -> Any:
    config = BertConfig(
        vocab_size=97,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=40,
    )
    return BertModel(config, add_pooling_layer=pooler)
