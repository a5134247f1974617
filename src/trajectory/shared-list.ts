/**
 * A list that mostly grows at its end: a longer version shares its items with the shorter one, so that the lists of N requests, each
 * with all messages so far, take the room of one. Versions never change once they are made.
 */
export class SharedList<T> {
  readonly length: number;
  readonly #items: T[];

  private constructor(items: T[], length: number) {
    this.#items = items;
    this.length = length;
  }

  static of<T>(items: T[]): SharedList<T> {
    return new SharedList(items, items.length);
  }

  /** Undefined outside of the list. */
  at(index: number): T | undefined {
    return index < this.length ? this.#items[index] : undefined;
  }

  /** Items from `start` on. */
  from(start: number): T[] {
    return this.#items.slice(start, this.length);
  }

  /** The first `kept` items and then others. Copies only where another version went on differently. */
  extend(kept: number, others: readonly T[]): SharedList<T> {
    const free = this.#items.length === kept;
    const items = free ? this.#items : this.#items.slice(0, kept);
    for (const item of others) items.push(item);
    return new SharedList(items, kept + others.length);
  }
}
