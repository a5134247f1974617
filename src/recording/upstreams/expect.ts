import { RE2JS } from 're2js';
import type { Dialect } from '../../scaffolds/dialect.ts';
import type { Block, ToolCall, ToolResult, WireMessage } from '../../wire/schema.ts';
import type { Expectation, TextTest } from '../script.ts';
import { originOf, type Part } from './position.ts';

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  s: RE2JS.DOTALL,
  m: RE2JS.MULTILINE,
};

const textOf = (blocks: readonly Block[]): string =>
  blocks.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('\n');

/** What a text test misses, in words; null = it holds. A regular expression is linear-time: outputs are not ours. */
const missing = (test: TextTest, output: string): string | null => {
  if (typeof test === 'string') return output.includes(test) ? null : `output with ${JSON.stringify(test)}`;
  const { equals, has, regex, flags = '' } = test;
  if (equals !== undefined && output.trim() !== equals.trim()) return `output ${JSON.stringify(equals)}`;
  const lacks = [has ?? []].flat().find((part) => !output.includes(part));
  if (lacks !== undefined) return `output with ${JSON.stringify(lacks)}`;
  if (regex === undefined) return null;
  const bits = [...flags].reduce((all, flag) => all | (FLAGS[flag] ?? 0), 0);
  return RE2JS.compile(regex, bits).matcher(output).find() ? null : `output matching /${regex}/${flags}`;
};

const SHOWN = 300;

const failure = (expected: Expectation, ok: boolean | null, output: string): string | null => {
  const shown = JSON.stringify(output.length > SHOWN ? `${output.slice(0, SHOWN)}…` : output);
  if (expected.ok !== undefined && ok !== expected.ok)
    return `expected ok: ${expected.ok}, got ok: ${ok} with output ${shown}`;
  const lacks = expected.output === undefined ? null : missing(expected.output, output);
  return lacks === null ? null : `expected ${lacks}, got ${shown}`;
};

/**
 * Compares the results of the turn at `position` of a part with what its `run` actions expect. Returns what does not hold in words
 * that say what was expected and what came, else null.
 */
export const unexpected = (
  part: Part,
  position: number,
  messages: readonly WireMessage[],
  dialect: Dialect,
  workspace: string,
): string | null => {
  const turn = part.turns[position];
  if (turn === undefined || !(turn.content.do ?? []).some((a) => 'run' in a && a.run.expect !== undefined)) return null;
  const blocks = messages.flatMap((m) => m.blocks);
  const results = new Map(blocks.filter((b): b is ToolResult => b.type === 'tool_result').map((b) => [b.id, b]));
  for (const call of blocks.filter((b): b is ToolCall => b.type === 'tool_call')) {
    const origin = originOf(call.id);
    if (origin === null || origin.part !== part.id || origin.first) continue;
    if (origin.query !== turn.query || origin.turn !== turn.turn) continue;
    const action = turn.content.do?.[origin.action];
    const result = results.get(call.id);
    if (action === undefined || !('run' in action) || action.run.expect === undefined || result === undefined) continue;
    const ok = dialect.decode(call, result, { workspace, todos: [] })[0]?.ok ?? !result.isError;
    const wrong = failure(action.run.expect as Expectation, ok, textOf(result.blocks));
    if (wrong !== null) return `\`${action.run.command}\` in query ${turn.query}, turn ${turn.turn}: ${wrong}`;
  }
  return null;
};
