import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedLines, readTodo } from './reading.ts';
import { leadingReminders, trailingReminders, withoutReminders } from './reminders.ts';
import { quoteShell } from './shell-quote.ts';

describe('editedLines', () => {
  it.each([
    ['hello', 'world', ['world'], ['hello']],
    ['a\nb\nc', 'a\nX\nc', ['X'], ['b']],
    ['a\n', 'a\nb\n', ['b'], []],
    ['a\na\n', 'a\n', [], ['a']],
    ['a\nb', 'b\na', [], []], // moved
    ['', 'x\ny', ['x', 'y'], []],
    ['x\n\ny', 'x\ny', [], ['']],
  ])('%j -> %j', (before, after, added, removed) => {
    expect(editedLines(before, after)).toEqual({ added, removed });
  });

  it('accounts for every line: what stays and what comes in is what is there', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = (all: string[]): string[] => (all.at(-1) === '' ? all.slice(0, -1) : all);
        const { added, removed } = editedLines(a.join('\n'), b.join('\n'));
        const before = a.length === 0 ? [] : lines(a);
        const after = b.length === 0 ? [] : lines(b);
        expect([...before, ...added].sort()).toEqual([...after, ...removed].sort());
      }),
    );
  });
});

describe('readTodo', () => {
  it('reads the forms scaffolds use, in our words', () => {
    expect(readTodo({ content: 'A', status: 'in-progress', id: '1', priority: 'high' })).toEqual({
      text: 'A',
      status: 'in_progress',
      id: '1',
      priority: 'high',
    });
    expect(readTodo({ text: 'A', status: 'odd' })).toEqual({ text: 'A', status: 'odd' });
    expect(readTodo('A')).toBeNull();
  });
});

describe('reminders', () => {
  it('finds runs at both ends only', () => {
    const r = '<system-reminder>x</system-reminder>';
    expect(leadingReminders(`${r}\n${r} text ${r}`)).toHaveLength(2);
    expect(trailingReminders(`${r} text ${r}\n\n${r}\n`)).toHaveLength(2);
    expect(withoutReminders(`text\n\n${r}\n`)).toBe('text');
    expect(withoutReminders(r)).toBe('');
    expect(withoutReminders('</system-reminder>')).toBe('</system-reminder>');
  });
});

describe('quoteShell', () => {
  it('quotes what a shell would read', () => {
    expect(['a/b.ts', 'a b', "it's", '$x', ''].map(quoteShell)).toEqual([
      'a/b.ts',
      "'a b'",
      `'it'\\''s'`,
      "'$x'",
      "''",
    ]);
  });
});
