namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        /// <summary>The functions that create learning rate schedulers.</summary>
        public static partial class lr_scheduler
        {
            /// <inheritdoc cref="impl.StepLR"/>
            public static LRScheduler StepLR(Optimizer optimizer, int step_size, double gamma = 0.1, int last_epoch = -1,
                bool verbose = false) =>
                new impl.StepLR(optimizer, step_size, gamma, last_epoch, verbose);

            /// <inheritdoc cref="impl.LambdaLR"/>
            public static LRScheduler LambdaLR(Optimizer optimizer, Func<int, double> lr_lambda, int last_epoch = -1,
                bool verbose = false) =>
                new impl.LambdaLR(optimizer, lr_lambda, last_epoch, verbose);

            /// <inheritdoc cref="impl.MultiStepLR"/>
            public static LRScheduler MultiStepLR(Optimizer optimizer, IList<int> milestones, double gamma = 0.1, int last_epoch = -1,
                bool verbose = false) =>
                new impl.MultiStepLR(optimizer, milestones, gamma, last_epoch, verbose);

            /// <inheritdoc cref="impl.PolynomialLR"/>
            public static LRScheduler PolynomialLR(Optimizer optimizer, int total_iters = 5, double power = 1, int last_epoch = -1,
                bool verbose = false) =>
                new impl.PolynomialLR(optimizer, total_iters, power, last_epoch, verbose);

            /// <inheritdoc cref="impl.MultiplicativeLR"/>
            public static LRScheduler MultiplicativeLR(Optimizer optimizer, Func<int, double> lr_lambda, int last_epoch = -1,
                bool verbose = false) =>
                new impl.MultiplicativeLR(optimizer, lr_lambda, last_epoch, verbose);

            /// <inheritdoc cref="impl.ExponentialLR"/>
            public static LRScheduler ExponentialLR(Optimizer optimizer, double gamma = 0.1, int last_epoch = -1, bool verbose = false) =>
                new impl.ExponentialLR(optimizer, gamma, last_epoch, verbose);

            /// <inheritdoc cref="impl.ConstantLR"/>
            public static LRScheduler ConstantLR(Optimizer optimizer, double factor = 1.0 / 3, int total_iters = 5, int last_epoch = -1,
                bool verbose = false) =>
                new impl.ConstantLR(optimizer, factor, total_iters, last_epoch, verbose);

            /// <inheritdoc cref="impl.SequentialLR"/>
            public static LRScheduler SequentialLR(Optimizer optimizer, IEnumerable<LRScheduler> schedulers, IEnumerable<int> milestones,
                int last_epoch = -1) =>
                new impl.SequentialLR(optimizer, schedulers, milestones, last_epoch);

            /// <inheritdoc cref="impl.LinearLR"/>
            public static LRScheduler LinearLR(Optimizer optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
                int total_iters = 5, int last_epoch = -1, bool verbose = false) =>
                new impl.LinearLR(optimizer, start_factor, end_factor, total_iters, last_epoch, verbose);

            /// <inheritdoc cref="impl.ChainedLR"/>
            public static LRScheduler ChainedLR(IEnumerable<LRScheduler> schedulers) =>
                new impl.ChainedLR(schedulers);

            /// <inheritdoc cref="impl.CosineAnnealingLR"/>
            public static LRScheduler CosineAnnealingLR(Optimizer optimizer, double T_max, double eta_min = 0, int last_epoch = -1,
                bool verbose = false) =>
                new impl.CosineAnnealingLR(optimizer, T_max, eta_min, last_epoch, verbose);

            /// <inheritdoc cref="impl.OneCycleLR"/>
            public static LRScheduler OneCycleLR(Optimizer optimizer, double max_lr, int total_steps = -1, int epochs = -1,
                int steps_per_epoch = -1, double pct_start = 0.3,
                impl.OneCycleLR.AnnealStrategy anneal_strategy = impl.OneCycleLR.AnnealStrategy.Cos, bool cycle_momentum = true,
                double base_momentum = 0.85, double max_momentum = 0.95, double div_factor = 25, double final_div_factor = 10000,
                bool three_phase = false, int last_epoch = -1, bool verbose = false) =>
                new impl.OneCycleLR(optimizer, max_lr, total_steps, epochs, steps_per_epoch, pct_start, anneal_strategy, cycle_momentum,
                    base_momentum, max_momentum, div_factor, final_div_factor, three_phase, last_epoch, verbose);

            /// <inheritdoc cref="impl.OneCycleLR"/>
            public static LRScheduler OneCycleLR(Optimizer optimizer, IEnumerable<double> max_lr, int total_steps = -1, int epochs = -1,
                int steps_per_epoch = -1, double pct_start = 0.3,
                impl.OneCycleLR.AnnealStrategy anneal_strategy = impl.OneCycleLR.AnnealStrategy.Cos, bool cycle_momentum = true,
                IEnumerable<double>? base_momentum = null, IEnumerable<double>? max_momentum = null, double div_factor = 25,
                double final_div_factor = 10000, bool three_phase = false, int last_epoch = -1, bool verbose = false) =>
                new impl.OneCycleLR(optimizer, max_lr, total_steps, epochs, steps_per_epoch, pct_start, anneal_strategy, cycle_momentum,
                    base_momentum, max_momentum, div_factor, final_div_factor, three_phase, last_epoch, verbose);

            /// <inheritdoc cref="impl.CyclicLR"/>
            public static LRScheduler CyclicLR(Optimizer optimizer, double base_lr, double max_lr, int step_size_up = 2000,
                int step_size_down = -1, impl.CyclicLR.Mode mode = impl.CyclicLR.Mode.Triangular, double gamma = 1,
                Func<double, double>? scale_fn = null, impl.CyclicLR.ScaleMode scale_mode = impl.CyclicLR.ScaleMode.Cycle,
                bool cycle_momentum = true, double base_momentum = 0.8, double max_momentum = 0.9, int last_epoch = -1,
                bool verbose = false) =>
                new impl.CyclicLR(optimizer, base_lr, max_lr, step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode,
                    cycle_momentum, base_momentum, max_momentum, last_epoch, verbose);

            /// <inheritdoc cref="impl.CyclicLR"/>
            public static LRScheduler CyclicLR(Optimizer optimizer, IEnumerable<double> base_lr, IEnumerable<double> max_lr,
                int step_size_up = 2000, int step_size_down = -1, impl.CyclicLR.Mode mode = impl.CyclicLR.Mode.Triangular, double gamma = 1,
                Func<double, double>? scale_fn = null, impl.CyclicLR.ScaleMode scale_mode = impl.CyclicLR.ScaleMode.Cycle,
                bool cycle_momentum = true, IEnumerable<double>? base_momentum = null, IEnumerable<double>? max_momentum = null,
                int last_epoch = -1, bool verbose = false) =>
                new impl.CyclicLR(optimizer, base_lr, max_lr, step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode,
                    cycle_momentum, base_momentum, max_momentum, last_epoch, verbose);

            /// <inheritdoc cref="impl.ReduceLROnPlateau"/>
            public static LRScheduler ReduceLROnPlateau(Optimizer optimizer, string mode = "min", double factor = 0.1, int patience = 10,
                double threshold = 1e-4, string threshold_mode = "rel", int cooldown = 0, IList<double>? min_lr = null, double eps = 1e-8,
                bool verbose = false) =>
                new impl.ReduceLROnPlateau(optimizer, mode, factor, patience, threshold, threshold_mode, cooldown, min_lr, eps, verbose);
        }
    }
}
