/** What a field holds, and so which matches it takes. `words` are ids: closed when the list is given. */
export type FieldType =
  | 'text'
  | 'path'
  | 'number'
  | 'flag'
  | 'json'
  | { words: readonly string[] | null }
  | { list: FieldType }
  | { fields: Readonly<Record<string, FieldType>> };

/** A field's value that exists but cannot be known; an absent field is `undefined`. */
export const UNKNOWN: unique symbol = Symbol('unknown');

/** Something that happened, as one source tells it. */
export interface RuleEvent {
  source: string;
  thread: string;
  /**
   * Place in its thread: what an assistant turn t does is at 2t + 1, what its request brought for the first time at 2t.
   * Smaller is earlier, equal is neither. null = not known.
   */
  position: number | null;
  turn: number | null;
  toolCall: string | null;
  /** Order of commands within one call; null for everything else. */
  index: number | null;
  /** Stands for events that may have happened unseen: nothing about it is known. */
  unseen?: true;
  read(field: string): unknown;
  path?: string;
  /** The text to quote as evidence. */
  text?: string;
}
