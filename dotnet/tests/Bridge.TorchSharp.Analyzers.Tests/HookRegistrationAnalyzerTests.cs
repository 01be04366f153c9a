namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class HookRegistrationAnalyzerTests
{
    [Theory]
    [InlineData("fc.register_forward_hook((module, x, y) => { fc.[|register_forward_hook|]((_, _, y) => y); return y; });")]
    [InlineData("fc.register_forward_hook((module, x, y) => { module.[|register_forward_hook|]((_, _, y) => y); return y; });")]
    [InlineData("fc.register_forward_pre_hook((module, x) => { module.[|register_forward_pre_hook|]((_, x) => x); return x; });")]
    [InlineData("fc.register_forward_hook(module => { fc.[|register_forward_hook|](_ => { }); });")]
    [InlineData("field.register_forward_hook(delegate { this.field.[|register_forward_hook|](_ => { }); });")]
    public Task A_hook_that_adds_its_kind_to_its_module_is_reported(string statement) => Verify.Reports(Rules.Hook, Program(statement));

    [Theory]
    [InlineData("fc.register_forward_hook((module, x, y) => { other.register_forward_hook((_, _, y) => y); return y; });")]
    [InlineData("fc.register_forward_pre_hook((module, x) => { module.register_forward_hook((_, _, y) => y); return x; });")]
    [InlineData("fc.register_forward_hook((module, x, y) => { fc.register_forward_hook(_ => { }); return y; });")]
    [InlineData("fc.register_forward_hook((module, x, y) => { Action f = () => fc.register_forward_hook((_, _, y) => y); return y; });")]
    [InlineData("fc.register_forward_hook((module, x, y) => y); fc.register_forward_hook((module, x, y) => y);")]
    public Task Other_hooks_are_not_reported(string statement) => Verify.ReportsNothing(Program(statement));

    private static string Program(string statement) => $$"""
        class Program
        {
            readonly Linear field = Linear(2, 2);

            void Run(Linear fc, Linear other)
            {
                {{statement}}
            }
        }
        """;
}
