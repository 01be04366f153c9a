namespace Bridge.Hooks;

/// <summary>
/// Marks an exception that stands for a Python <c>BaseException</c> which is no <c>Exception</c> (KeyboardInterrupt, SystemExit):
/// it passes through a call without running always-called hooks, and an always-called hook that throws it is not silenced.
/// </summary>
public interface INotAnError;
