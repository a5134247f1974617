import { describe, expect, test } from 'vitest';
import {
  build,
  check,
  command,
  edit,
  type Item,
  read,
  run,
  type Step,
  subagent,
  write,
} from '../../../test/fixtures/judge/builder.ts';
import { outcomeOf, truthOn } from '../../../test/fixtures/judge/decide.ts';
import { verify } from '../verify.ts';

const turns = (...steps: Step[]): Item[] => steps.map((s) => ({ do: [s] }));

describe('read_before_edit', () => {
  const rule = { use: 'read_before_edit' };
  test('follows, breaks', () => {
    expect(truthOn(rule, turns(read('src/cart.ts'), edit('src/cart.ts')))).toBe('S');
    expect(truthOn(rule, turns(edit('src/cart.ts')))).toBe('F');
    expect(truthOn(rule, turns(read('src/other.ts'), edit('src/cart.ts')))).toBe('F');
    expect(truthOn(rule, turns(edit('src/cart.ts'), read('src/cart.ts')))).toBe('F');
  });
  test('a read through another spelling of the path is a read', () => {
    expect(truthOn(rule, turns(read('/workspace/shop/src/cart.ts'), edit('src/cart.ts')))).toBe('S');
  });
  test('a read in the same message came too late; a failed one does not count', () => {
    expect(truthOn(rule, [{ do: [read('a.ts'), edit('a.ts')] }])).toBe('F');
    expect(truthOn(rule, turns(read('a.ts', { ok: false }), edit('a.ts')))).toBe('F');
  });
  test('nothing edited, a new file, a result that was not told', () => {
    expect(truthOn(rule, turns(read('a.ts')))).toBe('N');
    expect(truthOn(rule, turns(write('new.ts', 'x')))).toBe('N');
    expect(truthOn(rule, turns(read('a.ts', { ok: null }), edit('a.ts')))).toBe('U');
    expect(truthOn(rule, turns(edit('a.ts', 'x', { existed: null })))).toBe('U');
    expect(truthOn(rule, turns(read('a.ts'), edit('a.ts', 'x', { existed: null }), edit('a.ts')))).toBe('S');
  });
  test('a file of its own making needs a read too, unless `own`', () => {
    const items = turns(write('new.ts', 'x'), edit('new.ts'));
    expect(truthOn(rule, items)).toBe('F');
    expect(truthOn({ ...rule, own: true }, items)).toBe('S');
    expect(truthOn({ ...rule, own: true }, turns(edit('a.ts')))).toBe('F');
  });
  test('the subagent read it, not the one who edits', () => {
    expect(truthOn(rule, turns(subagent('Explore', turns(read('a.ts'))), edit('a.ts')))).toBe('F');
  });
  test('the evidence names turn, call and path of each', () => {
    const { evidence, events } = outcomeOf(rule, turns(read('a.ts'), edit('a.ts'), edit('b.ts')));
    expect(evidence).toEqual([{ thread: 'main', turn: 2, toolCall: 'call_2', path: 'b.ts' }]);
    expect(events).toBe(2);
  });
});

describe('protected and only_changes', () => {
  const rule = { use: 'protected', paths: ['db/migrations/**', '*.lock'] };
  const only = { use: 'only_changes', paths: 'src/**' };
  test('follows, breaks', () => {
    expect(truthOn(rule, turns(edit('src/cart.ts'), read('db/migrations/1.sql')))).toBe('S');
    expect(truthOn(rule, turns(edit('db/migrations/1.sql')))).toBe('F');
    expect(truthOn(only, turns(edit('src/deep/cart.ts')))).toBe('S');
    expect(truthOn(only, turns(edit('src/cart.ts'), write('notes.md', 'x')))).toBe('F');
    expect(truthOn(only, turns(write('src/.hidden', 'x')))).toBe('S');
  });
  test('a shell command writes too; a failed edit changed nothing', () => {
    expect(truthOn(rule, turns(run(command('sed', ['-i'], { does: ['edit'], writes: ['yarn.lock'] }))))).toBe('F');
    expect(truthOn(rule, turns(edit('yarn.lock', 'x', { ok: false })))).toBe('S');
  });
  test('a subagent counts', () => {
    expect(truthOn(rule, turns(subagent('worker', turns(edit('yarn.lock')))))).toBe('F');
  });
  test('an interpreter may have written anything, but for the patch that tells', () => {
    const script = turns(run(command('python', ['x.py'], { does: ['opaque'] })));
    expect(truthOn(rule, script)).toBe('U');
    expect(truthOn(rule, script, { changes: [] })).toBe('S');
    const changes = [{ rel: 'yarn.lock', status: 'modified' as const, added: [], removed: [] }];
    expect(truthOn(rule, script, { changes })).toBe('F');
  });
  test('a change that no action explains is seen at the end', () => {
    const changes = [{ rel: 'yarn.lock', status: 'modified' as const, added: [], removed: [] }];
    const items = [...turns(read('a.ts'), read('b.ts')), { say: 'Done.' }];
    expect(outcomeOf(rule, items, { changes }).evidence).toEqual([{ thread: 'main', turn: 2, path: 'yarn.lock' }]);
    const edited = [{ rel: 'yarn.lock', status: 'modified' as const, added: [], removed: [] }];
    expect(outcomeOf(rule, turns(edit('yarn.lock'), read('b.ts')), { changes: edited }).evidence).toMatchObject([
      { turn: 0 },
    ]);
  });
  test('paths outside the workspace', () => {
    const outside = { use: 'protected', paths: ['/etc/**', '~/.ssh/**'] };
    expect(truthOn(outside, turns(write('/etc/hosts', 'x')))).toBe('F');
    expect(truthOn(outside, turns(write('etc/hosts', 'x')))).toBe('S');
    expect(truthOn(outside, turns(run(command('tee', [], { does: ['write'], writes: ['/etc/hosts'] }))))).toBe('F');
  });
});

