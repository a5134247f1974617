import type { Pattern } from './pattern.ts';
import type { Range } from './range.ts';
import type { BoundTest } from './verifiers/test.ts';

/*
 * A rule as it was understood: the parser's output, the evaluator's input (docs/formats/rules.md).
 * The JSON that authors write is checked once, by parse.ts; from here on everything is of the right kind.
 */

/** A path of keys into the JSON of a rule. */
export type JsonPath = readonly (string | number)[];

export type Match =
  | { is: 'any' }
  | { is: 'literal'; value: string | number | boolean | null }
  | { is: 'one_of'; matches: Match[] }
  | { is: 'not'; match: Match }
  | { is: 'range'; range: Range }
  | { is: 'glob'; glob: Pattern }
  | { is: 'test'; test: string; bound: BoundTest }
  | { is: 'each' | 'none'; match: Match }
  | { is: 'size'; range: Range }
  | { is: 'fields'; fields: { name: string; match: Match }[] }
  | { is: 'all'; matches: Match[] };

export interface FieldMatch {
  field: string;
  match: Match;
}

export type Scope = 'main' | 'subagents' | 'all';

export interface SourceEvent {
  is: 'event';
  source: string;
  fields: FieldMatch[];
  /** null = where the outer event is, or the source's own default. */
  scope: Scope | null;
  since: Anchor | null;
  until: Anchor | null;
  while: { from: EventSet; to: EventSet } | null;
}

/** Events that a rule is about: those of one source that pass a filter, or several such sets together. */
export type EventSet = SourceEvent | { is: 'one_of'; events: EventSet[] };

export type Anchor = { pick: 'first' | 'last'; event: EventSet } | { query: number };

export type Relation = 'preceded_by' | 'followed_by' | 'alongside';

export type Condition =
  | { is: 'field'; field: string; match: Match }
  | {
      is: 'order';
      relation: Relation;
      event: EventSet;
      /** Fields that must agree: of the inner event, of the outer one. */
      same: { inner: string; outer: string }[];
      within: number | null;
    }
  | { is: 'and'; conditions: Condition[] }
  | { is: 'or'; conditions: Condition[] }
  | { is: 'not'; condition: Condition };

/** What is looked at in the final workspace, or run there. `key` is its digest: answers are handed in by it. */
export type WorkspaceCondition = { key: string } & (
  | {
      is: 'file';
      file: string;
      exists: boolean | null;
      text: Match | null;
      lines: Range | null;
      only: Pattern[] | null;
    }
  | { is: 'run'; command: string; exit: Match | null; output: Match | null }
);

export type Rule =
  | { is: 'never'; event: EventSet }
  | { is: 'some'; event: EventSet }
  | { is: 'every'; event: EventSet; must: Condition; share: Range | null }
  | { is: 'first'; event: EventSet; must: Condition }
  | { is: 'last'; event: EventSet; must: Condition }
  | { is: 'count'; event: EventSet; range: Range }
  | { is: 'and'; rules: Rule[] }
  | { is: 'or'; rules: Rule[] }
  | { is: 'not'; rule: Rule }
  | { is: 'offered'; match: Match }
  | { is: 'workspace'; condition: WorkspaceCondition }
  | { is: 'judge'; question: string; facts: EventSet[] };
