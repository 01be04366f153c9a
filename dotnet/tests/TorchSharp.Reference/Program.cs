using TorchSharp.Reference;

// TorchSharp.Reference LIST FILE: writes the assembly of signatures that LIST describes.
// TorchSharp.Reference [--json] LIST: compares each member with Bridge.Torch, a line or a JSON object each.
switch (args)
{
    case ["--json", var list]:
        foreach (var line in Coverage.Json(Surface.Read(list))) Console.WriteLine(line);
        return 0;
    case [var list, var file]:
        File.WriteAllBytes(file, new Emitter(Surface.Read(list)).Emit());
        return 0;
    case [var list]:
        foreach (var line in Coverage.Lines(Surface.Read(list))) Console.WriteLine(line);
        return 0;
    default:
        Console.Error.WriteLine("usage: TorchSharp.Reference [--json] surface.jsonl | TorchSharp.Reference surface.jsonl TorchSharp.dll");
        return 2;
}
