"""How tools/zoo.py works: each stage of a model in a process of its own, and the tables of what came of them."""
