import type { SourceLabel } from './dialect.ts';
import type { Scaffold } from './scaffold.ts';

/** An instruction file of a workspace that a scaffold does not show to the model. */
export interface Unseen {
  path: string;
  label: SourceLabel;
}

// What authors of instances put rules into, whatever the scaffold.
const INSTRUCTIONS: readonly [pattern: RegExp, label: SourceLabel][] = [
  [/(^|\/)memory-bank\/[^/]+\.md$/, 'memory'],
  [/(^|\/)skills\/(?:.*\/)?SKILL\.md$/, 'skill'],
  [/^(CLAUDE|CLAUDE\.local|AGENTS)\.md$/, 'agents_md'],
  [/^\.(claude|kilocode)\/rules\/.*\.md$/, 'agents_md'],
];

/**
 * Instruction files of a workspace whose rules the model of this scaffold would never see, so that an instance that depends on them can
 * be told before it runs.
 * @param files path relative to the workspace -> text; other files than instructions may be among them
 * @param matchesAny whether a path matches one of some globs
 */
export const unseenInstructions = (
  reads: Scaffold['reads'],
  files: ReadonlyMap<string, string>,
  matchesAny: (globs: readonly string[]) => (path: string) => boolean,
): Unseen[] => {
  const first = reads.firstOf?.find((path) => files.has(path));
  const isShadowed = (path: string): boolean =>
    first !== undefined && path !== first && reads.firstOf?.includes(path) === true;
  const isRead = matchesAny([...reads.policy, ...reads.skills, ...reads.memory]);
  const isSeen = (path: string): boolean => isRead(path) && !isShadowed(path);
  // A file that is shown may take others in: `@AGENTS.md`.
  const shown = [...files].filter(([path]) => isSeen(path)).map(([, text]) => text);
  const isImported = (path: string): boolean =>
    shown.some((text) => text.includes(`@${path}`) || text.includes(`@./${path}`));
  return [...files.keys()].flatMap((path) => {
    const label = INSTRUCTIONS.find(([pattern]) => pattern.test(path))?.[1];
    return label === undefined || isSeen(path) || isImported(path) ? [] : [{ path, label }];
  });
};
