/**
 * A JSON value that forgets nothing: objects keep every member, repeated names included, since JSON.parse takes the last one
 * without a word and a judge that says both has said neither.
 */
export type LooseJson = string | number | boolean | null | LooseJson[] | LooseObject;
export interface LooseObject {
  members: [name: string, value: LooseJson][];
}

/** What stands at a place of a text. */
export type LooseReading =
  | { kind: 'value'; value: LooseJson; end: number; repaired: boolean }
  /** Cut: the text ends within the value. */
  | { kind: 'cut' }
  /** Broken at `at`; `keyed` when a member's name was read, so that it was meant as JSON. */
  | { kind: 'broken'; at: number; keyed: boolean };

const DEEPEST = 64;
const WORDS: readonly [string, boolean | null][] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /\s*/y;

/** No Error: a hostile text stops often, and a stack trace each time would be most of the work. */
class Stop {
  readonly at: number;
  readonly cut: boolean;
  constructor(at: number, cut: boolean) {
    this.at = at;
    this.cut = cut;
  }
}

class Reader {
  readonly #text: string;
  readonly #rawLines: boolean;
  at: number;
  repaired = false;
  keyed = false;

  constructor(text: string, at: number, rawLines: boolean) {
    this.#text = text;
    this.#rawLines = rawLines;
    this.at = at;
  }

  #stop(): never {
    throw new Stop(this.at, this.at >= this.#text.length);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  /** The next sign that is no white space. */
  #peek(): string {
    this.#match(SPACE);
    return this.#text[this.at] ?? this.#stop();
  }

  value(depth: number): LooseJson {
    const sign = this.#peek();
    if (depth > DEEPEST) this.#stop();
    if (sign === '{') return this.#object(depth);
    if (sign === '[') return this.#list(depth);
    if (sign === '"') return this.#string();
    for (const [word, value] of WORDS)
      if (this.#text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    // A word that the end of the text cuts short is cut, not broken.
    const rest = this.#text.slice(this.at, this.at + 5);
    if (rest.length < 5 && WORDS.some(([word]) => word.startsWith(rest))) throw new Stop(this.#text.length, true);
    const number = this.#match(NUMBER);
    return number === null ? this.#stop() : Number(number);
  }

  #object(depth: number): LooseObject {
    const members: [string, LooseJson][] = [];
    this.#each('}', () => {
      if (this.#peek() !== '"') this.#stop();
      const name = this.#string();
      if (this.#peek() !== ':') this.#stop();
      this.at++;
      this.keyed = true;
      members.push([name, this.value(depth + 1)]);
    });
    return { members };
  }

  #list(depth: number): LooseJson[] {
    const list: LooseJson[] = [];
    this.#each(']', () => list.push(this.value(depth + 1)));
    return list;
  }

  /** Elements up to the closing sign; a comma before it is forgiven, once there was an element. */
  #each(close: string, element: () => void): void {
    this.at++;
    let comma = false;
    for (let first = true; ; first = false) {
      if (this.#peek() === close) {
        this.at++;
        this.repaired ||= comma;
        return;
      }
      if (!first && !comma) this.#stop();
      element();
      comma = this.#peek() === ',';
      if (comma) this.at++;
    }
  }

  #string(): string {
    const start = this.at++;
    let raw = false;
    for (;;) {
      const sign = this.#text[this.at] ?? this.#stop();
      if (sign === '"') break;
      if (sign === '\\') {
        if (this.#match(ESCAPE) !== null) continue;
        if (this.at + 6 > this.#text.length) throw new Stop(this.#text.length, true);
        this.#stop();
      }
      if (sign < ' ') {
        if (!this.#rawLines) this.#stop();
        raw = true;
      }
      this.at++;
    }
    this.at++;
    this.repaired ||= raw;
    const literal = this.#text.slice(start, this.at);
    return JSON.parse(raw ? escapeControls(literal) : literal) as string;
  }
}

const escapeControls = (literal: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  literal.replace(/[\u0000-\u001f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Reads the JSON value that starts at `at`. Forgiven and marked as `repaired`: a comma before a closing bracket and, with
 * `rawLines`, line breaks inside strings. Nothing that is open is ever closed. Time is linear in what is read.
 */
export const readLooseJson = (text: string, at = 0, options: { rawLines?: boolean } = {}): LooseReading => {
  const reader = new Reader(text, at, options.rawLines === true);
  try {
    return { kind: 'value', value: reader.value(0), end: reader.at, repaired: reader.repaired };
  } catch (e) {
    if (!(e instanceof Stop)) throw e;
    return e.cut ? { kind: 'cut' } : { kind: 'broken', at: e.at, keyed: reader.keyed };
  }
};
