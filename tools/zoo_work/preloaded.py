"""Imports what models need, in the server from which their processes are forked: it takes modules' names only."""

from zoo_work.limits import import_named

import_named()
