using Bridge.Trace.Tool.Commands;

return CommandLine.Run(args, Console.Out, Console.Error);
