using TorchSharp.Reference;

// TorchSharp.Reference LIST FILE: writes the assembly of signatures that the list describes.
if (args is not [var list, var file])
{
    Console.Error.WriteLine("usage: TorchSharp.Reference surface.jsonl TorchSharp.dll");
    return 2;
}

File.WriteAllBytes(file, new Emitter(Surface.Read(list)).Emit());
return 0;
