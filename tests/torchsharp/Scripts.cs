using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Tensorboard;
using TorchSharp;
using TorchSharp.Modules;
using static Tensorboard.ApiDef.Types;
using static Tensorboard.CostGraphDef.Types;
using static Tensorboard.Summary.Types;
using static Tensorboard.TensorShapeProto.Types;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Scripts;

/// <summary>What a program does with a file of TorchScript, outside any model.</summary>
public sealed class Program
{
    private readonly List<string> log = [];

    public Tensor Run(string file, Tensor x) => jit.load<Tensor, Tensor>(file).call(x);

    public Tensor RunBytes(string file, Tensor x)
    {
        using var module = jit.load(File.ReadAllBytes(file), CPU);
        return (Tensor)module.forward(x);
    }

    public string Names(string file)
    {
        var module = jit.load(file, "cpu");
        return string.Join(' ', module.named_parameters().Select(item => item.name)) + "|"
            + string.Join(' ', module.named_buffers().Select(item => item.name)) + "|"
            + string.Join(' ', module.named_modules().Select(item => item.name)) + "|"
            + string.Join(' ', module.named_children().Select(item => $"{item.name}:{item.module.GetName()}")) + "|"
            + string.Join(' ', module.state_dict().Keys) + "|"
            + string.Join(' ', module.named_attributes(recurse: false).Select(item => item.name)) + "|"
            + $"{module.GetName()} {module.GetNumberOfInputs()} {module.GetNumberOfOutputs()}";
    }

    public string Results(string file)
    {
        using var module = jit.load(file);
        var x = ones(2);
        var found = new object?[]
        {
            module.invoke("pair", x), module.invoke("three", x, x, 2), module.invoke("three", x, x, (Scalar)2L),
            module.invoke("many", (object)new[] { x, x, x }), module.invoke("number", 2.5), module.invoke("whole", 3),
            module.invoke("truth", true),
            module.invoke("text", "a"), module.invoke("table", x), module.invoke("mixed", x), module.invoke("none", x),
            module.invoke("maybe", new object?[] { null }!), module.invoke("numbers", (object)new long[] { 1, 2 }),
        };
        var typed = module.invoke<(Tensor, Tensor)>("pair", x).Item2.sum().item<float>()
            + module.invoke<Tensor[]>("many", (object)new[] { x }).Length
            + module.invoke<Tensor, Tensor>("once", x).sum().item<float>();
        return string.Join(' ', found.Select(Written)) + $" {typed}";
    }

    public string Hooks(string file, Tensor x)
    {
        var module = jit.load<Tensor, Tensor>(file);
        module.eval();
        var plain = module.call(x);
        var pre = module.register_forward_pre_hook((who, input) => Note($"pre {who == module}", input * 2));
        var post = module.register_forward_hook((_, input, output) => Note($"post {input.sum().item<float>()}", output * 0));
        ((Module)module).register_forward_hook((_, args, output) =>
            Note<object>($"untyped {args.Length} {((Tensor)output!).sum().item<float>():F3}"));
        Note<object>($"{module.call(x).sum().item<float>()}");
        Note<object>($"{module.forward(x).equal(plain).all().item<bool>()}");
        pre.remove();
        post.remove();
        Note<object>($"{module.call(x).equal(plain).all().item<bool>()}");
        var pair = jit.load<Tensor, Tensor, Tensor>(file.Replace(".pt", "2.pt"));
        pair.register_forward_pre_hook((_, first, second) => (second, first));
        pair.register_forward_hook((_, first, _, output) => output + first);
        Note<object>($"{pair.call(ones(1), zeros(1)).item<float>()} {pair.forward(ones(1), zeros(1)).item<float>()}");
        return string.Join('\n', log);
    }

    public Tensor[] Train(string file, Tensor x, string saved)
    {
        var module = jit.load<Tensor, Tensor>(file);
        module.train();
        var optimizer = optim.SGD(module.parameters(), 0.5);
        for (var step = 0; step < 3; step++)
        {
            optimizer.zero_grad();
            module.call(x).square().sum().backward();
            optimizer.step();
        }

        module.eval();
        jit.save(module, saved);
        return [module.call(x), .. module.state_dict().Values];
    }

    public string Converted(string file, Tensor x)
    {
        var module = jit.load<Tensor, Tensor>(file);
        module.eval();
        module.to(float64);
        var doubled = module.call(x.to(float64)).dtype;
        module.set_attribute("shift", full([2], 5.0, float64));
        return $"{doubled} {module.get_buffer("shift")!.sum().item<double>()} {module.call(x.to(float64)).min().item<double>() > 3}";
    }

    public Tensor[] Compiled()
    {
        using var unit = jit.compile("""
            def add(x, y: int):
                return x + y

            def both(x):
                return x, x + 1

            def total(x: List[Tensor]):
                return x[0] + x[1]
            """);
        var (first, second) = unit.invoke<(Tensor, Tensor)>("both", ones(1));
        return [(Tensor)unit.invoke("add", ones(1), 2), first, second, unit.invoke<Tensor, Tensor>("total", zeros(1), ones(1))];
    }

    public void Refused(string file, string what)
    {
        var module = jit.load(file);
        switch (what)
        {
            case "file": jit.load(file + ".absent"); break;
            case "method": module.invoke("absent", ones(1)); break;
            case "attribute": module.set_attribute("absent", ones(1)); break;
            case "arguments": module.forward(ones(1), ones(1)); break;
            case "type": jit.load<Tensor, (Tensor, Tensor)>(file).call(ones(2, 3)); break;
            case "bytes": jit.save(module, new byte[8]); break;
            case "disposed": module.Dispose(); module.forward(ones(2, 3)); break;
            case "function": jit.compile("def f(x):\n    return x\n").invoke("g", ones(1)); break;
            case "syntax": jit.compile("def f("); break;
            case "empty": jit.compile(""); break;
            case "export": export.load(file); break;
            case "tensorboard": torch.utils.tensorboard.SummaryWriter("logs"); break;
            case "complex": module.invoke("number", (Scalar)new System.Numerics.Complex(1, 2)); break;
        }
    }

    private static string Written(object? value) => value switch
    {
        null => "null",
        Tensor tensor => $"T{tensor.sum().item<float>()}",
        Scalar scalar => $"S{scalar.ToDouble()}",
        Array items => $"[{string.Join(',', items.Cast<object?>().Select(Written))}]",
        IDictionary<string, Tensor> map => $"{{{string.Join(',', map.Select(item => item.Key + Written(item.Value)))}}}",
        System.Runtime.CompilerServices.ITuple tuple =>
            $"({string.Join(',', Enumerable.Range(0, tuple.Length).Select(i => Written(tuple[i])))})",
        _ => value.ToString()!,
    };

    private T? Note<T>(string text, T? value = default)
    {
        log.Add(text);
        return value;
    }
}

/// <summary>A C# model with a part in TorchScript.</summary>
public sealed class Holder : Module<Tensor, Tensor>
{
    private readonly jit.ScriptModule<Tensor, Tensor> net;
    private readonly Linear last = Linear(2, 2);

    public Holder(string file, bool hooked) : base(nameof(Holder))
    {
        net = jit.load<Tensor, Tensor>(file);
        RegisterComponents();
        if (!hooked) return;
        net.register_forward_pre_hook((_, input) => input * 0);
        net.register_forward_hook((who, input, output) => output - who.forward(input));
    }

    public override Tensor forward(Tensor input) => last.call(net.call(input));
}
