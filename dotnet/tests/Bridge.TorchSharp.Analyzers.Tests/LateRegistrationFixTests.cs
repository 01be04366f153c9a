namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class LateRegistrationFixTests
{
    private const string Rest = """


            public override Tensor forward(Tensor x) => first.call(x);
        }
        """;

    [Fact]
    public Task The_call_moves_to_the_end() => Verify.Fixes(
        Rules.Late,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear first, second;

            public Net() : base("Net")
            {
                // Before.
                RegisterComponents();
                [|first|] = Linear(2, 2);
                [|second|] = Linear(2, 2); // The second.
            }
        """ + Rest,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear first, second;

            public Net() : base("Net")
            {
                // Before.
                first = Linear(2, 2);
                second = Linear(2, 2); // The second.
                RegisterComponents();
            }
        """ + Rest);

    [Fact]
    public Task The_call_moves_within_a_line() => Verify.Fixes(
        Rules.Late,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear first;

            public Net() : base("Net") { this.RegisterComponents(); [|first|] = Linear(2, 2); }
        """ + Rest,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear first;

            public Net() : base("Net") { first = Linear(2, 2); RegisterComponents(); }
        """ + Rest);

    [Fact]
    public Task A_call_in_another_constructor_is_left() => Verify.HasNoFix(
        Rules.Late,
        """
        class Net : Module<Tensor, Tensor>
        {
            readonly Linear? first;

            private Net(string name) : base(name) => RegisterComponents();

            public Net() : this("Net") => [|first|] = Linear(2, 2);

            public override Tensor forward(Tensor x) => first!.call(x);
        }
        """);
}
