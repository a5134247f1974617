import type { AndOr, Command as Node, Pipeline, Redirection, Statement, SyntaxNode, Word } from 'unbash';
import { forEachChild, parse } from 'unbash';
import { relativePath } from './paths.ts';
import { baseName, unwrap } from './shell-unwrap.ts';
import { type Argument, argumentOf, printedText, type Streams, streamsOf, type Variables } from './shell-words.ts';

/** One simple command at its place in a piece of shell. */
export interface Simple {
  argv: Argument[];
  via: string[];
  streams: Streams;
  /** Its input comes from a pipe; its output goes into one. */
  piped: boolean;
  pipes: boolean;
  cwd: string | null;
  background: boolean;
  ok: boolean | null;
  /** What it runs cannot be told: dynamic text given to a shell, or a parse error. */
  opaque: boolean;
}

/** How deep scripts may stand inside scripts, and how much text is parsed at all. */
const DEEPEST = 8;
const LONGEST = 200_000;
const SHELL = /^(?:ba|da|z|k|a)?sh$/;
const NO_STREAMS: Streams = { stdin: null, stdout: null, input: null, reads: [], writes: [] };

/** Where a command stands, for what runs inside it. */
interface Place {
  piped: boolean;
  pipes: boolean;
  /** Text that comes through the pipe, where it is fixed. */
  input: string | null;
  background: boolean;
  ok: boolean | null;
  via: string[];
  /** Streams of a group around it. */
  around: Streams;
  depth: number;
}

/** All simple commands of a piece of shell, in the order in which they run. */
export const simpleCommands = (source: string, context: { cwd: string | null; ok: boolean | null }): Simple[] => {
  const walker = new Walker(context.cwd);
  walker.script(source, {
    piped: false,
    pipes: false,
    input: null,
    background: false,
    ok: context.ok,
    via: [],
    around: NO_STREAMS,
    depth: 0,
  });
  return walker.found;
};

class Walker {
  readonly found: Simple[] = [];
  #cwd: string | null;
  readonly #vars: Variables = new Map();

  constructor(cwd: string | null) {
    this.#cwd = cwd;
  }

  script(source: string, place: Place): void {
    const parsed = source.length > LONGEST || place.depth > DEEPEST ? null : safeParse(source);
    if (parsed === null || (parsed.errors ?? []).length > 0) this.#opaque(source, place);
    if (parsed !== null) this.#statements(parsed.commands, place);
  }

