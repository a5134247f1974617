import { findShared, type Shared } from './delta.ts';
import type { Rope } from './rope.ts';

/** Recent requests a log compares a new one with: enough for a main thread, its subagents and side calls at once. */
const KEPT = 8;
/** Good enough to stop looking for a better base. */
const GOOD = 0.97;

interface Base {
  call: number;
  bytes: Rope;
  /** The wire held no secret: stored and raw bytes are the same. */
  clean: boolean;
  owner: Bases;
}

/** A kept request, and what a new one shares with it. */
export interface Best {
  call: number;
  rope: Rope;
  shared: Shared;
  clean: boolean;
}

/** The memory that all logs of a process share for recent requests, counted as if none of it were shared between them. */
export class BaseBudget {
  readonly limit: number;
  #used = 0;
  /** Oldest first. */
  readonly #order = new Set<Base>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  add(base: Base): void {
    this.#order.add(base);
    this.#used += base.bytes.length;
    if (this.#used <= this.limit) return;
    for (const old of this.#order) {
      if (this.#used <= this.limit) return;
      if (old !== base && old.owner.drop(old)) this.remove(old);
    }
  }

  touch(base: Base): void {
    if (this.#order.delete(base)) this.#order.add(base);
  }

  remove(base: Base): void {
    if (this.#order.delete(base)) this.#used -= base.bytes.length;
  }
}

/** The requests of one log that later ones are compared with. At least the latest stays, whatever the budget says. */
export class Bases {
  readonly #budget: BaseBudget;
  #kept: Base[] = [];

  constructor(budget: BaseBudget) {
    this.#budget = budget;
  }

  /** The kept request that shares most with `next`; null when none shares anything worth a reference. */
  best(next: Rope): Best | null {
    let best: Base | null = null;
    let shared: Shared = { prefix: 0, suffix: 0 };
    for (let i = this.#kept.length - 1; i >= 0; i--) {
      const base = this.#kept[i] as Base;
      // It cannot share more than its whole length.
      if (base.bytes.length <= shared.prefix + shared.suffix) continue;
      const found = findShared(base.bytes, next);
      if (found.prefix + found.suffix > shared.prefix + shared.suffix) {
        best = base;
        shared = found;
      }
      if (shared.prefix + shared.suffix >= next.length * GOOD) break;
    }
    if (best === null || shared.prefix + shared.suffix < 64) return null;
    this.#budget.touch(best);
    return { call: best.call, rope: best.bytes, shared, clean: best.clean };
  }

  add(call: number, bytes: Rope, clean: boolean): void {
    const base = { call, bytes, clean, owner: this };
    this.#kept.push(base);
    this.#budget.add(base);
    if (this.#kept.length > KEPT) {
      const oldest = this.#kept.shift();
      if (oldest !== undefined) this.#budget.remove(oldest);
    }
  }

  /** Lets go of a base unless it is the last one. */
  drop(base: Base): boolean {
    if (this.#kept.length <= 1) return false;
    this.#kept = this.#kept.filter((b) => b !== base);
    return true;
  }

  clear(): void {
    for (const base of this.#kept) this.#budget.remove(base);
    this.#kept = [];
  }
}