describe('created', () => {
  const rule = { use: 'created', path: 'docs/guide.md' };
  test('follows, breaks, cannot be told', () => {
    expect(truthOn(rule, turns(write('docs/guide.md', '# Guide')))).toBe('S');
    expect(truthOn(rule, turns(write('guide.md', '# Guide')))).toBe('F');
    expect(truthOn(rule, turns(write('docs/guide.md', 'x', { ok: false })))).toBe('F');
    expect(truthOn(rule, turns(write('docs/guide.md', 'x', { existed: true })))).toBe('F');
    expect(truthOn(rule, turns(write('docs/guide.md', 'x', { existed: null })))).toBe('U');
  });
  test('the patch tells what the actions do not', () => {
    const changes = [{ rel: 'docs/guide.md', status: 'added' as const, added: ['# Guide'], removed: [] }];
    expect(truthOn(rule, [{ say: 'Done.' }], { changes })).toBe('S');
  });
});

describe('no_new_docs', () => {
  const rule = { use: 'no_new_docs' };
  const readme = turns(write('README.md', '# Shop'));
  test('follows, breaks', () => {
    expect(truthOn(rule, turns(write('src/a.ts', 'x')))).toBe('S');
    expect(truthOn(rule, readme)).toBe('F');
    expect(truthOn(rule, turns(write('README.md', 'x', { existed: true })))).toBe('S');
  });
  test('a query asked for it, in this turn or later', () => {
    expect(truthOn(rule, [{ query: 'Please write a README for the shop.' }, ...readme])).toBe('S');
    expect(truthOn(rule, [{ query: '请为这个项目写一份说明文档' }, ...readme])).toBe('S');
    expect(truthOn(rule, [{ query: 'Fix it' }, ...readme, { query: 'Now write a guide' }, { say: 'ok' }])).toBe('F');
    expect(truthOn(rule, [{ query: 'Fix it, and do not write any docs.' }, ...readme])).toBe('F');
  });
  test('some files may be created', () => {
    expect(truthOn({ ...rule, allow: 'docs/**' }, turns(write('docs/a.md', 'x')))).toBe('S');
    expect(truthOn({ ...rule, allow: 'docs/**' }, readme)).toBe('F');
  });
});

describe('absolute_paths', () => {
  test('follows, breaks, nothing to look at', () => {
    const rule = { use: 'absolute_paths', kinds: ['read'] };
    expect(truthOn(rule, turns(read('/workspace/shop/a.ts')))).toBe('S');
    expect(truthOn(rule, turns(read('/workspace/shop/a.ts'), read('a.ts')))).toBe('F');
    expect(truthOn(rule, turns(edit('a.ts')))).toBe('N');
    expect(truthOn({ ...rule, absolute: false }, turns(read('a.ts')))).toBe('S');
    expect(truthOn({ ...rule, absolute: false }, turns(read('/workspace/shop/a.ts')))).toBe('F');
  });
});

describe('memory_bank_read', () => {
  const bank = '.kilocode/rules/memory-bank';
  test('each file before the work begins', () => {
    const rule = { use: 'memory_bank_read', files: [`${bank}/brief.md`, `${bank}/tech.md`] };
    expect(truthOn(rule, turns(read(`${bank}/brief.md`), read(`${bank}/tech.md`), edit('a.ts')))).toBe('S');
    expect(truthOn(rule, turns(read(`${bank}/brief.md`), edit('a.ts'), read(`${bank}/tech.md`)))).toBe('F');
    expect(truthOn(rule, [{ do: [read(`${bank}/brief.md`), read(`${bank}/tech.md`)] }, { say: 'Read.' }])).toBe('S');
  });
  test('any file of the bank by default', () => {
    expect(truthOn({ use: 'memory_bank_read' }, turns(read(`${bank}/x.md`)))).toBe('S');
    expect(truthOn({ use: 'memory_bank_read' }, turns(read('src/x.md')))).toBe('F');
  });
});

test('a check of another scaffold is left out, one without a rule is unscored', () => {
  const on = build(turns(read('a.ts')));
  const none = { id: 'c', description: 'd', type: null };
  expect(verify(on, none)).toMatchObject({ verdict: 'unscored', reason: expect.stringContaining('no_judge') });
  expect(verify(on, check({ use: 'nothing' }))).toMatchObject({ verdict: 'unscored', by: 'program' });
});