  #opaque(source: string, place: Place): void {
    const text = source.trim().split(/\s/, 1)[0] ?? '';
    this.#add([{ text, fixed: false, glob: false }], NO_STREAMS, { ...place, ok: null }, true);
  }

  /** Only the last statement's result is the script's. */
  #statements(statements: readonly Statement[], place: Place): void {
    for (const [i, { command, background }] of statements.entries()) {
      const last = i === statements.length - 1;
      const inBackground = place.background || background === true;
      const ok = last && !inBackground ? place.ok : null;
      if (background === true) this.#apart(() => this.#run(command, { ...place, ok, background: true }));
      else this.#run(command, { ...place, ok, background: inBackground });
    }
  }

  /** Runs something whose `cd` does not outlive it. */
  #apart(run: () => void): void {
    const cwd = this.#cwd;
    run();
    this.#cwd = cwd;
  }

  #run(node: SyntaxNode, place: Place): void {
    if (node.type === 'Command') this.#command(node, place);
    else if (node.type === 'Pipeline') this.#pipeline(node, place);
    else if (node.type === 'AndOr') this.#chain(node, place);
    else if (node.type === 'Subshell') this.#apart(() => this.#statements(node.body.commands, place));
    else if (node.type === 'BraceGroup') this.#statements(node.body.commands, place);
    else if (node.type === 'Statement') this.#statements([node], place);
    else if (node.type === 'Redirected') {
      const outer = streamsOf(node.redirects, this.#vars);
      this.#run(node.command, { ...place, around: outer, input: outer.input ?? place.input });
    } else this.#compound(node, place);
  }

  /** `a && b`: where the whole succeeded, all of it did. After `||` nothing is certain but a failure of the last. */
  #chain(node: AndOr, place: Place): void {
    const lastOr = node.operators.lastIndexOf('||');
    for (const [i, part] of node.commands.entries()) {
      const last = i === node.commands.length - 1;
      const certain = i > lastOr + 1 || lastOr < 0;
      const ok = last && (certain || place.ok === false) ? place.ok : certain && place.ok === true ? true : null;
      this.#run(part, { ...place, ok });
    }
  }

  /** Every part runs in a shell of its own; the last one's result is the pipe's, unless it is turned round by `!`. */
  #pipeline(node: Pipeline, place: Place): void {
    const negated = node.prefixes.some((prefix) => prefix.type === 'Negation');
    let input = place.input;
    for (const [i, part] of node.commands.entries()) {
      const last = i === node.commands.length - 1;
      const piped = i > 0 || place.piped;
      const pipes = !last || place.pipes;
      const given = input;
      this.#apart(() =>
        this.#run(part, { ...place, piped, pipes, input: given, ok: last && !negated ? place.ok : null }),
      );
      input = part.type === 'Command' ? this.#printed(part) : null;
    }
    if (node.commands.length === 1 && node.commands[0]?.type === 'Command') this.#follow(node.commands[0]);
  }

  /** What `cat <<EOF`, `echo text` and `printf text` bring to a pipe. */
  #printed(node: Node): string | null {
    const argv = this.#argv(node);
    const name = argv[0]?.text;
    if (name === 'cat' && argv.length === 1) return streamsOf(node.redirects, this.#vars).input;
    const words = argv.slice(1).filter((a) => !/^-[neE]+$/.test(a.text));
    if ((name !== 'echo' && name !== 'printf') || !words.every((a) => a.fixed)) return null;
    return words.map((a) => a.text).join(' ');
  }

  /** Loops, conditions, functions: their parts run or not, so that nothing is known of how they went, nor of where `cd` led. */
  #compound(node: SyntaxNode, place: Place): void {
    const cwd = this.#cwd;
    forEachChild(node, (child) => this.#within(child, { ...place, ok: null }));
    if (this.#cwd !== cwd) this.#cwd = null;
  }

  /** Commands anywhere below a node that is no command itself: substitutions in words, bodies of loops. */
  #within(node: SyntaxNode, place: Place): void {
    if (RUNS.has(node.type)) this.#run(node, place);
    else if (node.type === 'CompoundList' || node.type === 'Script') this.#statements(node.commands, place);
    else if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') {
      // `$(cat <<EOF ...)` is a way to write a text, not a command worth the name.
      if (node.script === undefined || printedText(node.script, this.#vars)?.fixed === true) return;
      const { commands } = node.script;
      const inner = { ...place, ok: null, pipes: true, piped: false, input: null, around: NO_STREAMS };
      this.#apart(() => this.#statements(commands, inner));
    } else forEachChild(node, (child) => this.#within(child, place));
  }

  #argv(node: Node): Argument[] {
    const words: Word[] = [...(node.name === undefined ? [] : [node.name])];
    const argv = words.map((word) => argumentOf(word, this.#vars));
    for (const arg of node.args)
      argv.push(arg.type === 'Word' ? argumentOf(arg, this.#vars) : { text: arg.text, fixed: true, glob: false });
    return argv;
  }

  #command(node: Node, place: Place): void {
    // Substitutions in its words run before it.
    forEachChild(node, (child) => this.#within(child, { ...place, ok: null }));
    this.#assign(node);
    const argv = this.#argv(node);
    if (argv.length === 0) return;
    const streams = around(streamsOf(node.redirects as readonly Redirection[], this.#vars), place.around);
    this.#start(argv, streams, place);
    this.#follow(node);
  }

  #assign(node: Node): void {
    if (node.name !== undefined) return;
    for (const part of node.prefix) {
      if (part.type !== 'Assignment' || part.value.type !== 'Word') continue;
      const value = argumentOf(part.value, this.#vars);
      if (value.fixed && part.append !== true && !value.glob) this.#vars.set(part.name, value.text);
      else this.#vars.delete(part.name);
    }
  }

  /** Takes wrappers off; what a shell, `eval`, `xargs` or `find -exec` runs stands for itself. */
  #start(words: readonly Argument[], streams: Streams, place: Place): void {
    const { via, argv } = unwrap(words);
    const name = baseName(argv[0]?.text ?? '');
    const inner: Place = {
      ...place,
      via: [...place.via, ...via],
      depth: place.depth + 1,
      around: streams,
      input: streams.input ?? place.input,
    };
    if (argv[0]?.fixed !== true) this.#add(argv, streams, inner, true);
    else if (SHELL.test(name)) this.#shell(name, argv, streams, inner);
    else if (name === 'eval') this.#eval(argv, streams, inner);
    else if (name === 'xargs') this.#xargs(argv, streams, inner);
    else {
      this.#add(argv, streams, inner, false);
      if (name === 'find' || name === 'fd') this.#exec(name, argv, inner);
    }
  }

  #shell(name: string, argv: readonly Argument[], streams: Streams, place: Place): void {
    const c = argv.findIndex((a, i) => i > 0 && /^-[a-z]*c$/.test(a.text));
    const code = c > 0 ? argv[c + 1] : undefined;
    const file = argv.slice(1).some((a) => !a.text.startsWith('-'));
    const via = [...place.via, name];
    const text = c > 0 ? (code?.fixed ? code.text : null) : file ? null : place.input;
    if (text === null) this.#add(argv, streams, place, c > 0 || !file);
    else this.#apart(() => this.script(text, { ...place, via, input: null, piped: false, around: NO_STREAMS }));
  }

  #eval(argv: readonly Argument[], streams: Streams, place: Place): void {
    const code = argv.slice(1);
    if (!code.every((a) => a.fixed)) this.#add(argv, streams, place, true);
    else this.script(code.map((a) => a.text).join(' '), { ...place, via: [...place.via, 'eval'] });
  }

  #xargs(argv: readonly Argument[], streams: Streams, place: Place): void {
    let at = 1;
    while (argv[at]?.text.startsWith('-')) at += XARGS_VALUES.test(argv[at]?.text ?? '') ? 2 : 1;
    const rest = argv.slice(at);
    const inner = { ...place, ok: place.ok === true ? true : null, piped: false, input: null };
    if (rest.length === 0) this.#add(argv, streams, place, false);
    else this.#start(rest, { ...streams, stdin: null }, { ...inner, via: [...place.via, 'xargs'] });
  }

  #exec(name: string, argv: readonly Argument[], place: Place): void {
    const flags = name === 'find' ? FIND_EXEC : FD_EXEC;
    for (let i = 1; i < argv.length; i++) {
      if (!flags.test(argv[i]?.text ?? '')) continue;
      const end = argv.findIndex((a, k) => k > i && (a.text === ';' || a.text === '+'));
      const inner = argv
        .slice(i + 1, end < 0 ? argv.length : end)
        .map((a) => (a.text === '{}' ? { ...a, fixed: false } : a));
      if (inner.length > 0)
        this.#start(inner, NO_STREAMS, {
          ...place,
          ok: null,
          piped: false,
          input: null,
          via: [...place.via, `${name} -exec`],
        });
      i = end < 0 ? argv.length : end;
    }
  }

  #add(argv: Argument[] | readonly Argument[], streams: Streams, place: Place, opaque: boolean): void {
    const { piped, pipes, background, ok, via } = place;
    this.found.push({ argv: [...argv], via, streams, piped, pipes, cwd: this.#cwd, background, ok, opaque });
  }

  /** Where the next command runs. */
  #follow(node: Node): void {
    const argv = this.#argv(node);
    const name = argv[0]?.text;
    if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return;
    const target = argv.slice(1).find((a) => !a.text.startsWith('-') || a.text === '-');
    if (name === 'popd' || target?.text === '-' || target?.fixed === false) this.#cwd = null;
    else if (target === undefined) this.#cwd = '~';
    else if (target.text.startsWith('/') || target.text.startsWith('~')) this.#cwd = target.text;
    else this.#cwd = this.#cwd === null ? null : relativePath(target.text, null, this.#cwd);
  }
}

const XARGS_VALUES = /^-[nIPLsdEa]$/;
const FIND_EXEC = /^-(exec|execdir|ok|okdir)$/;
const FD_EXEC = /^(-x|-X|--exec|--exec-batch)$/;
const RUNS = new Set(['Command', 'Pipeline', 'AndOr', 'Subshell', 'BraceGroup', 'Redirected', 'Statement']);

/** Redirections of a command, with those of the group around it where it has none. */
const around = (own: Streams, group: Streams): Streams => ({
  stdin: own.stdin ?? group.stdin,
  stdout: own.stdout ?? group.stdout,
  input: own.input ?? (own.stdin === null ? group.input : null),
  reads: own.reads,
  writes: own.stdout === null ? [...own.writes, ...group.writes] : own.writes,
});

const safeParse = (source: string): ReturnType<typeof parse> | null => {
  try {
    return parse(source);
  } catch {
    return null;
  }
};
