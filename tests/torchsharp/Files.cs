// What test_files.py runs.
#nullable disable
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Filed;

/// <summary>Buffers of every element type, one without dimensions, one without elements, one that is stored transposed.</summary>
public sealed class Kinds : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(3, 2);

    public Kinds(string write, string read) : base(nameof(Kinds))
    {
        RegisterComponents();
        foreach (var type in new[] { uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128, bfloat16, @bool })
            register_buffer($"of_{type}", (arange(6) % 4).reshape(2, 3).to(type));
        register_buffer("number", tensor(2.5));
        register_buffer("nothing", zeros(0, 300));
        register_buffer("turned", arange(6).reshape(2, 3).t());
        if (write.Length > 0) save(write);
        if (read.Length == 0) return;
        foreach (var (_, buffer) in named_buffers()) buffer.zero_();
        load(read);
    }

    public override Tensor forward(Tensor input) => fc.call(input);
}

/// <summary>A network with a default constructor, for Create.</summary>
public sealed class Small : Module<Tensor, Tensor>
{
    public readonly Linear a = Linear(3, 2);
    public readonly Linear b = Linear(2, 2);

    public Small() : base(nameof(Small)) => RegisterComponents();

    public override Tensor forward(Tensor input) => b.call(a.call(input));
}

/// <summary>Another one, with one layer of Small and one that it lacks.</summary>
public sealed class Other : Module<Tensor, Tensor>
{
    public readonly Linear a = Linear(3, 2);
    public readonly Linear c = Linear(2, 5);

    public Other() : base(nameof(Other)) => RegisterComponents();

    public override Tensor forward(Tensor input) => c.call(a.call(input));
}

/// <summary>One use of files by each name.</summary>
public sealed class Files : Module<Tensor, string, string, Tensor>
{
    public Files() : base(nameof(Files))
    {
    }

    public override Tensor forward(Tensor input, string what, string path)
    {
        var memory = new MemoryStream();
        var small = new Small();
        Parameter[] all = [.. small.parameters()];
        Tensor Joined(Module module) => nn.utils.parameters_to_vector(module.parameters()).detach();
        switch (what)
        {
            case "write":
                small.save(path);
                return Joined(small);
            case "create":
                return Joined(Module.Create<Small>(path));
            case "streams":
                small.save(File.Create(path));
                return Joined(new Small().load(File.OpenRead(path)));
            case "state dict":
                using (var writer = new BinaryWriter(File.Create(path)))
                    Module.save_state_dict(writer, new Dictionary<string, Tensor> { ["b.bias"] = all[3], ["a.weight"] = input,
                        ["more"] = ones(2) }, ["more"]);
                var seen = new Dictionary<string, bool>();
                small.load(path, strict: false, skip: ["b.bias"], loadedParameters: seen);
                if (string.Join(",", seen) != "[b.bias, True],[a.weight, True]")
                    throw new InvalidOperationException(string.Join(",", seen));
                return all[0].detach();
            case "partly":
                var other = new Other();
                var found = new Dictionary<string, bool>();
                other.load(path, strict: false, loadedParameters: found);
                if (found.Count(pair => pair.Value) != 2 || found["b.bias"]) throw new InvalidOperationException(string.Join(",", found));
                return cat([other.a.weight.reshape(-1), other.a.bias]).detach();
            case "strict":
                new Other().load(path);
                return input;
            case "shape":
                using (var reader = new BinaryReader(File.OpenRead(path)))
                    input.Load(reader);
                return input;
            case "tensor":
                using (var writer = new BinaryWriter(memory, System.Text.Encoding.UTF8, leaveOpen: true))
                {
                    input.Save(writer);
                    input.t().Save(writer);
                    ones(2, 2).Save(writer);
                    tensor(7L).Save(writer);
                }

                memory.Position = 0;
                using (var reader = new BinaryReader(memory))
                {
                    var same = input.zeros_like();
                    same.Load(reader);
                    var turned = Tensor.Load(reader);
                    var kept = zeros(2, 2);
                    kept.Load(reader, skip: true);
                    Tensor none = null;
                    TensorExtensionMethods.Load(ref none, reader);
                    return cat([same.reshape(-1), turned.reshape(-1), kept.reshape(-1), none.reshape(1).to(float32)]);
                }

            case "skipped":
                input.Save(path);
                using (var reader = new BinaryReader(File.OpenRead(path)))
                    return TensorExtensionMethods.Load(reader, skip: true);
            case "tensor file":
                input.Save(path);
                return Tensor.Load(path) + Tensor.Load(File.OpenRead(path));
            case "save":
                torch.save(input, path);
                return torch.load(path);
            case "load":
                return Tensor.load(path);
            default:
                throw new ArgumentException(what);
        }
    }
}
