using System.Reflection;
using System.Reflection.Emit;
using Bridge.Torch.Native;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>
/// Follows the tensors in a method's code, on all paths: the tensor arguments and the results of modules and operators.
/// </summary>
/// <remarks>
/// A tensor is consumed if it is passed to a module with one argument or to an operator, which may then free it. A tensor that may be used
/// afterwards, or that the method stores in a field, array or other object, is shared. Code that is not understood makes the method
/// unknown, and so do exception handlers: they would see tensors of any instruction before them.
/// </remarks>
internal sealed class UseAnalysis
{
    private const int FirstResult = 32;
    private const int LastResult = 120;

    // Two tensors that stand for consumed results, whose instructions have run again.
    private static readonly UInt128 OldCall = UInt128.One << 126;
    private static readonly UInt128 OldOperator = UInt128.One << 127;

    private readonly MethodBase _method;
    private readonly Dictionary<MethodBase, MethodUses> _known;
    private readonly byte[] _code;
    private readonly (OpCode Code, int Operand)[] _instructions;
    private readonly Dictionary<int, int> _indices = [];
    private readonly bool[] _argumentIsTensor;
    private readonly bool[] _localIsTensor;
    private readonly TensorState?[] _states;
    private readonly Stack<int> _waiting = [];
    private readonly Dictionary<int, UInt128> _results = [];
    private UInt128 _calls = OldCall;
    private UInt128 _operators = OldOperator;
    private UInt128 _consumed;
    private UInt128 _escaped;
    private UInt128 _misused;
    private UInt128 _returned;
    private TensorOrigins _shared;
    private int _at;

    private UseAnalysis(MethodBase method, MethodBody body, Dictionary<MethodBase, MethodUses> known)
    {
        (_method, _known, _code) = (method, known, body.GetILAsByteArray()!);
        _instructions = [.. ShapeReads.Instructions(_code)];
        for (var i = 0; i < _instructions.Length; i++) _indices[_instructions[i].Operand - _instructions[i].Code.Size] = i;
        var parameters = method.GetParameters().Select(parameter => parameter.ParameterType);
        _argumentIsTensor = [.. (method.IsStatic ? parameters : parameters.Prepend(method.DeclaringType!)).Select(IsTensor)];
        _localIsTensor = [.. body.LocalVariables.OrderBy(local => local.LocalIndex).Select(local => IsTensor(local.LocalType))];
        _states = new TensorState?[_instructions.Length];
    }

    /// <summary>Returns the uses of a method.</summary>
    /// <param name="method">The method.</param>
    /// <param name="known">The uses of other methods, to which this method adds.</param>
    internal static MethodUses Of(MethodBase method, Dictionary<MethodBase, MethodUses> known)
    {
        if (known.TryGetValue(method, out var uses)) return uses;
        known[method] = MethodUses.Unknown; // for a recursive call
        return known[method] = TensorMethods.OfOperator(method)
            ?? (TensorMethods.IsFixed(method) ? Read(method, known) : MethodUses.Unknown);
    }

    /// <summary>Returns the uses of a method's code, even if derived classes can override the method.</summary>
    internal static MethodUses Read(MethodBase method, Dictionary<MethodBase, MethodUses> known)
    {
        try
        {
            if (method.IsGenericMethod || method.DeclaringType is not { IsGenericType: false } type
                || (method.IsStatic && type.TypeInitializer is not null && !TensorMethods.IsOurs(method))
                || method.GetParameters().Length >= FirstResult || method.GetMethodBody() is not { } body
                || body.ExceptionHandlingClauses.Count > 0)
                return MethodUses.Unknown;
            var analysis = new UseAnalysis(method, body, known);
            return analysis.Run() ? analysis.Uses() : MethodUses.Unknown;
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException or InvalidOperationException
            or NotSupportedException or MissingMemberException or ArgumentException or KeyNotFoundException)
        {
            return MethodUses.Unknown; // a member that cannot be loaded, or code that only another tool understands
        }
    }

    private static bool IsTensor(Type type) => type == typeof(Tensor);

    private MethodUses Uses()
    {
        var shared = _shared;
        if ((_misused & _calls) != 0) shared |= TensorOrigins.Call;
        if ((_misused & _operators) != 0) shared |= TensorOrigins.Operator;
        var result = TensorOrigins.None;
        if ((_returned & _calls) != 0) result |= TensorOrigins.Call;
        if ((_returned & _operators) != 0) result |= TensorOrigins.Operator;
        return new(true, (uint)_consumed, (uint)_escaped, (uint)_misused, (uint)_returned, result, shared);
    }

