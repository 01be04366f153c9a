"use strict";
// Runs hook programs on the modules of modules.js. The suite starts this file and asks in lines of JSON (lines.schema.json):
//
//     python -m hook_contract run --runtime 'node runtime.js'

const readline = require("node:readline");
const { Module, Sequential, Tuple, globalHooks, warnings } = require("./modules.js");

/** The words of programs that are not supported, by reason. */
const LACKS = {
  "the library has no tensors and no autograd":
    "parameters identity value:vector action:add_ node:detach node:attention node:encoder read:grad read:grad_fn read:requires_grad " +
    "read:device read:grad_mode hook:backward_pre hook:backward hook:legacy hook:tensor hook:accumulated step:tensor step:compute " +
    "step:sum step:backward step:grad step:zero step:inplace step:retain_grad step:no_grad step:functional_call step:checkpoint",
  "JavaScript has no keyword arguments": "kwargs option:with_kwargs action:kwargs node:keyword",
  "JavaScript's objects belong to one thread": "threads step:thread",
  "the library cannot copy modules": "step:deepcopy step:copy step:slice step:drop step:handle_copy",
  "modules have no such methods": "step:train step:eval step:methods",
  "the library has no list of modules": "node:modulelist",
  "the global registries are constants": "step:rebind",
  "a registry is not a dictionary: only its methods write to it": "option:by",
  "the method call can be replaced like any other": "step:assign_call",
};

/** Parts of messages that identify an error or a warning of the contract. */
const KEYS = [
  "mutated during iteration",
  "global module forward hook with ``always_call=True``",
  "module forward hook with ``always_call=True``",
];

function keyOf(message) {
  return KEYS.find((key) => message.includes(key)) ?? "";
}

// ---- Errors and values of programs

class ProgramError extends Error {
  name = "Error";
}

/** Not an Error: hooks with alwaysCall do not run for it. */
class Interrupt {
  name = "Interrupt";
  constructor(message) {
    this.message = message;
  }
}

const RAISED = { Error: ProgramError, Interrupt };

/** A step failed, so the rest of its program or block is skipped. */
class Ended {}

/** A plain number. The other numbers of a program stand for tensors. */
class Plain {
  constructor(value) {
    this.value = value;
  }
}

/** Returns a number or the number of a Plain. Throws TypeError for other values, which JavaScript would convert. */
function number(value) {
  if (value instanceof Plain) return value.value;
  if (typeof value === "number") return value;
  throw new TypeError(`arithmetic with ${value === null ? "null" : typeof value}`);
}

function plus(a, b) {
  const sum = number(a) + number(b);
  return a instanceof Plain && b instanceof Plain ? new Plain(sum) : sum;
}

