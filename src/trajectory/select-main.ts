import type { PaperShape } from './to-paper-shape.ts';

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const isFrom = (shape: PaperShape, index: number): boolean => shape.meta.continues === index;

/**
 * Which entries to judge, by session: of its newest run the main thread with all its segments, in order; null where nothing was
 * run. Rewound branches and abandoned replies are left out; length decides nothing.
 */
export const selectMain = (shapes: readonly PaperShape[]): { [instanceId: string]: number[] | null } => {
  const bySession = new Map<string, number[]>();
  for (const [i, { meta }] of shapes.entries()) {
    const id = String(meta.session_id ?? meta.instance_id ?? '');
    bySession.set(id, [...(bySession.get(id) ?? []), i]);
  }
  return Object.fromEntries([...bySession].map(([id, indexes]) => [id, mainOf(shapes, indexes)]));
};

const mainOf = (shapes: readonly PaperShape[], indexes: readonly number[]): number[] | null => {
  const meta = (i: number): Record<string, unknown> => shapes[i]?.meta ?? {};
  const newest = Math.max(...indexes.map((i) => number(meta(i).run)));
  const main = indexes.filter(
    (i) =>
      number(meta(i).run) === newest &&
      (meta(i).agent ?? 'main') === 'main' &&
      meta(i).parent_tool_call_id === undefined &&
      meta(i).abandoned !== true &&
      shapes[i]?.messages.some((m) => m.role === 'assistant'),
  );
  // A rewound line is not judged: the branch that came after it is.
  const rewound = new Set(main.map((i) => meta(i).branch_of));
  const kept = main.filter((i) => !rewound.has(i) || main.some((k) => isFrom(shapes[k] as PaperShape, i)));
  const ordered = kept.sort((a, b) => number(meta(a).segment) - number(meta(b).segment) || a - b);
  return ordered.length > 0 ? ordered : null;
};
