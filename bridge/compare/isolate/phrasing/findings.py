"""Sentences for the findings about modules in isolation: each module is run alone, on the inputs that PyTorch's module had."""

from __future__ import annotations

from collections.abc import Iterator

from bridge.compare import uncalled
from bridge.compare.findings import Finding
from bridge.compare.isolate.divergence import Divergence
from bridge.compare.isolate.module_finding import IsolationResult, ModuleFinding
from bridge.compare.isolate.phrasing.divergences import describe_divergence, is_informative
from bridge.compare.isolate.phrasing.fixes import suggest_fix
from bridge.trace.diff.phrases import path_name


def phrase_findings(
    result: IsolationResult, names: tuple[str, str], raised_in: str | None = None
) -> tuple[Finding, ...]:
    """Phrase the findings, and the reasons why modules were not run in isolation.

    ``names`` are the names of the two runtimes. ``raised_in`` is the path of the module that raised in the C# model's run, if one did.
    """
    found = [sentence for finding in result.findings for sentence in _phrase(finding, names, raised_in)]
    if raised_in is not None and raised_in in result.judged - result.raised:
        text = f"{path_name(raised_in)} does not raise in isolation, with the inputs of {names[0]}: check its inputs in {names[1]}."
        found.append(Finding("raised", raised_in, text))
    found += [
        Finding("note", path, f"{path_name(path)} was not run in isolation: {reason}.")
        for path, reason in result.skipped.items()
    ]
    return tuple(found)


def _phrase(finding: ModuleFinding, names: tuple[str, str], raised_in: str | None) -> Iterator[Finding]:
    source = finding.location.source
    if finding.kind == "bypass":
        text = f"{finding.child} {finding.text}, in {names[1]}: its hooks never fired."
        yield Finding("bypass", finding.child, text, uncalled.fix(finding.child, names[1]), source)
    elif finding.settings:
        for setting in finding.settings:
            yield Finding("setting", finding.path, f"Set differently: {setting}")
    elif finding.divergence is not None and is_informative(finding.divergence):
        yield _phrase_divergence(finding, finding.divergence, names)
    else:
        kind, text = _phrase_difference(finding, names, finding.path == raised_in)
        yield Finding(kind, finding.path, f"{path_name(finding.path)} ({finding.type}): {text}", source=source)


def _phrase_difference(finding: ModuleFinding, names: tuple[str, str], raised_before: bool) -> tuple[str, str]:
    """Return a finding's kind and its sentence, which follows the module's name.

    ``raised_before`` tells whether the module also raised in the run of the C# model.
    """
    text, child = finding.text, finding.child
    equal = f"equal up to the result of {finding.after}" if finding.after else ""
    begin = f"{equal}; " if equal else ""
    match finding.kind:
        case "input":
            return "between children", f"{begin}the input of {child} {text}."
        case "result" if equal:
            return "between children", f"{begin}its return value {text}."
        case "raised":
            begin = (
                f"in isolation, with the inputs of {names[0]}, it raises {'too' if raised_before else f'in {names[1]}'}"
            )
            begin += f", {equal}" if equal else ""
            return "raised", f"{begin}." if raised_before else f"{begin}: {text}"
        case "result":
            return "alone", f"on the same inputs, its result {text}."
        case "buffer":
            return "alone", f"on the same inputs, its buffer {child} {text}."
        case "gradient":
            kind = "operator" if finding.location.source else "alone"
            return kind, f"with equal inputs and results, the gradient of {child} {text}."
        case "backward":
            return "alone", f"with equal inputs and results, its backward pass raises in {names[1]}: {text}"
        case "calls":
            return "calls", f"{text}."
        case "structure":
            return "structure", f"{text[:1].lower()}{text[1:]}"
        case "in place":
            return "in place", f"it {text}."
    return "note", f"{text}."


def _phrase_divergence(finding: ModuleFinding, divergence: Divergence, names: tuple[str, str]) -> Finding:
    effect = {
        "input": f"the input of {finding.child} {finding.text}",
        "result": f"its return value {finding.text}",
        "raised": f"it raises in isolation: {finding.text}",
    }[finding.kind]
    until = f", equal up to the result of {finding.after}" if finding.after else ""
    cause = describe_divergence(divergence, names)
    text = f"{path_name(finding.path)} ({finding.type}): {cause}; {effect}{until}."
    source = finding.location.source
    if divergence.extra:
        source = divergence.extra[0].location.source
    elif divergence.right is not None and not (divergence.missing and source):
        source = divergence.right.location.source
    return Finding("operator", finding.path, text, suggest_fix(divergence, finding), source)