function write(value) {
  if (value === null || value === undefined) return null;
  if (value instanceof Plain) return { plain: value.value };
  if (typeof value === "string") return { text: value };
  if (value instanceof Tuple) return { tuple: Array.from(value, write) };
  if (Array.isArray(value)) return { list: value.map(write) };
  return typeof value === "object" ? { dict: mapValues(value, write) } : value;
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

// ---- The modules of a program's tree

class Node extends Module {
  constructor(session, node) {
    super();
    Object.assign(this, { session, node, weight: node.k ?? 2, bias: node.c ?? 1 });
  }

  forward(...args) {
    const { kind } = this.node;
    if (kind === "inputs" && args[2] === null) args.length = 2; // as if the caller had left it out
    const expected = FORWARDS[kind].length; // 0 for any number
    if (expected > 0 && args.length !== expected && !(kind === "inputs" && args.length === 3)) {
      throw new TypeError(`forward takes ${expected} arguments, not ${args.length}`);
    }
    this.session.record({ event: "enter", module: this.session.paths.get(this), args: args.map(write) });
    return FORWARDS[kind].apply(this, args);
  }

  compute(x) {
    return number(x) * this.weight + this.bias;
  }

  callChild(child, ...args) {
    return this.node.by === "forward" ? child.forward(...args) : child.call(...args);
  }

  get parts() {
    return [...this.children.values()];
  }
}

/** What the modules of each kind compute. */
const FORWARDS = {
  leaf(x) {
    return this.compute(x);
  },
  identity(x) {
    return x;
  },
  inputs(a, b, c = new Plain(0)) {
    return number(a) + number(b) * 2 + number(c) * 4;
  },
  give(x) {
    const [r, s, form] = [this.compute(x), number(x) * this.weight, this.node.form];
    const forms = { tuple: Tuple.of(r, s), list: [r, s], dict: { a: r, b: s }, nested: Tuple.of(Tuple.of(r), s), none: null };
    return form in forms ? forms[form] : form === "unused" ? Tuple.of(r, s) : new Plain(7);
  },
  raise() {
    throw new RAISED[this.node.error ?? "Error"](this.node.message ?? "boom");
  },
  sequence(...args) {
    return this.parts.reduce((values, child) => [this.callChild(child, ...values)], args)[0];
  },
  parallel(...args) {
    return this.parts.map((child) => this.callChild(child, ...args)).reduce(plus);
  },
  swallow(x) {
    try {
      return this.callChild(this.parts[0], x);
    } catch (error) {
      if (error instanceof ProgramError) return x;
      throw error;
    }
  },
  opaque(x) {
    return this.parts[0].compute(x);
  },
  recurse(x) {
    const outermost = this.left === undefined;
    if (outermost) this.left = this.node.depth ?? 1;
    try {
      return this.left-- > 0 ? this.call(x) : this.compute(x);
    } finally {
      if (outermost) this.left = undefined;
    }
  },
  register(x) {
    if (!this.registered) this.session.register(this.node.register);
    this.registered = true;
    return this.compute(x);
  },
};

// ---- The interpreter

/** The number of arguments of a hook of each kind. */
const TAKES = { pre: 2, forward: 3 };

/** One run of a program. The methods from `register` on are steps. */
class Session {
  events = [];
  handles = {};
  hooks = {};
  names = {};
  paths = new Map();

  constructor(program) {
    this.root = this.build(program.tree, "");
  }

  /** Builds the modules of a tree. A node with `same` is the module at that path. */
  build(node, path) {
    if ("same" in node) return [...this.paths].find(([, known]) => known === node.same)[0];
    const module = node.kind === "sequential" ? new Sequential() : new Node(this, node);
    this.paths.set(module, path);
    for (const child of node.children ?? []) {
      module.children.set(child.name, this.build(child, path ? `${path}.${child.name}` : child.name));
    }
    return module;
  }

  record(event) {
    this.events.push(event);
  }

  make(value) {
    if (typeof value !== "object" || value === null) return value;
    const [[form, content]] = Object.entries(value);
    if (form === "plain") return new Plain(content);
    if (form === "tuple") return Tuple.from(content, (item) => this.make(item));
    if (form === "list") return content.map((item) => this.make(item));
    if (form === "dict") return mapValues(content, (item) => this.make(item));
    return form === "name" ? this.find(content) : content;
  }

  find(name) {
    const [first, ...items] = name.split(".");
    return items.reduce((value, item) => value[item], this.names[first]);
  }

  /** Runs steps. Throws Ended after a step whose error was not expected; in a block, throws the error itself. */
  run(steps, block = false) {
    for (const step of steps) {
      if (!(step.do in Session.prototype)) throw new Error(`unknown step ${step.do}`);
      let raised = "";
      try {
        this[step.do](step);
      } catch (error) {
        if (error instanceof Ended || (block && error.name !== step.raises)) throw error;
        raised = error.name;
        const own = error instanceof ProgramError || error instanceof Interrupt;
        this.record({ event: "raise", error: raised, key: own ? error.message : keyOf(error.message) });
      }
      if (!raised && step.raises) this.record({ event: "raise", error: "", key: `${step.raises} was expected` });
      if (raised !== (step.raises ?? "")) throw new Ended();
    }
  }

  /** Runs steps up to the first that fails. */
  try({ steps }) {
    try {
      this.run(steps);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
  }

  register(step) {
    const hook = (this.hooks[step.hook] ??= this.makeHook(step));
    const options = {};
    if ("prepend" in step) options.prepend = step.prepend;
    if ("always_call" in step) options.alwaysCall = step.always_call;
    const registry = (step.global ? globalHooks : this.root.at(step.on ?? "").hooks)[step.kind];
    this.handles[step.handle ?? step.hook] = registry.add(hook, options);
  }

  remove({ handle }) {
    this.handles[handle].remove();
  }

  call(step, method = "call") {
    for (let time = 0; time < (step.times ?? 1); time++) {
      const result = this.root.at(step.module ?? "")[method](...(step.args ?? []).map((item) => this.make(item)));
      this.record({ event: "return", value: write(result) });
      if (step.save) this.names[step.save] = result;
    }
  }

  forward(step) {
    this.call(step, "forward");
  }

  read({ name, what }) {
    this.record({ event: "read", name, what, value: write(this.find(name)) });
  }

  with({ handle, steps }) {
    try {
      this.run(steps, true);
    } finally {
      this.handles[handle].remove();
    }
  }

  ids({ handles }) {
    const ids = handles.map((name) => this.handles[name].id);
    const sorted = ids.toSorted((a, b) => a - b);
    this.record({ event: "ids", handles, ranks: ids.map((id) => sorted.indexOf(id)) });
  }

  assign_forward({ module, k = 2, c = 1 }, called = this.root) {
    const target = module === undefined ? called : this.root.at(module);
    target.forward = (x) => {
      this.record({ event: "enter", module: this.paths.get(target), args: [write(x)] });
      return number(x) * k + c;
    };
  }

  /** Returns a hook that records its event and runs the actions of its registration. */
  makeHook({ hook: name, kind, actions = [] }) {
    const calls = actions.map(() => 0);
    return (...values) => {
      if (values.length !== TAKES[kind]) throw new TypeError(`${name} was called as a hook of another kind`);
      const [module, args, output] = values;
      const event = { event: kind, hook: name, module: this.paths.get(module), args: Array.from(args, write) };
      this.record(kind === "pre" ? event : { ...event, output: write(output) });
      let result;
      actions.forEach((action, index) => {
        if ("return" in action) result = this.make(action.return);
        else if ("add" in action) result = kind === "pre" ? addToArgs(args, action.add) : addTo(output, action.add);
        else if ("raise" in action) throw new RAISED[action.raise](action.message ?? name);
        else if ("register" in action) this.register(action.register);
        else if ("remove" in action) this.remove({ handle: action.remove });
        else if ("read" in action) this.read(action.read);
        else if ("assign_forward" in action) this.assign_forward(action.assign_forward, module);
        else if (++calls[index] <= (action.call.limit ?? 1)) {
          this.root.at(action.call.module ?? "").call(...(action.call.args ?? []).map((item) => this.make(item)));
        }
      });
      return result;
    };
  }
}

/** Returns the arguments with n added to the first: a single value if there is only one. */
function addToArgs([first, ...rest], n) {
  const sum = plus(first, new Plain(n));
  return rest.length ? Tuple.of(sum, ...rest) : sum;
}

/** Returns the value plus n; of a container, its first item. */
function addTo(value, n) {
  if (Array.isArray(value)) return value.constructor.from(value, (item, index) => (index ? item : addTo(item, n)));
  if (value === null || typeof value !== "object" || value instanceof Plain) return plus(value, new Plain(n));
  const [first] = Object.keys(value);
  return { ...value, [first]: addTo(value[first], n) };
}

// ---- Requests and answers

function answer(request) {
  if (request.do === "start") {
    const lacks = Object.entries(LACKS).flatMap(([reason, words]) => words.split(" ").map((word) => [word, reason]));
    const version = `modules.js on Node ${process.versions.node}`;
    return { format: 1, name: "javascript", version, lacks: Object.fromEntries(lacks) };
  }
  for (const hooks of Object.values(globalHooks)) hooks.clear();
  warnings.removeAllListeners();
  const session = new Session(request.program);
  warnings.on("warning", (message) => session.record({ event: "warning", category: "UserWarning", key: keyOf(message) }));
  session.try(request.program);
  return { traces: { "": session.events } };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let answered;
  try {
    answered = answer(JSON.parse(line));
  } catch (error) {
    answered = { error: error.stack.split("\n", 2).join("") };
  }
  process.stdout.write(JSON.stringify(answered) + "\n");
});
