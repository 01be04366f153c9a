using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>A random number generator with its own state, or the process's default generator, which Python shares.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Generator.html">Generator</see>.</remarks>
    public class Generator : IDisposable
    {
        private static readonly Generator TheDefault = new(CPU);

        /// <summary>Creates a generator with a seed.</summary>
        /// <param name="seed">The seed.</param>
        /// <param name="device">The device; by default the CPU.</param>
        /// <exception cref="Exception">PyTorch's error: this machine has no such device.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public Generator(ulong seed = 0, Device? device = null)
        {
            this.device = device ?? CPU;
            State = Seeded(unchecked((long)seed), this.device).DetachFromDisposeScope();
        }

        private Generator(Device device) => this.device = device;

        /// <summary>
        /// Gets PyTorch's default CPU generator. Its <see cref="manual_seed"/> seeds the generators of all devices, as
        /// <c>torch.manual_seed</c> does in Python.
        /// </summary>
        public static Generator Default => TheDefault;

        /// <summary>Not available: always throws.</summary>
        /// <exception cref="NotSupportedException">Always: the generator has no native object.</exception>
        public IntPtr Handle => throw new NotSupportedException("Generator.Handle: the generator has no native object of its own.");

        /// <summary>Gets the device of this generator.</summary>
        public Device device { get; }

        /// <summary>Gets the state that operators advance; null for the default generator.</summary>
        internal Tensor? State { get; private set; }

        /// <summary>Returns a copy of the state of this generator, a vector of bytes.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Generator.html">Generator</see>.
        /// </remarks>
        public Tensor get_state() => State is { } state ? state.clone() : RngState();

        /// <summary>Sets the state of this generator.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Generator.html">Generator</see>.
        /// </remarks>
        /// <param name="value">A state from <see cref="get_state"/>.</param>
        public void set_state(Tensor value)
        {
            if (State is { } state) state.copy_(value);
            else SetRngState(value);
        }

        /// <summary>Seeds this generator.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Generator.html">Generator</see>.
        /// </remarks>
        /// <param name="seed">The seed.</param>
        /// <returns>This generator.</returns>
        public Generator manual_seed(long seed)
        {
            if (State is null)
            {
                Seed(seed);
            }
            else
            {
                using var seeded = Seeded(seed, device);
                State.copy_(seeded);
            }

            return this;
        }

        /// <summary>Seeds this generator from the time.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Generator.html">Generator</see>.
        /// </remarks>
        /// <returns>The seed.</returns>
        public long seed()
        {
            var seed = DateTime.UtcNow.Ticks;
            manual_seed(seed);
            return seed;
        }

        /// <summary>Returns the seed of this generator.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Generator.html">Generator</see>.
        /// </remarks>
        public long initial_seed() => State is { } state ? SeedOf(state, device) : InitialSeed();

        /// <summary>Disposes the state of this generator.</summary>
        /// <param name="disposing">Whether <see cref="Dispose()"/> calls this.</param>
        protected virtual void Dispose(bool disposing)
        {
            if (disposing) State?.Dispose();
        }

        /// <summary>Disposes this generator; the default one keeps its state.</summary>
        public void Dispose()
        {
            Dispose(true);
            GC.SuppressFinalize(this);
        }
    }

    /// <summary>Seeds the generators of all devices, which Python shares.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.manual_seed.html">torch.manual_seed</see>.
    /// </remarks>
    /// <param name="seed">The seed.</param>
    /// <returns>The default generator.</returns>
    public static Generator manual_seed(long seed) => random.manual_seed(seed);

    /// <summary>Seeds the generators of all devices from the time.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.seed.html">torch.seed</see>.</remarks>
    /// <returns>The seed.</returns>
    public static long seed() => random.seed();

    /// <summary>Returns the seed of the default generator.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.initial_seed.html">torch.initial_seed</see>.
    /// </remarks>
    public static long initial_seed() => random.initial_seed();

    /// <summary>Returns a copy of the state of the default generator, a vector of bytes.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_rng_state.html">torch.get_rng_state</see>.
    /// </remarks>
    public static Tensor get_rng_state() => random.get_rng_state();

    /// <summary>Sets the state of the default generator.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_rng_state.html">torch.set_rng_state</see>.
    /// </remarks>
    /// <param name="new_state">A state from <see cref="get_rng_state"/>.</param>
    public static void set_rng_state(Tensor new_state) => random.set_rng_state(new_state);

    /// <summary>The functions of <c>torch.random</c>, which <c>torch</c> has, too.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/random.html">torch.random</see>.</remarks>
    public static partial class random
    {
        /// <summary>Seeds the generators of all devices, as <see cref="torch.manual_seed"/> does.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/random.html#torch.random.manual_seed">torch.random.manual_seed</see>.
        /// </remarks>
        /// <param name="seed">The seed.</param>
        /// <returns>The default generator.</returns>
        public static Generator manual_seed(long seed) => Generator.Default.manual_seed(seed);

        /// <summary>Seeds the generators of all devices from the time, as <see cref="torch.seed"/> does.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/random.html#torch.random.seed">torch.random.seed</see>.
        /// </remarks>
        /// <returns>The seed.</returns>
        public static long seed() => Generator.Default.seed();

        /// <summary>Returns the seed of the default generator, as <see cref="torch.initial_seed"/> does.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/random.html#torch.random.initial_seed">torch.random.initial_seed</see>.
        /// </remarks>
        public static long initial_seed() => Generator.Default.initial_seed();

        /// <summary>Returns a copy of the state of the default generator, as <see cref="torch.get_rng_state"/> does.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/random.html#torch.random.get_rng_state">torch.random.get_rng_state</see>.
        /// </remarks>
        public static Tensor get_rng_state() => Generator.Default.get_state();

        /// <summary>Sets the state of the default generator, as <see cref="torch.set_rng_state"/> does.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/random.html#torch.random.set_rng_state">torch.random.set_rng_state</see>.
        /// </remarks>
        /// <param name="new_state">A state from <see cref="get_rng_state"/>.</param>
        public static void set_rng_state(Tensor new_state) => Generator.Default.set_state(new_state);
    }

    /// <summary>Draws an integer of 32 bits in [low, high), as an element of <c>torch.randint</c>.</summary>
    /// <param name="low">The lower bound.</param>
    /// <param name="high">The upper bound, which is not included.</param>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static int randint_int(int low, int high, Generator? generator = null) => (int)randint_long(low, high, generator);

    /// <summary>Draws an integer of 32 bits in [0, high), as an element of <c>torch.randint</c>.</summary>
    /// <param name="high">The upper bound, which is not included.</param>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static int randint_int(int high, Generator? generator = null) => randint_int(0, high, generator);

    /// <summary>Draws an integer of 64 bits in [low, high), as an element of <c>torch.randint</c>.</summary>
    /// <param name="low">The lower bound.</param>
    /// <param name="high">The upper bound, which is not included.</param>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static long randint_long(long low, long high, Generator? generator = null)
    {
        using var drawn = randint(low, high, (long[])[], ScalarType.Int64, CPU, false, generator);
        return drawn.ToInt64();
    }

    /// <summary>Draws an integer of 64 bits in [0, high), as an element of <c>torch.randint</c>.</summary>
    /// <param name="high">The upper bound, which is not included.</param>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static long randint_long(long high, Generator? generator = null) => randint_long(0, high, generator);

    /// <summary>Draws true or false, with equal probabilities.</summary>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static bool randint_bool(Generator? generator = null) => randint_long(0, 2, generator) == 1;

    /// <summary>Draws a number in [0, 1), as an element of <c>torch.rand</c>.</summary>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static double rand_float(Generator? generator = null)
    {
        using var drawn = rand((long[])[], ScalarType.Float64, CPU, false, generator);
        return drawn.ToDouble();
    }

    /// <summary>Draws a number from the standard normal distribution, as an element of <c>torch.randn</c>.</summary>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    public static double randn_float(Generator? generator = null)
    {
        using var drawn = randn((long[])[], ScalarType.Float64, CPU, false, generator);
        return drawn.ToDouble();
    }
}
