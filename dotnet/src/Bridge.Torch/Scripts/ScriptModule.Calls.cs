using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class jit
    {
        public partial class ScriptModule
        {
            private HookSite<object?[], object?>? _site;

            /// <summary>Runs the script module's <c>forward</c>, without hooks.</summary>
            /// <param name="input">The arguments.</param>
            /// <returns>A tensor, Scalar, string, array, ValueTuple or Dictionary; null for None.</returns>
            public object forward(params object[] input) => invoke(nameof(forward), input);

            /// <summary>Runs the script module's pre hooks, <c>forward</c> and forward hooks.</summary>
            /// <param name="input">The arguments.</param>
            /// <returns>A tensor, Scalar, string, array, ValueTuple or Dictionary; null for None.</returns>
            public object call(params object[] input) => ScriptValues.Result(Call(input))!;

            /// <summary>Runs a method that the module exports.</summary>
            /// <param name="name">The method's name.</param>
            /// <param name="objs">The arguments.</param>
            /// <returns>A tensor, Scalar, string, array, ValueTuple or Dictionary; null for None.</returns>
            public object invoke(string name, params object[] objs) => ScriptValues.Result(RunMethod(name, objs))!;

            /// <summary>Runs a method that the module exports. The result must be a <typeparamref name="TResult"/>.</summary>
            /// <param name="name">The method's name.</param>
            /// <param name="inputs">The arguments.</param>
            /// <returns>The method's result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult invoke<TResult>(string name, params object[] inputs) => ScriptValues.Result<TResult>(RunMethod(name, inputs));

            /// <summary>Runs a method that the module exports, with a list as the only argument.</summary>
            /// <param name="name">The method's name.</param>
            /// <param name="inputs">The values of the list.</param>
            /// <returns>The method's result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            /// <exception cref="ArgumentNullException">The array is null.</exception>
            public TResult invoke<T, TResult>(string name, params T[] inputs)
            {
                ArgumentNullException.ThrowIfNull(inputs);
                return ScriptValues.Result<TResult>(RunMethod(name, [inputs]));
            }

            private protected TResult Forward<TResult>(object?[] args) => ScriptValues.Result<TResult>(RunMethod(nameof(forward), args));

            internal override object? Invoke(object?[] arguments) => RunMethod(nameof(forward), arguments.Select(Tuples.Box));

            /// <summary>Runs the module with its hooks. Returns a plain value (see <see cref="Tuples"/>).</summary>
            internal object? Call(object?[] args)
            {
                ArgumentNullException.ThrowIfNull(args);
                try
                {
                    ThreadStack.Check(this);
                    if (Link is { } link)
                    {
                        if (link.NeedsDispatch) return link.Call(ScriptValues.Arguments(args));
                        link.Prepare();
                    }
                    else if (!Dispatcher.IsBare(_site))
                    {
                        return Tuples.Unpack(Dispatcher.CallHooked(
                            this, args, RecordedFrame.Current?.Observe<object?[], object?>(this, Recorded)));
                    }

                    return RecordedFrame.Current is { } frame ? RunRecorded(frame, args) : RunMethod(nameof(forward), args);
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            HookSite<object?[], object?>? IHookTarget<object?[], object?>.Site => _site;

            object? IHookTarget<object?[], object?>.Forward(object?[] args) => Tuples.Box(RunMethod(nameof(forward), args));

            object?[] IHookTarget<object?[], object?>.Box(object?[] args) => [.. args];

            object?[] IHookTarget<object?[], object?>.Unbox(object?[] args) => args;

            object? IHookTarget<object?[], object?>.BoxResult(object? result) => result;

            object? IHookTarget<object?[], object?>.UnboxResult(object? result) => result;

            private protected override IDisposable AddToRegistry(RegisteredHook hook)
            {
                Interlocked.CompareExchange(ref _site, new HookSite<object?[], object?>(), null);
                return hook.Kind switch
                {
                    HookKind.Pre => _site.Pre.Add((object _, ref object?[] args) =>
                    {
                        object?[] values = [ScriptValues.Arguments(args)];
                        if (Replacement(hook, values) is { } changed)
                            args = (changed as object?[] ?? [changed]).Select(Tuples.Box).ToArray();
                    }, hook.Prepend),
                    HookKind.Forward => _site.Forward.Add((object _, in object?[] args, ref object? result) =>
                    {
                        object?[] values = [ScriptValues.Arguments(args), Tuples.Unpack(result)];
                        if (Replacement(hook, values) is { } changed) result = Tuples.Box(changed);
                    }, hook.Prepend, hook.AlwaysCall),
                    _ => throw new NotSupportedException(
                        $"A backward hook of {GetName()} runs only if the module is part of a model that Python loaded (B-1)."),
                };
            }

            // Runs a hook on plain values. If it takes kwargs, it gets an empty dictionary of them: C# gives none.
            private object? Replacement(RegisteredHook hook, object?[] values)
            {
                if (!hook.WithKwargs) return hook.Invoke(this, values);
                return ((object?[])hook.Invoke(this, [values[0], new DictOfValues([]), .. values[1..]])!)[0];
            }

            private static object Recorded(object?[] args) => args.Length == 1 && args[0] is Tensor only ? only : new ListOfValues(args);

            private object? RunRecorded(RecordedFrame frame, object?[] args)
            {
                var inner = frame.Push(this, Recorded(args), false);
                try
                {
                    var result = RunMethod(nameof(forward), args);
                    inner?.RecordResult(Tuples.Box(result));
                    return result;
                }
                finally
                {
                    RecordedFrame.Restore(frame, false);
                }
            }

            // Returns a plain value.
            private object? RunMethod(string name, IEnumerable<object?> arguments)
            {
                ArgumentNullException.ThrowIfNull(name);
                ArgumentNullException.ThrowIfNull(arguments);
                return Run("run", name, Given(), ScriptValues.Arguments(arguments));
            }
        }
    }
}
