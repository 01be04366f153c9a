namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class ForwardCallAnalyzerTests
{
    [Fact]
    public Task Fields_properties_locals_elements_and_parameters_are_reported() => Verify.Reports(
        Rules.Forward,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear fc = Linear(2, 2);
            readonly ModuleList<Module<Tensor, Tensor>> list = new(Linear(2, 2));
            Sequential Head { get; } = Sequential(Linear(2, 2), ReLU());

            public Net() : base("Net") => RegisterComponents();

            public override Tensor forward(Tensor x)
            {
                var local = list[0];
                x = fc.[|forward|](x);
                x = this.fc.[|forward|](x);
                x = Head.[|forward|](x);
                x = local.[|forward|](x);
                foreach (var child in list) x = child.[|forward|](x);
                return list[0].[|forward|](Linear(2, 2).[|forward|](x));
            }

            static Tensor Run(Net net, Module<Tensor, Tensor>? other, Tensor x) => other?.[|forward|](x) ?? net.[|forward|](x);
        }
        """);

    [Fact]
    public Task Modules_of_any_types_are_reported() => Verify.Reports(
        Rules.Forward,
        """
        using Child = TorchSharp.torch.nn.Module<TorchSharp.torch.Tensor, int, TorchSharp.torch.Tensor>;

        class Two : Module<Tensor, int, Tensor>
        {
            public Two() : base("Two") { }

            public override Tensor forward(Tensor x, int times) => x * times;
        }

        class Program
        {
            static Tensor Run<TModule>(TModule module, Two two, Child child, LSTM lstm, Loss<Tensor, Tensor, Tensor> loss, Tensor x)
                where TModule : Module<Tensor, Tensor>
            {
                var (output, _, _) = lstm.[|forward|](x);
                return loss.[|forward|](child.[|forward|](two.[|forward|](module.[|forward|](output), 2), 3), x);
            }

            static Tensor Script(jit.ScriptModule<Tensor, Tensor> module, Tensor x) => module.[|forward|](x);
        }
        """);

    [Fact]
    public Task A_method_group_is_reported() => Verify.Reports(
        Rules.Forward,
        """
        class Program
        {
            static Func<Tensor, Tensor> Run(Linear fc) => fc.[|forward|];
        }
        """);

    [Fact]
    public Task A_call_with_a_dynamic_argument_is_reported() => Verify.Reports(
        Rules.Forward,
        """
        class Net : Module<Tensor, Tensor>
        {
            public Net() : base("Net") { }

            public override Tensor forward(Tensor x) => x + 1;
        }

        class Program
        {
            static Tensor Run(Linear fc, Module<Tensor, Tensor, Tensor> two, Net? net, dynamic any, Tensor x) =>
                fc.[|forward|](any.forward(x)) + two.[|forward|](x, any) + net?.[|forward|](any) + fc.[|forward|]((Tensor)any);
        }
        """);

    [Fact]
    public Task A_call_with_a_dynamic_argument_that_may_be_another_method_is_not_reported() => Verify.ReportsNothing(
        """
        class Net : Module<Tensor, Tensor>
        {
            public Net() : base("Net") { }

            public override Tensor forward(Tensor x) => forward((dynamic)x);

            public Tensor forward(string text) => ones(text.Length);

            public Tensor forward(params int[] numbers) => ones(numbers.Length);
        }

        class Program
        {
            static Tensor Run(Net net, LSTM lstm, dynamic any) => net.forward(any) + lstm.forward(any).Item1;
        }
        """);

    [Fact]
    public Task Another_forward_is_reported_unless_it_uses_call() => Verify.Reports(
        Rules.Forward,
        """
        class Net : Module<Tensor, Tensor>
        {
            public Net() : base("Net") { }

            public override Tensor forward(Tensor x) => x + 1;

            public Tensor forward(Tensor x, Tensor mask) => x * mask;

            public Tensor forward(Tensor x, int times) => call(x * times);
        }

        class Program
        {
            static Tensor Run(Net net, Tensor x) => net.forward(net.[|forward|](x, x), 2);
        }
        """);

    [Fact]
    public Task The_message_says_whether_there_is_a_call() => Task.WhenAll(
        Says("net.forward(x)", "'net.forward' does not run the hooks of 'net': use 'call'"),
        Says("net.forward(x, x)", "'net.forward' does not run the hooks of 'net', and no 'call' has these parameters"));

    private static async Task Says(string call, string message)
    {
        var analyzed = await Analyzed.Of([
            $$"""
            class Net : Module<Tensor, Tensor>
            {
                public Net() : base("Net") { }

                public override Tensor forward(Tensor x) => x + 1;

                public Tensor forward(Tensor x, Tensor mask) => x * mask;
            }

            class Program
            {
                static Tensor Run(Net net, Tensor x) => {{call}};
            }
            """]);
        Assert.Equal(message, Assert.Single(analyzed.Reported).GetMessage());
    }

    [Fact]
    public Task A_modules_own_forward_is_not_reported() => Verify.ReportsNothing(
        """
        class Net : Module<Tensor, Tensor>
        {
            public Net() : base("Net") { }

            public override Tensor forward(Tensor x) => forward(x, 2) + this.forward(x, 3);

            public Tensor forward(Tensor x, int times) => x * times;
        }

        class Derived : Net
        {
            public override Tensor forward(Tensor x) => base.forward(x);
        }
        """);

    [Fact]
    public Task Modules_without_hooks_and_other_classes_are_not_reported() => Verify.ReportsNothing(
        """
        class Old : Module
        {
            public Old() : base("Old") { }

            public Tensor forward(Tensor x) => x + 1;
        }

        class Other
        {
            public Tensor forward(Tensor x) => x + 1;
        }

        class Program
        {
            static Tensor Run(Old old, Other other, dynamic any, Linear fc, Tensor x) =>
                any.forward(old.forward(other.forward(fc.call(x))));
        }
        """);

    [Fact]
    public Task A_hook_that_runs_its_module_again_is_not_reported() => Verify.ReportsNothing(
        """
        class Program
        {
            static void Run(Linear fc) => fc.register_forward_hook((module, input, output) => module.forward(output));
        }
        """);
}
