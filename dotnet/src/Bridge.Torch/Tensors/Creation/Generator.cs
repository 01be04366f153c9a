using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>A random number generator with its own state, or the process's default generator, which Python shares.</summary>
    public class Generator : IDisposable
    {
        private static readonly Generator TheDefault = new(CPU);

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

        /// <exception cref="NotSupportedException">Always: the generator has no native object.</exception>
        public IntPtr Handle => throw new NotSupportedException("Generator.Handle: the generator has no native object of its own.");

        public Device device { get; }

        /// <summary>Gets the state that operators advance; null for the default generator.</summary>
        internal Tensor? State { get; private set; }

        /// <summary>Returns the state, a uint8 vector.</summary>
        public Tensor get_state() => State is { } state ? state.clone() : RngState();

        public void set_state(Tensor value)
        {
            if (State is { } state) state.copy_(value);
            else SetRngState(value);
        }

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

        /// <summary>Seeds the generator from the time.</summary>
        /// <returns>The seed.</returns>
        public long seed()
        {
            var seed = DateTime.UtcNow.Ticks;
            manual_seed(seed);
            return seed;
        }

        public long initial_seed() => State is { } state ? SeedOf(state, device) : InitialSeed();

        protected virtual void Dispose(bool disposing)
        {
            if (disposing) State?.Dispose();
        }

        public void Dispose()
        {
            Dispose(true);
            GC.SuppressFinalize(this);
        }
    }

    /// <summary>Seeds the generators of all devices, which Python shares.</summary>
    public static Generator manual_seed(long seed) => random.manual_seed(seed);

    public static long seed() => random.seed();

    public static long initial_seed() => random.initial_seed();

    public static Tensor get_rng_state() => random.get_rng_state();

    public static void set_rng_state(Tensor new_state) => random.set_rng_state(new_state);

    public static partial class random
    {
        public static Generator manual_seed(long seed) => Generator.Default.manual_seed(seed);

        public static long seed() => Generator.Default.seed();

        public static long initial_seed() => Generator.Default.initial_seed();

        public static Tensor get_rng_state() => Generator.Default.get_state();

        public static void set_rng_state(Tensor new_state) => Generator.Default.set_state(new_state);
    }

    /// <summary>Draws one number, as <c>torch.randint</c> draws an element of an int64 tensor.</summary>
    public static int randint_int(int low, int high, Generator? generator = null) => (int)randint_long(low, high, generator);

    public static int randint_int(int high, Generator? generator = null) => randint_int(0, high, generator);

    public static long randint_long(long low, long high, Generator? generator = null)
    {
        using var drawn = randint(low, high, (long[])[], ScalarType.Int64, CPU, false, generator);
        return drawn.ToInt64();
    }

    public static long randint_long(long high, Generator? generator = null) => randint_long(0, high, generator);

    public static bool randint_bool(Generator? generator = null) => randint_long(0, 2, generator) == 1;

    public static double rand_float(Generator? generator = null)
    {
        using var drawn = rand((long[])[], ScalarType.Float64, CPU, false, generator);
        return drawn.ToDouble();
    }

    public static double randn_float(Generator? generator = null)
    {
        using var drawn = randn((long[])[], ScalarType.Float64, CPU, false, generator);
        return drawn.ToDouble();
    }
}
