import type { Problem } from '../core/problem.ts';
import type { Dialect } from '../scaffolds/dialect.ts';
import type { Trajectory } from './schema.ts';

/** Fewer tools in common than this share of those offered is no dialect at all. */
const LEAST_FIT = 0.5;

/** How well a dialect's tools fit those that were offered: the share of both that they have in common. */
const fit = (dialect: Dialect, offered: ReadonlySet<string>): number => {
  const common = dialect.tools.filter((name) => offered.has(name)).length;
  const all = new Set([...dialect.tools, ...offered]).size;
  return all === 0 ? 0 : common / all;
};

const coverage = (dialect: Dialect, offered: ReadonlySet<string>): number =>
  offered.size === 0 ? 0 : dialect.tools.filter((name) => offered.has(name)).length / offered.size;

/** Names of all tools that the threads (auxiliary ones aside) were offered or called. */
const toolsOf = (t: Trajectory): Set<string> => {
  const names = new Set<string>();
  for (const thread of t.threads) {
    if (thread.role === 'auxiliary') continue;
    for (const { messages } of thread.segments)
      for (const message of messages) {
        for (const tool of t.toolsets[message.toolset ?? -1]?.tools ?? []) names.add(tool.name);
        for (const block of message.blocks) if (block.type === 'tool_call') names.add(block.name);
      }
  }
  return names;
};

/** The dialect that a trajectory is to be read with; problems say when none fits or none is known by that id. */
export const chooseDialect = (
  t: Trajectory,
  wanted: Dialect | string,
  dialects: readonly Dialect[],
): { dialect: Dialect | null; named: Trajectory['dialect']; problems: Problem[] } => {
  if (typeof wanted !== 'string') return { dialect: wanted, named: { id: wanted.id, how: 'declared' }, problems: [] };
  if (wanted !== 'detect') {
    const dialect = dialects.find((d) => d.id === wanted) ?? null;
    if (dialect !== null) return { dialect, named: { id: dialect.id, how: 'declared' }, problems: [] };
    return nothing(`no dialect is called "${wanted}"`);
  }
  const offered = toolsOf(t);
  const best = dialects
    .map((dialect) => ({ dialect, fit: fit(dialect, offered), coverage: coverage(dialect, offered) }))
    .sort((a, b) => b.fit - a.fit)[0];
  if (best === undefined || best.coverage < LEAST_FIT)
    return nothing('no dialect fits the tools of this session; its tool calls have no meaning for rules');
  return { dialect: best.dialect, named: { id: best.dialect.id, how: 'detected' }, problems: [] };
};

const nothing = (message: string): { dialect: null; named: null; problems: Problem[] } => ({
  dialect: null,
  named: null,
  problems: [{ kind: 'no_dialect', severity: 'warning', message }],
});
