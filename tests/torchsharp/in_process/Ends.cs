using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Ends;

/// <summary>A linear layer, and a step of which the constructor has the name.</summary>
public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);
    private readonly string _step;

    public Net(string step = "") : base(nameof(Net))
    {
        _step = step;
        RegisterComponents();
        if (step == "own hook") fc.register_forward_hook((module, input, output) => throw new InvalidOperationException("on purpose"));
    }

    public override Tensor forward(Tensor x)
    {
        if (_step == "before") throw new InvalidOperationException("on purpose");
        var y = fc.call(x);
        switch (_step)
        {
            case "after":
                throw new InvalidOperationException("on purpose");
            case "backward":
                y.sum().backward();
                break;
            case "backward of many":
                autograd.backward([y.sum()], [ones([])], inputs: [x]);
                break;
            case "grad":
                return autograd.grad([y.sum()], [x], create_graph: true)[0] + y;
            case "unused":
                return autograd.grad([y.sum()], [x, ones(1).requires_grad_()], allow_unused: true)[1] is null ? y : x;
            case "caught":
                try
                {
                    y.sum().backward();
                }
                catch (Exception exception)
                {
                    Console.WriteLine(exception.GetType().Name + ": " + exception.Message);
                }

                break;
            case "wrapped":
                try
                {
                    y.sum().backward();
                }
                catch (Exception exception)
                {
                    throw new InvalidOperationException("wrapped", exception);
                }

                break;
            case "task":
                Task.Run(() => y.sum().backward()).Wait();
                break;
            case "thread":
                Task.Run(() => fc.call(x)).Wait();
                break;
            case "step":
                using (var optimizer = optim.SGD(parameters(), 0.1))
                {
                    y.sum().backward();
                    optimizer.step();
                }

                break;
            case "no graph":
                ones(1).backward();
                break;
            case "not a scalar":
                y.backward();
                break;
            case "matmul":
                return rand(2, 3).matmul(rand(2, 3));
            case "cummax":
                return rand(2, 3).cummax(7).values;
            case "cummin":
                return rand(2, 3).cummin(7).values;
            case "threads":
                set_num_interop_threads(1);
                set_num_interop_threads(2);
                break;
            case "results":
                var (a, b) = (arange(6).reshape(2, 3).to_type(float32), eye(3));
                if (!a.matmul(b).Equals(a) || !a.cummax(1).values.Equals(a) || !a.cummin(1).indexes.Equals(zeros(2, 3, int64)))
                    throw new InvalidOperationException("wrong");
                set_num_threads(1);
                break;
            case "mul":
                return rand(2, 3) * rand(4, 5);
            case "collect":
                for (var i = 0; i < 100; i++) fc.call(x);
                GC.Collect();
                GC.WaitForPendingFinalizers();
                break;
            case "function":
                return Fails.apply(y);
            case "function backward":
                Fails.apply(y).sum().backward();
                break;
            case "wait":
                while (true) fc.call(x);
            case "exit":
                Environment.Exit(7);
                break;
            case "deep":
                return forward(x);
            case "bottomless":
                return Bottomless(x);
        }

        return y;
    }

    private static Tensor Bottomless(Tensor x) => Bottomless(x) + 1;
}

/// <summary>An autograd function whose gradient throws.</summary>
public sealed class Fails : autograd.SingleTensorFunction<Fails>
{
    public override string Name => nameof(Fails);

    public override Tensor forward(autograd.AutogradContext context, params object[] inputs) => (Tensor)inputs[0] * 2;

    public override List<Tensor> backward(autograd.AutogradContext context, Tensor gradient) =>
        throw new InvalidOperationException("on purpose");
}

/// <summary>Catches the exceptions of its child.</summary>
public sealed class Catches : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);

    public Catches() : base(nameof(Catches)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        try
        {
            return fc.call(x);
        }
        catch (Exception exception)
        {
            Console.WriteLine(exception.GetType().Name);
            return x;
        }
    }
}
