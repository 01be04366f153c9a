"""The PyTorch original of Vae.cs."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch
from torch import nn


class Vae(nn.Module):
    def __init__(self, inputs: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(inputs, hidden)
        self.fc_mu = nn.Linear(hidden, latent)
        self.fc_logvar = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            OrderedDict(
                fc=nn.Linear(latent, hidden), act=nn.ELU(alpha=0.5), out=nn.Linear(hidden, inputs), sigmoid=nn.Sigmoid()
            )
        )
        self._initialize()

    def _initialize(self) -> None:
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.constant_(parameter, 0.01)
            else:
                nn.init.xavier_uniform_(parameter, nn.init.calculate_gain("relu"))
        nn.init.kaiming_normal_(self.fc1.weight, mode="fan_out", nonlinearity="relu")
        nn.init.orthogonal_(self.fc_mu.weight)
        nn.init.trunc_normal_(self.fc_logvar.weight, std=0.02, a=-0.04, b=0.04)

    def encode(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = nn.functional.relu(self.fc1(x))
        return self.fc_mu(h), self.fc_logvar(h)

    def _reparameterize(self, mu: torch.Tensor, logvar: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return mu
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x: torch.Tensor) -> Any:
        mu, logvar = self.encode(x.view(len(x), -1))
        return self.decoder(self._reparameterize(mu, logvar)).view_as(x), mu, logvar
