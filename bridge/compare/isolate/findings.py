"""Faults of single modules as findings."""

from __future__ import annotations

from collections.abc import Iterator

from bridge.compare import uncalled
from bridge.compare.findings import Finding
from bridge.compare.isolate.call_judge import Fault
from bridge.compare.isolate.divergence import Parting
from bridge.compare.isolate.judge import Alone
from bridge.compare.isolate.phrasing import fix, spelled, tells


def findings(found: Alone, names: tuple[str, str], raised_in: str | None = None) -> tuple[Finding, ...]:
    """What was found about single modules, and which could not be judged. ``names`` are the runtimes', ``raised_in`` the module in which
    the run of the second one ended, if it did."""
    said = [one for fault in found.faults for one in _said(fault, names, raised_in)]
    if raised_in is not None and raised_in in found.judged - found.raised:
        words = f"{raised_in or 'the root'} does not raise alone, on what it received in {names[0]}: look at what it is given."
        said.append(Finding("raised", raised_in, words))
    return (
        *said,
        *(
            Finding("note", path, f"{path or 'the root'} was not judged alone: {why}.")
            for path, why in found.refused.items()
        ),
    )


def _said(fault: Fault, names: tuple[str, str], raised_in: str | None) -> Iterator[Finding]:
    where = f"{fault.path or 'the root'} ({fault.type})"
    if fault.kind == "bypass":
        words = f"{fault.child} {fault.words}, in {names[1]}: its hooks never fired."
        yield Finding(fault.kind, fault.child, words, uncalled.fix(fault.child, names[1]), fault.source)
        return
    for setting in fault.settings:
        yield Finding("setting", fault.path, f"Set differently: {setting}")
    if fault.settings:
        return
    if fault.parting is not None and tells(fault.parting):
        yield _parting(fault, where, fault.parting, names)
        return
    until = f"equal up to the result of {fault.after}; " if fault.after else ""
    kind, words = "alone", f"on the same inputs its result {fault.words}."
    if fault.kind == "received":
        kind, words = "between children", f"{until}what {fault.child} received {fault.words}."
    elif fault.kind == "raised":
        known = fault.path == raised_in
        until = f", {until.removesuffix('; ')}" if until else ""
        words = f"alone, on what it received in {names[0]}, it raises {'too' if known else f'in {names[1]}'}{until}"
        kind, words = "raised", f"{words}." if known else f"{words}: {fault.words}"
    elif fault.kind == "result" and until:
        kind, words = "between children", f"{until}what it returns {fault.words}."
    elif fault.kind == "buffer":
        words = f"on the same inputs its buffer {fault.child} {fault.words}."
    elif fault.kind == "gradient":
        kind = "operator" if fault.source else kind
        words = f"given the same, and with equal results, the gradient of {fault.child} {fault.words}."
    elif fault.kind == "calls":
        said = f"{names[1]} {fault.words}" if fault.words.startswith("calls") else f"{fault.words} in {names[1]}"
        kind, words = fault.kind, f"{said}."
    elif fault.kind == "structure":
        kind, words = fault.kind, f"{fault.words[:1].lower()}{fault.words[1:]}"
    elif fault.kind in ("alias", "strides"):
        kind, words = "note", f"{fault.words}."
    elif fault.kind == "in place":
        kind, words = fault.kind, f"it {fault.words}."
    yield Finding(kind, fault.path, f"{where}: {words}", source=fault.source)


def _parting(fault: Fault, where: str, parting: Parting, names: tuple[str, str]) -> Finding:
    shows = {
        "received": f"what {fault.child} received {fault.words}",
        "result": f"what it returns {fault.words}",
        "raised": f"it raises alone too: {fault.words}",
    }[fault.kind]
    until = f", equal up to the result of {fault.after}" if fault.after else ""
    message = f"{where}: {spelled(parting, names)}; {shows}{until}."
    operator = parting.extra[0] if parting.extra else None if parting.missing and fault.source else parting.right
    source = operator.source if operator is not None else fault.source
    return Finding("operator", fault.path, message, fix(parting, fault), source)
