import type { Action } from '../scaffolds/dialect.ts';

const ABSENT = /no such file|does not exist|not found|ENOENT|cannot find|doesn't exist/i;

/**
 * What is known of which files exist while a run goes on: from the tree it started with, from earlier actions and from what tools
 * answered. It knows files by their `rel` path; threads are read one after the other, so what a subagent made counts later on.
 */
export class Existence {
  #known = new Map<string, boolean>();
  #contents = new Map<string, string>();
  readonly #base: ReadonlySet<string> | undefined;

  constructor(base?: ReadonlySet<string>) {
    this.#base = base;
  }

  /** Null = not known. */
  has(rel: string): boolean | null {
    const known = this.#known.get(rel);
    if (known !== undefined) return known;
    if (this.#base === undefined || rel.startsWith('/') || rel.startsWith('~')) return null;
    return this.#base.has(rel);
  }

  /** The text that a file was last written with, as far as actions tell; null when they do not. */
  content(rel: string): string | null {
    return this.#contents.get(rel) ?? null;
  }

  /** Sets `existed` of an action (what its dialect says goes first) and learns from it. */
  note(action: Action, told: boolean | null | undefined): void {
    const { rel, kind, ok } = action;
    if (rel !== undefined && FILES.has(kind)) {
      action.existed = told ?? this.has(rel);
      if (ok === true) this.#learn(rel, action);
      else if (ok === false && ABSENT.test(answerOf(action))) this.#known.set(rel, false);
    }
    for (const command of action.commands ?? []) {
      if (command.ok !== true) continue;
      for (const path of command.does.includes('delete') ? command.writes : []) this.#forget(path);
      for (const path of command.does.includes('delete') ? [] : command.writes) {
        this.#known.set(path, true);
        this.#contents.delete(path);
      }
    }
  }

  #learn(rel: string, action: Action): void {
    if (action.kind === 'delete') {
      this.#forget(rel);
      return;
    }
    this.#known.set(rel, true);
    if (action.kind === 'write' && action.content !== undefined) this.#contents.set(rel, action.content);
    else if (action.kind === 'edit') this.#contents.delete(rel);
  }

  #forget(rel: string): void {
    this.#known.set(rel, false);
    this.#contents.delete(rel);
  }
}

const FILES = new Set(['read', 'write', 'edit', 'delete', 'move']);
const answerOf = (action: Action): string =>
  (action.result ?? []).map((b) => (b.type === 'text' ? b.text : '')).join('\n');