    // Returns false if the code is not understood.
    private bool Run()
    {
        var arguments = _argumentIsTensor.Select((isTensor, i) => isTensor ? UInt128.One << i : 0).ToArray();
        if (!Reach(0, new(arguments, new UInt128[_localIsTensor.Length], [], 0))) return false;
        while (_waiting.TryPop(out var at))
        {
            _at = at;
            var state = _states[at]!.Copy();
            var (code, operand) = _instructions[at];
            if (!Step(state, code, operand)) return false;
            state.ForgetUnheld();
            if (code.FlowControl is FlowControl.Branch or FlowControl.Cond_Branch && !Targets(code, operand).All(to => Reach(to, state)))
                return false;
            if (code.FlowControl is FlowControl.Branch or FlowControl.Return or FlowControl.Throw) continue;
            if (!Reach(at + 1, state)) return false;
        }

        return true;
    }

    private bool Reach(int at, TensorState state)
    {
        if (at >= _states.Length) return false;
        if (_states[at] is not { } before) _states[at] = state.Copy();
        else if (before.Merge(state) is not { } changed) return false;
        else if (!changed) return true;
        _waiting.Push(at);
        return true;
    }

    private IEnumerable<int> Targets(OpCode code, int operand)
    {
        switch (code.OperandType)
        {
            case OperandType.ShortInlineBrTarget:
                yield return _indices[operand + 1 + (sbyte)_code[operand]];
                break;
            case OperandType.InlineBrTarget:
                yield return _indices[operand + 4 + Int(operand)];
                break;
            case OperandType.InlineSwitch:
                var end = operand + 4 + 4 * Int(operand);
                for (var at = operand + 4; at < end; at += 4) yield return _indices[end + Int(at)];
                break;
        }
    }

    private int Int(int at) => BitConverter.ToInt32(_code, at);

    private bool Step(TensorState state, OpCode code, int operand)
    {
        var name = code.Name!;
        if (Variable(name, code, operand) is var (kind, index))
        {
            var (values, areTensors) = kind is 'a' ? (state.Arguments, _argumentIsTensor) : (state.Locals, _localIsTensor);
            if (name.StartsWith("ld", StringComparison.Ordinal))
            {
                var isAddress = name is "ldarga" or "ldarga.s" or "ldloca" or "ldloca.s";
                // Code that has a variable's address may read and write the variable at any time.
                if (isAddress && areTensors[index]) return false;
                state.Stack.Add(isAddress ? 0 : values[index]);
            }
            else
            {
                values[index] = state.Pop();
            }

            return true;
        }

        switch (name)
        {
            case "dup":
                state.Stack.Add(state.Stack[^1]);
                return true;
            case "call" or "callvirt" or "newobj":
                return Call(state, Method(operand), code == OpCodes.Newobj);
            case "ret":
                if (_method is not MethodInfo { } method || method.ReturnType == typeof(void)) return true;
                var result = state.Pop();
                Use(state, result);
                _returned |= result;
                return true;
            case "ldsfld" or "ldsflda" or "stsfld":
                // The first use of a type's static field may run the user's code.
                if (_method.Module.ResolveField(Int(operand)) is not { } field || IsUsers(field)) return false;
                if (name == "stsfld") Escape(state, state.Pop());
                else state.Stack.Add(0);
                return true;
            case "ldftn" or "ldvirtftn" or "calli" or "jmp" or "arglist" or "localloc" or "cpblk" or "initblk" or "constrained."
                or "mkrefany" or "refanyval" or "refanytype" or "leave" or "leave.s" or "endfinally" or "endfilter" or "rethrow" or "tail.":
                return false;
        }

        var tests = code.FlowControl == FlowControl.Cond_Branch || name is "pop" or "ceq" or "cgt.un" or "throw";
        for (var count = Pops(code); count > 0; count--)
        {
            var value = state.Pop();
            if (!tests) Escape(state, value);
        }

        for (var count = Pushes(code); count > 0; count--) state.Stack.Add(0);
        return true;
    }

    private static int Pops(OpCode code) => code.StackBehaviourPop == StackBehaviour.Pop0 ? 0 : Count(code.StackBehaviourPop);

    private static int Pushes(OpCode code) => code.StackBehaviourPush == StackBehaviour.Push0 ? 0 : Count(code.StackBehaviourPush);

    // A name such as Popref_popi_popi has a part for each value.
    private static int Count(StackBehaviour behaviour) => behaviour.ToString().Count(letter => letter == '_') + 1;

    private static bool IsUsers(FieldInfo field) => field.DeclaringType is not { } type
        || !ObjectGraph.IsForeign(type.Assembly) && !type.Name.StartsWith("<PrivateImplementationDetails>", StringComparison.Ordinal);

