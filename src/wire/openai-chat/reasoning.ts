import { isObject, type JsonObject } from '../../core/json.ts';
import type { Block } from '../schema.ts';

/** One entry of `reasoning_details` (OpenRouter), put together from its deltas. */
interface Detail {
  key: string;
  kind: 'text' | 'encrypted';
  text: string;
  signature: string;
}

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Collects the reasoning of one message under any of its names. `reasoning` and `reasoning_content` mean the same: of one
 * delta the first that is not empty counts, never both. `reasoning_details` repeat the text with signatures and are preferred.
 */
export class Reasoning {
  #plain = '';
  readonly #details: Detail[] = [];

  /** A message, or the delta of one. */
  add(message: JsonObject): void {
    this.#plain += string(message.reasoning_content) || string(message.reasoning);
    if (!Array.isArray(message.reasoning_details)) return;
    for (const [i, detail] of message.reasoning_details.entries()) if (isObject(detail)) this.#addDetail(detail, i);
  }

  /** Thinking first as plain text, then what is encrypted; or the details in their order where they have text. */
  blocks(): Block[] {
    const details = this.#details.filter(({ text, signature }) => text !== '' || signature !== '').map(asBlock);
    const told = details.some((block) => block.type === 'thinking');
    return this.#plain !== '' && !told ? [{ type: 'thinking', text: this.#plain }, ...details] : details;
  }

  #addDetail(detail: JsonObject, place: number): void {
    const kind = detail.type === 'reasoning.encrypted' ? 'encrypted' : 'text';
    const key = `${kind} ${typeof detail.index === 'number' ? detail.index : place}`;
    let entry = this.#details.find((other) => other.key === key);
    if (entry === undefined) {
      entry = { key, kind, text: '', signature: '' };
      this.#details.push(entry);
    }
    entry.text += kind === 'encrypted' ? string(detail.data) : string(detail.text) || string(detail.summary);
    entry.signature += string(detail.signature);
  }
}

const asBlock = ({ kind, text, signature }: Detail): Block =>
  kind === 'encrypted'
    ? { type: 'redacted_thinking', data: text }
    : { type: 'thinking', text, ...(signature !== '' && { signature }) };
