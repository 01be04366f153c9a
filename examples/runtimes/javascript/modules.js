"use strict";
// A small library of modules with hooks: what you have already. runtime.js connects it to the suite.

const { EventEmitter } = require("node:events");

/** Emits "warning" with a text. */
const warnings = new EventEmitter();

class RuntimeError extends Error {
  name = "RuntimeError";
}

/** Several values that stand for the arguments of a call. Any other array is a single value. */
class Tuple extends Array {}

/** Represents one registered hook. Ids increase over all modules. */
class Handle {
  static #last = 0;
  id = ++Handle.#last;
  #hooks;

  constructor(hooks) {
    this.#hooks = hooks;
  }

  remove() {
    this.#hooks.delete(this.id);
  }
}

/** The hooks of one kind, in the order in which they run. */
class Hooks {
  changes = 0;
  #entries = new Map();
  #options;

  /** @param {...string} options the names of the options that a hook may be added with */
  constructor(...options) {
    this.#options = options;
  }

  get size() {
    return this.#entries.size;
  }

  add(hook, options = {}) {
    const unknown = Object.keys(options).find((name) => !this.#options.includes(name));
    if (unknown) throw new TypeError(`unknown option ${unknown}`);
    const handle = new Handle(this);
    const added = [[handle.id, { hook, alwaysCall: options.alwaysCall ?? false }]];
    this.#entries = new Map(options.prepend ? [...added, ...this.#entries] : [...this.#entries, ...added]);
    this.changes++;
    return handle;
  }

  delete(id) {
    if (this.#entries.delete(id)) this.changes++;
  }

  clear() {
    this.#entries.clear();
  }

  /** Iterates over a copy, so that a hook may add and remove hooks. */
  [Symbol.iterator]() {
    return [...this.#entries.values()].values();
  }
}

/** The hooks of all modules. They run before a module's own. */
const globalHooks = { pre: new Hooks(), forward: new Hooks("alwaysCall") };

class Module {
  hooks = { pre: new Hooks("prepend"), forward: new Hooks("prepend", "alwaysCall") };
  children = new Map();

  /** Registers `hook(module, args)`. It returns undefined, the only argument for `forward`, or a Tuple of all. */
  registerForwardPreHook(hook, options) {
    return this.hooks.pre.add(hook, options);
  }

  /** Registers `hook(module, args, output)`. It returns undefined or another output. */
  registerForwardHook(hook, options) {
    return this.hooks.forward.add(hook, options);
  }

  /** Returns the module at a dotted path, such as "encoder.0". */
  at(path) {
    return path === "" ? this : path.split(".").reduce((module, name) => module.children.get(name), this);
  }

  /** Runs the pre hooks, `forward` and the forward hooks. */
  call(...args) {
    const forward = this.forward; // one that a hook assigns takes effect at the next call
    const all = [globalHooks.pre, globalHooks.forward, this.hooks.pre, this.hooks.forward];
    if (all.every((hooks) => hooks.size === 0)) return Reflect.apply(forward, this, args);
    const started = new Set();
    let output = null;
    try {
      for (const { hook } of [...globalHooks.pre, ...this.hooks.pre]) {
        const changed = hook(this, args) ?? args;
        args = changed === args || changed instanceof Tuple ? changed : [changed];
      }
      output = Reflect.apply(forward, this, args);
      for (const entry of [...globalHooks.forward, ...this.hooks.forward]) {
        started.add(entry);
        output = entry.hook(this, args, output) ?? output;
      }
      return output;
    } catch (error) {
      if (error instanceof Error) this.#recover(args, output, started);
      throw error;
    }
  }

  /** Runs the forward hooks with `alwaysCall` that have not started. Their errors become warnings. */
  #recover(args, output, started) {
    for (const [owner, hooks] of [["global module", globalHooks.forward], ["module", this.hooks.forward]]) {
      const changes = hooks.changes;
      for (const entry of hooks) {
        if (hooks.changes !== changes) throw new RuntimeError("hooks mutated during iteration");
        if (!entry.alwaysCall || started.has(entry)) continue;
        try {
          output = entry.hook(this, args, output) ?? output;
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          warnings.emit("warning", `${owner} forward hook with \`\`always_call=True\`\` raised: ${error.message}`);
        }
      }
    }
  }
}

class Sequential extends Module {
  forward(...args) {
    if (args.length !== 1) throw new TypeError("forward takes one argument");
    return [...this.children.values()].reduce((value, child) => child.call(value), args[0]);
  }
}

module.exports = { Module, RuntimeError, Sequential, Tuple, globalHooks, warnings };
