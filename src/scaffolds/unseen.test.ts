import { describe, expect, it } from 'vitest';
import { matchesAny } from '../environment/glob.ts';
import { scaffolds } from './all.ts';
import { unseenInstructions } from './unseen.ts';

const FILES = new Map([
  ['CLAUDE.md', 'Rules'],
  ['AGENTS.md', 'Rules'],
  ['.claude/skills/a/SKILL.md', ''],
  ['.agents/skills/b/SKILL.md', ''],
  ['.factory/skills/c/SKILL.md', ''],
  ['.kilocode/rules/style.md', ''],
  ['.kilocode/rules/memory-bank/progress.md', ''],
  ['src/index.ts', ''],
]);
const unseen = (id: string, files: Map<string, string> = FILES): string[] => {
  const scaffold = scaffolds.find((s) => s.id === id);
  return scaffold === undefined ? [] : unseenInstructions(scaffold.reads, files, matchesAny).map((u) => u.path);
};

describe('unseenInstructions', () => {
  it.each([
    [
      'claude-code',
      ['AGENTS.md', '.agents/skills/b/SKILL.md', '.factory/skills/c/SKILL.md', '.kilocode/rules/style.md'],
    ],
    ['kilo', ['CLAUDE.md', '.factory/skills/c/SKILL.md']],
    ['opencode', ['CLAUDE.md', '.factory/skills/c/SKILL.md', '.kilocode/rules/style.md']],
    ['droid', ['.claude/skills/a/SKILL.md', '.kilocode/rules/style.md']],
    ['pi', ['CLAUDE.md', '.claude/skills/a/SKILL.md', '.factory/skills/c/SKILL.md', '.kilocode/rules/style.md']],
  ])('%s does not show %j, nor the memory bank', (id, paths) => {
    expect(unseen(id).sort()).toEqual([...paths, '.kilocode/rules/memory-bank/progress.md'].sort());
  });

  it('knows that CLAUDE.md stands in for a missing AGENTS.md, and that files take others in', () => {
    expect(unseen('kilo', new Map([['CLAUDE.md', '']]))).toEqual([]);
    const imports = new Map([
      ['CLAUDE.md', 'See @AGENTS.md'],
      ['AGENTS.md', ''],
    ]);
    expect(unseen('claude-code', imports)).toEqual([]);
    expect(unseen('claude-code', new Map([['AGENTS.md', '']]))).toEqual(['AGENTS.md']);
  });
});
