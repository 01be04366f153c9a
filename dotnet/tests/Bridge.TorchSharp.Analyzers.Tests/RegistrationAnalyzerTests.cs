namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class RegistrationAnalyzerTests
{
    [Fact]
    public Task What_a_constructor_assigns_after_the_call_is_reported() => Verify.Reports(
        Rules.Late,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear first;
            readonly Linear second;
            readonly Parameter weight;
            readonly Tensor table;
            readonly ModuleList<Linear> list = new();
            Sequential Tail { get; }
            int size;

            public Net(bool big) : base("Net")
            {
                first = Linear(2, 2);
                RegisterComponents();
                [|second|] = Linear(2, 2);
                if (big) this.weight = Parameter(ones(2));
                [|Tail|] = Sequential(Linear(2, 2));
                [|list|].Add(Linear(2, 2));
                table = ones(2);
                size = 2;
            }

            public override Tensor forward(Tensor x) => x + size;
        }
        """.Replace("this.weight", "[|this.weight|]"));

    [Fact]
    public Task What_a_constructor_assigns_after_another_that_registers_is_reported() => Verify.Reports(
        Rules.Late,
        """
        class Net : Module<Tensor, Tensor>
        {
            protected Linear? fc;
            readonly Linear head;

            public Net(string name) : base(name)
            {
                head = Linear(2, 2);
                RegisterComponents();
            }

            public Net() : this("Net")
            {
                [|fc|] = Linear(2, 2);
            }

            public override Tensor forward(Tensor x) => head.call(x);
        }

        class Derived : Net
        {
            readonly Linear before = Linear(2, 2);
            readonly Linear after;

            public Derived() : base("Derived") => [|after|] = Linear(2, 2);
        }
        """);

    [Fact]
    public Task Other_assignments_are_not_reported() => Verify.ReportsNothing(
        """
        class Net : Module<Tensor, Tensor>
        {
            Linear? fc;
            readonly Linear head;

            public Net(bool early) : base("Net")
            {
                if (early) RegisterComponents();
                head = Linear(2, 2);
                RegisterComponents();
                fc = null;
                Action later = () => fc = Linear(2, 2);
            }

            public void Replace() => fc = Linear(2, 2);

            public override Tensor forward(Tensor x) => head.call(x);
        }

        class ByHand : Module<Tensor, Tensor>
        {
            readonly Linear fc;

            public ByHand() : base("ByHand")
            {
                RegisterComponents();
                fc = Linear(2, 2);
                register_module("fc", fc);
            }

            public override Tensor forward(Tensor x) => fc.call(x);
        }
        """);

    [Theory]
    [InlineData("new Table()")]
    [InlineData("Sequential(head, ReLU())")]
    [InlineData("big ? new Table() : new Other()")]
    [InlineData("big switch { true => new Table(), _ => new Other() }")]
    public Task A_module_that_is_kept_out_of_the_state_is_not_reported(string value) => Verify.ReportsNothing(
        $$"""
        class Table : Module<Tensor, Tensor>
        {
            readonly Tensor table = ones(2);

            public Table() : base("Table") { }

            public override Tensor forward(Tensor x) => x + table;
        }

        class Other : Table;

        class Net : Module<Tensor, Tensor>
        {
            readonly Module<Tensor, Tensor> rotary;
            readonly Linear head = Linear(2, 2);
            readonly List<Table> caches = new() { new Table() };

            public Net(bool big) : base("Net")
            {
                RegisterComponents();
                rotary = {{value}};
            }

            public override Tensor forward(Tensor x) => rotary.call(x);
        }
        """);

    [Fact]
    public Task A_class_without_the_call_is_reported() => Verify.Reports(
        Rules.Unregistered,
        """
        class [|Net|] : Module<Tensor, Tensor>
        {
            readonly Linear fc = Linear(2, 2);

            public Net() : base("Net") { }

            public override Tensor forward(Tensor x) => fc.call(x);
        }

        class [|Old|] : Module
        {
            Parameter Weight { get; } = Parameter(ones(2));

            public Old() : base("Old") { }
        }
        """);

    [Fact]
    public Task Classes_that_are_registered_otherwise_are_not_reported() => Verify.ReportsNothing(
        """
        abstract class Base : Module<Tensor, Tensor>
        {
            protected readonly Linear fc = Linear(2, 2);

            protected Base() : base("Base") { }
        }

        partial class Net : Base
        {
            readonly Linear head = Linear(2, 2);

            public override Tensor forward(Tensor x) => head.call(fc.call(x));
        }

        partial class Net
        {
            public Net() => Init();

            private void Init() => RegisterComponents();
        }

        class Derived : Net
        {
            readonly Linear tail = Linear(2, 2);
        }

        class ByHand : Module<Tensor, Tensor>
        {
            readonly Linear fc = Linear(2, 2);

            public ByHand() : base("ByHand") => register_module("fc", fc);

            public override Tensor forward(Tensor x) => fc.call(x);
        }

        class Own : Module<Tensor, Tensor>
        {
            readonly Linear fc = Linear(2, 2);

            public Own() : base("Own") { }

            protected override void RegisterComponents() { }

            public override Tensor forward(Tensor x) => fc.call(x);
        }

        class Empty : Module<Tensor, Tensor>
        {
            static readonly Linear shared = Linear(2, 2);
            readonly Tensor table = ones(2);

            public Empty() : base("Empty") { }

            public override Tensor forward(Tensor x) => shared.call(x) + table;
        }

        class Trainer
        {
            readonly Linear model = Linear(2, 2);

            public Tensor Step(Tensor x) => model.call(x);
        }
        """);
}
