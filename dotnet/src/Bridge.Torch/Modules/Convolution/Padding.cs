using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The base class of padding modules. <c>padding</c> has two numbers per padded dimension, last dimension first.</summary>
    public abstract class PadBase : PlainBuiltIn
    {
        protected PadBase(string name, PaddingModes mode, double value, params long[] padding) : base(name) =>
            (_mode, this.value, this.padding) = (mode, value, padding);

        private readonly PaddingModes _mode;

        public long[] padding { get; set => field = Publish(value); }

        public double value { get; set => field = Publish(value); }

        private protected sealed override Tensor Compute(Tensor input) => nn.functional.pad(input, padding, _mode, value);
    }

    /// <summary>Padding with a constant, for [N, C, L] or [C, L].</summary>
    public sealed class ConstantPad1d : PadBase
    {
        internal ConstantPad1d(double value, params long[] padding) : base(nameof(ConstantPad1d), PaddingModes.Constant, value, padding) { }
    }

    /// <summary>Padding with a constant, for [N, C, H, W] or [C, H, W].</summary>
    public sealed class ConstantPad2d : PadBase
    {
        internal ConstantPad2d(double value, params long[] padding) : base(nameof(ConstantPad2d), PaddingModes.Constant, value, padding) { }
    }

    /// <summary>Padding with a constant, for [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class ConstantPad3d : PadBase
    {
        internal ConstantPad3d(double value, params long[] padding) : base(nameof(ConstantPad3d), PaddingModes.Constant, value, padding) { }
    }

    /// <summary>Padding with a reflection of the input, for [N, C, L] or [C, L].</summary>
    public sealed class ReflectionPad1d : PadBase
    {
        internal ReflectionPad1d(params long[] padding) : base(nameof(ReflectionPad1d), PaddingModes.Reflect, 0, padding) { }
    }

    /// <summary>Padding with a reflection of the input, for [N, C, H, W] or [C, H, W].</summary>
    public sealed class ReflectionPad2d : PadBase
    {
        internal ReflectionPad2d(params long[] padding) : base(nameof(ReflectionPad2d), PaddingModes.Reflect, 0, padding) { }
    }

    /// <summary>Padding with a reflection of the input, for [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class ReflectionPad3d : PadBase
    {
        internal ReflectionPad3d(params long[] padding) : base(nameof(ReflectionPad3d), PaddingModes.Reflect, 0, padding) { }
    }

    /// <summary>Padding with copies of the outermost elements, for [N, C, L] or [C, L].</summary>
    public sealed class ReplicationPad1d : PadBase
    {
        internal ReplicationPad1d(params long[] padding) : base(nameof(ReplicationPad1d), PaddingModes.Replicate, 0, padding) { }
    }

    /// <summary>Padding with copies of the outermost elements, for [N, C, H, W] or [C, H, W].</summary>
    public sealed class ReplicationPad2d : PadBase
    {
        internal ReplicationPad2d(params long[] padding) : base(nameof(ReplicationPad2d), PaddingModes.Replicate, 0, padding) { }
    }

    /// <summary>Padding with copies of the outermost elements, for [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class ReplicationPad3d : PadBase
    {
        internal ReplicationPad3d(params long[] padding) : base(nameof(ReplicationPad3d), PaddingModes.Replicate, 0, padding) { }
    }

    /// <summary>Padding with zeros, for [N, C, H, W] or [C, H, W].</summary>
    public sealed class ZeroPad2d : PadBase
    {
        internal ZeroPad2d(params long[] padding) : base(nameof(ZeroPad2d), PaddingModes.Constant, 0, padding) { }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static ConstantPad1d ConstantPad1d(long padding, double value) => new(value, Sizes.Of(2, padding));

            public static ConstantPad1d ConstantPad1d((long, long) padding, double value) => new(value, padding.Item1, padding.Item2);

            public static ConstantPad2d ConstantPad2d(long padding, double value) => new(value, Sizes.Of(4, padding));

            public static ConstantPad2d ConstantPad2d((long, long, long, long) padding, double value) =>
                new(value, padding.Item1, padding.Item2, padding.Item3, padding.Item4);

            public static ConstantPad3d ConstantPad3d(long padding, double value) => new(value, Sizes.Of(6, padding));

            public static ConstantPad3d ConstantPad3d((long, long, long, long, long, long) padding, double value) =>
                new(value, padding.Item1, padding.Item2, padding.Item3, padding.Item4, padding.Item5, padding.Item6);

            public static ReflectionPad1d ReflectionPad1d(long padding) => new(Sizes.Of(2, padding));

            public static ReflectionPad1d ReflectionPad1d((long, long) padding) => new(padding.Item1, padding.Item2);

            public static ReflectionPad2d ReflectionPad2d(long padding) => new(Sizes.Of(4, padding));

            public static ReflectionPad2d ReflectionPad2d((long, long, long, long) padding) =>
                new(padding.Item1, padding.Item2, padding.Item3, padding.Item4);

            public static ReflectionPad3d ReflectionPad3d(long padding) => new(Sizes.Of(6, padding));

            public static ReflectionPad3d ReflectionPad3d((long, long, long, long, long, long) padding) =>
                new(padding.Item1, padding.Item2, padding.Item3, padding.Item4, padding.Item5, padding.Item6);

            public static ReplicationPad1d ReplicationPad1d(long padding) => new(Sizes.Of(2, padding));

            public static ReplicationPad1d ReplicationPad1d((long, long) padding) => new(padding.Item1, padding.Item2);

            public static ReplicationPad2d ReplicationPad2d(long padding) => new(Sizes.Of(4, padding));

            public static ReplicationPad2d ReplicationPad2d((long, long, long, long) padding) =>
                new(padding.Item1, padding.Item2, padding.Item3, padding.Item4);

            public static ReplicationPad3d ReplicationPad3d(long padding) => new(Sizes.Of(6, padding));

            public static ReplicationPad3d ReplicationPad3d((long, long, long, long, long, long) padding) =>
                new(padding.Item1, padding.Item2, padding.Item3, padding.Item4, padding.Item5, padding.Item6);

            public static ZeroPad2d ZeroPad2d(long padding) => new(Sizes.Of(4, padding));

            public static ZeroPad2d ZeroPad2d((long, long, long, long) padding) =>
                new(padding.Item1, padding.Item2, padding.Item3, padding.Item4);
        }
    }
}
