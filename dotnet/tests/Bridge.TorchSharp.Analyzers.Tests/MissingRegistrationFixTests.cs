namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class MissingRegistrationFixTests
{
    private const string Rest = """


            public override Tensor forward(Tensor x) => fc.call(x);
        }
        """;

    [Fact]
    public Task Each_constructor_that_runs_no_other_gets_the_call() => Verify.Fixes(
        Rules.Unregistered,
        """
        class [|Net|] : Module<Tensor, Tensor>
        {
            readonly Linear fc;

            public Net() : this(2)
            {
            }

            public Net(int size) : base("Net")
            {
                fc = Linear(size, size);
            }

            public Net(string name) : base(name) => fc = Linear(2, 2);

            public Net(Linear fc) : base("Net") { this.fc = fc; }
        """ + Rest,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear fc;

            public Net() : this(2)
            {
            }

            public Net(int size) : base("Net")
            {
                fc = Linear(size, size);
                RegisterComponents();
            }

            public Net(string name) : base(name)
            {
                fc = Linear(2, 2);
                RegisterComponents();
            }

            public Net(Linear fc) : base("Net") { this.fc = fc; RegisterComponents(); }
        """ + Rest);

    [Fact]
    public Task An_empty_constructor_gets_the_call() => Verify.Fixes(
        Rules.Unregistered,
        """
        class [|Net|] : Module<Tensor, Tensor>
        {
            readonly Linear fc = Linear(2, 2);

            public Net() : base("Net")
            {
            }

            public Net(string name) : base(name) { }
        """ + Rest,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear fc = Linear(2, 2);

            public Net() : base("Net")
            {
                RegisterComponents();
            }

            public Net(string name) : base(name) { RegisterComponents(); }
        """ + Rest);

    [Fact]
    public Task A_primary_constructor_is_left() => Verify.HasNoFix(
        Rules.Unregistered,
        """
        class [|Net|]() : Module<Tensor, Tensor>("Net")
        {
            readonly Linear fc = Linear(2, 2);
        """ + Rest);
}
