import { describe, expect, it } from 'vitest';
import { matchesAny } from './glob.ts';

const cases: [glob: string, yes: string[], no: string[]][] = [
  ['CLAUDE.md', ['CLAUDE.md'], ['src/CLAUDE.md', 'CLAUDExmd']],
  ['**/CLAUDE.md', ['CLAUDE.md', 'a/CLAUDE.md', '.x/b/CLAUDE.md'], ['a/XCLAUDE.md']],
  ['.claude/skills/**', ['.claude/skills/a', '.claude/skills/a/SKILL.md'], ['.claude/other']],
  [
    '.claude/skills/*/SKILL.md',
    ['.claude/skills/a/SKILL.md'],
    ['.claude/skills/a/b/SKILL.md', '.claude/skills/SKILL.md'],
  ],
  ['*.{md,mdc}', ['a.md', '.b.mdc'], ['a.txt', 'x/a.md']],
  ['file[0-9].t?t', ['file1.txt'], ['filea.txt', 'file1.t/t']],
  ['[!a]*', ['b', 'bc'], ['a']],
  ['a+b(c).md', ['a+b(c).md'], ['aab(c).md']],
];

describe('globs', () => {
  it.each(cases)('%s', (glob, yes, no) => {
    const matches = matchesAny([glob]);
    expect(yes.filter((p) => !matches(p))).toEqual([]);
    expect(no.filter((p) => matches(p))).toEqual([]);
  });
});
