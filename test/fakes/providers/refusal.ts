import type { JsonObject } from '../../../src/core/json.ts';

/** Why a real API would not take a request, in its own words. */
export interface Refusal {
  status: number;
  type: string;
  message: string;
  code?: string | null;
  param?: string | null;
}

/** What a fake provider knows when it looks at a request. */
export interface Asked {
  body: JsonObject;
  path: string;
  headers: Readonly<Record<string, string>>;
  models: readonly string[];
  key: string;
  /** Signatures that this provider has given out, each with the thinking (or call) it seals. */
  seals: ReadonlyMap<string, string>;
}

/** Looks at a request; null = it is taken. */
export type Refuse = (asked: Asked) => Refusal | null;

/** The first refusal of a list of questions. */
export const first = (...questions: (() => Refusal | null)[]): Refusal | null => {
  for (const question of questions) {
    const refusal = question();
    if (refusal !== null) return refusal;
  }
  return null;
};

export const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
