/* Finds the top-level "model" of a JSON body while it arrives. A regular expression would take the first nested one. */

/** A string value with the place of its first and past its last character (quotes included), in bytes. */
export interface FoundModel {
  name: string;
  start: number;
  end: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const COMMA = 44;
const OPEN = new Set([123, 91]);
const CLOSE = new Set([125, 93]);

/** Reads a JSON body from its first byte, in any number of pieces. It looks at structure only: values are not checked. */
export class ModelScanner {
  #at = 0;
  #depth = 0;
  /** The string being read: where it began, and its bytes while it can still be a key or a value of depth 1. */
  #start = -1;
  #text: number[] | null = null;
  #escaped = false;
  #key = '';
  #expectsKey = false;
  #found: FoundModel | null = null;

  /** Bytes looked at so far. */
  get scanned(): number {
    return this.#at;
  }

  /** Takes the next piece; returns the model as soon as it is known. */
  push(chunk: Uint8Array): FoundModel | null {
    for (let i = 0; i < chunk.length && this.#found === null; i++) this.#byte(chunk[i] as number, this.#at + i);
    this.#at += chunk.length;
    return this.#found;
  }

  #byte(byte: number, at: number): void {
    if (this.#start >= 0) this.#inString(byte, at);
    else if (byte === QUOTE) {
      this.#start = at;
      this.#text = this.#depth === 1 ? [] : null;
    } else if (OPEN.has(byte)) {
      this.#depth++;
      this.#expectsKey = this.#depth === 1;
    } else if (CLOSE.has(byte)) {
      this.#depth--;
    } else if (this.#depth === 1 && byte === COMMA) {
      this.#expectsKey = true;
    } else if (this.#depth === 1 && byte === COLON) {
      this.#expectsKey = false;
    }
  }

  #inString(byte: number, at: number): void {
    if (this.#escaped) {
      this.#escaped = false;
      this.#text?.push(byte);
    } else if (byte === QUOTE) {
      this.#endString(at + 1);
    } else {
      this.#escaped = byte === BACKSLASH;
      this.#text?.push(byte);
    }
  }

  #endString(end: number): void {
    const text = this.#text === null ? null : this.#parse(this.#text);
    if (text !== null && this.#expectsKey) this.#key = text;
    else if (text !== null && this.#key === 'model') this.#found = { name: text, start: this.#start, end };
    if (!this.#expectsKey) this.#key = '';
    this.#start = -1;
    this.#text = null;
  }

  #parse(bytes: readonly number[]): string {
    const raw = Buffer.from(bytes).toString('utf8');
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return raw;
    }
  }
}
