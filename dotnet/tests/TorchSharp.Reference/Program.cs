using TorchSharp.Reference;

// TorchSharp.Reference LIST FILE: writes the assembly of signatures that the list describes.
// TorchSharp.Reference LIST: says member by member whether Bridge.Torch has it.
switch (args)
{
    case [var list, var file]:
        File.WriteAllBytes(file, new Emitter(Surface.Read(list)).Emit());
        return 0;
    case [var list]:
        foreach (var line in Coverage.Lines(Surface.Read(list))) Console.WriteLine(line);
        return 0;
    default:
        Console.Error.WriteLine("usage: TorchSharp.Reference surface.jsonl [TorchSharp.dll]");
        return 2;
}