    // Returns the variable that an instruction loads or stores: 'a' for an argument or 'l' for a local variable, and its index.
    private (char Kind, int Index)? Variable(string name, OpCode code, int operand)
    {
        if (name.Length < 5 || name[..5] is not ("ldarg" or "starg" or "ldloc" or "stloc")) return null;
        var kind = name[2];
        return code.OperandType switch
        {
            OperandType.InlineNone => (kind, name[^1] - '0'),
            OperandType.ShortInlineVar => (kind, _code[operand]),
            _ => (kind, BitConverter.ToUInt16(_code, operand)),
        };
    }

    private MethodBase Method(int operand) => _method.Module.ResolveMethod(Int(operand))!;

    private bool Call(TensorState state, MethodBase method, bool constructs)
    {
        var types = method.GetParameters().Select(parameter => parameter.ParameterType);
        if (!method.IsStatic && !constructs) types = types.Prepend(method.DeclaringType!);
        var values = new UInt128[types.Count()];
        for (var i = values.Length - 1; i >= 0; i--) values[i] = state.Pop();
        if (UsesOf(method, constructs) is not { } uses) return false;
        _shared |= uses.Shared;
        var returned = UInt128.Zero;
        for (var i = 0; i < values.Length; i++)
        {
            var (value, bit) = (values[i], 1u << i);
            if (value == 0) continue;
            Use(state, value);
            if ((uses.Escaped & bit) != 0) Escape(state, value);
            if ((uses.Misused & bit) != 0) _misused |= value;
            if ((uses.Returned & bit) != 0) returned |= value;
            if ((uses.Consumed & bit) == 0) continue;
            for (var other = 0; other < values.Length; other++)
                if (other != i) _misused |= value & values[other];
            _consumed |= value;
        }

        for (var i = 0; i < values.Length; i++)
            if ((uses.Consumed >> i & 1) != 0) state.Used |= values[i];
        if (constructs) state.Stack.Add(0);
        else if (method is MethodInfo { } called && called.ReturnType != typeof(void))
            state.Stack.Add(IsTensor(called.ReturnType) ? returned | Result(state, uses.Result) : 0);
        return true;
    }

    // Returns the tensor that the current instruction creates.
    private UInt128 Result(TensorState state, TensorOrigins origins)
    {
        if (origins == TensorOrigins.None) return 0;
        if (!_results.TryGetValue(_at, out var result))
        {
            if (_results.Count > LastResult - FirstResult) throw new NotSupportedException("The method has too many results.");
            _results[_at] = result = UInt128.One << (FirstResult + _results.Count);
            if (origins.HasFlag(TensorOrigins.Call)) _calls |= result;
            if (origins.HasFlag(TensorOrigins.Operator)) _operators |= result;
        }

        // In a loop, variables may still refer to the consumed tensor that the instruction created before.
        if ((state.Used & result) != 0)
            state.Rename(result, ((result & _calls) != 0 ? OldCall : 0) | ((result & _operators) != 0 ? OldOperator : 0));
        state.Used &= ~result;
        return result;
    }

    private void Use(TensorState state, UInt128 value) => _misused |= value & (state.Used | OldCall | OldOperator);

    private void Escape(TensorState state, UInt128 value)
    {
        Use(state, value);
        _escaped |= value;
        _misused |= value & ~(UInt128)uint.MaxValue;
    }

    // Returns null for a method that may run code of the user.
    private MethodUses? UsesOf(MethodBase method, bool constructs)
    {
        if (method.GetParameters().Length >= FirstResult - 1) return null;
        var all = uint.MaxValue;
        if (TensorMethods.IsCall(method))
        {
            // A `call` that a built-in class adds may use operators itself.
            var isAdded = !TensorMethods.IsCallable(method.DeclaringType!);
            var frees = !isAdded && method.GetParameters() is [{ } input] && IsTensor(input.ParameterType);
            return new(true, frees ? 2u : 0, frees ? 0 : all, 0, 0, TensorOrigins.Call,
                isAdded ? TensorOrigins.Operator : TensorOrigins.None);
        }

        var opaque = new MethodUses(true, 0, all, 0, 0, TensorOrigins.None, TensorOrigins.None);
        if (TensorMethods.IsRead(method)) return opaque with { Escaped = 0 };
        if (TensorMethods.IsOfFramework(method) || TensorMethods.IsSetting(method) || TensorMethods.IsConversion(method)) return opaque;
        if (constructs) return TensorMethods.IsPlain(method) ? opaque with { Shared = TensorOrigins.Operator } : null;
        if (Of(method, _known) is { IsKnown: true } known) return known;
        return TensorMethods.IsPlain(method) ? opaque with { Result = TensorOrigins.Operator, Shared = TensorOrigins.Operator } : null;
    }
}
