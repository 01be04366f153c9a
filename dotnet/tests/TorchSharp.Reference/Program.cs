using TorchSharp.Reference;

// TorchSharp.Reference LIST FILE: writes the assembly of signatures that LIST describes.
// TorchSharp.Reference --list TorchSharp.dll LIST: writes the list of an assembly, with LIST's use counts.
// TorchSharp.Reference [--json] LIST: compares each member with Bridge.Torch, a line or a JSON object each.
// TorchSharp.Reference --declarations TorchSharp.dll: compares how its members are declared with Bridge.Torch, a line for each difference.
// TorchSharp.Reference --calls FILE: writes the members of TorchSharp's types that an assembly refers to.
// TorchSharp.Reference --reaching TorchSharp.dll FUNCTION...: writes the members that reach functions of the native library.
switch (args)
{
    case ["--json", var list]:
        foreach (var line in Coverage.Json(Surface.Read(list))) Console.WriteLine(line);
        return 0;
    case ["--declarations", var library]:
        foreach (var line in Differences.Lines(library)) Console.WriteLine(line);
        return 0;
    case ["--calls", var file]:
        foreach (var line in Calls.Lines(file)) Console.WriteLine(line);
        return 0;
    case ["--reaching", var library, .. var functions]:
        using (var calls = new NativeCalls(library))
            foreach (var line in calls.Lines(functions)) Console.WriteLine(line);
        return 0;
    case ["--list", var library, var before]:
        using (var lister = new Lister(library, Surface.Read(before)))
            foreach (var line in lister.Lines()) Console.WriteLine(line);
        return 0;
    case [var list, var file]:
        File.WriteAllBytes(file, new Emitter(Surface.Read(list)).Emit());
        return 0;
    case [var list]:
        foreach (var line in Coverage.Lines(Surface.Read(list))) Console.WriteLine(line);
        return 0;
    default:
        Console.Error.WriteLine(
            "usage: TorchSharp.Reference [--json] surface.jsonl | surface.jsonl TorchSharp.dll | --list TorchSharp.dll surface.jsonl"
            + " | --declarations TorchSharp.dll | --calls FILE"
            + " | --reaching TorchSharp.dll FUNCTION...");
        return 2;
}
