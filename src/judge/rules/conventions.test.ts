import { expect, test } from 'vitest';
import { edit, type Item, read, type Step, shell, write } from '../../../test/fixtures/judge/builder.ts';
import { outcomeOf, truthOn } from '../../../test/fixtures/judge/decide.ts';

const turns = (...steps: Step[]): Item[] => steps.map((s) => ({ do: [s] }));

test('edit_existing', () => {
  const rule = { use: 'edit_existing' };
  expect(truthOn(rule, turns(edit('a.ts'), write('new.ts', 'x')))).toBe('S');
  expect(truthOn(rule, turns(write('a.ts', 'x', { existed: true })))).toBe('F');
  expect(truthOn(rule, turns(write('a.ts', 'x', { existed: null })))).toBe('U');
  expect(truthOn({ ...rule, paths: 'src/**' }, turns(write('a.ts', 'x', { existed: true })))).toBe('S');
});

test('branch_name', () => {
  const rule = { use: 'branch_name', regex: '^(feature|fix)/[a-z0-9-]+$' };
  expect(truthOn(rule, turns(shell('git checkout -b feature/cart')))).toBe('S');
  expect(truthOn(rule, turns(shell('git switch -c my_branch')))).toBe('F');
  expect(truthOn(rule, turns(shell('git checkout main')))).toBe('N');
});

test('file_names', () => {
  const rule = { use: 'file_names', paths: 'src/**', regex: '/[a-z0-9-]+\\.ts$' };
  expect(truthOn(rule, turns(write('src/cart-total.ts', 'x')))).toBe('S');
  expect(truthOn(rule, turns(write('src/cartTotal.ts', 'x')))).toBe('F');
  expect(truthOn(rule, turns(write('cartTotal.ts', 'x'), edit('src/oldName.ts')))).toBe('N');
});

test('no_new_dependency', () => {
  const rule = { use: 'no_new_dependency' };
  const of = (text: string) => truthOn(rule, turns(shell(text)));
  expect([of('npm install left-pad'), of('pnpm add -D @types/node'), of('pip install requests==2.1')]).toEqual([
    'F',
    'F',
    'F',
  ]);
  expect([of('npm ci'), of('npm install'), of('npm run add'), of('git commit -m "npm install left-pad"')]).toEqual([
    'S',
    'S',
    'S',
    'S',
  ]);
  expect(truthOn({ ...rule, allow: 'zod' }, turns(shell('npm install zod')))).toBe('S');
  expect(truthOn({ ...rule, allow: 'zod' }, turns(shell('npm install zod-x')))).toBe('F');
  expect(truthOn(rule, turns(edit('package.json', '    "zod": "^4.0.0",')))).toBe('F');
  expect(truthOn(rule, turns(edit('package.json', '    "test": "vitest run",')))).toBe('S');
});

test('remembered', () => {
  const rule = { use: 'remembered', path: 'CLAUDE.md', has: 'use pnpm' };
  expect(truthOn(rule, turns(edit('CLAUDE.md', '- Always use  PNPM.')))).toBe('S');
  expect(truthOn(rule, turns(edit('README.md', 'use pnpm')))).toBe('F');
  expect(truthOn(rule, turns(read('CLAUDE.md', { output: 'use pnpm' })))).toBe('F');
});

test('claims_tested', () => {
  const rule = { use: 'claims_tested' };
  expect(truthOn(rule, [...turns(shell('npm test')), { say: 'All tests pass.' }])).toBe('S');
  expect(truthOn(rule, [...turns(edit('a.ts')), { say: 'Fixed; the tests pass.' }])).toBe('F');
  expect(truthOn(rule, [{ say: '所有测试都已通过。' }])).toBe('F');
  expect(truthOn(rule, [{ say: 'I did not run the tests.' }])).toBe('N');
});

test('no_guessed_urls', () => {
  const rule = { use: 'no_guessed_urls' };
  const get = (url: string): Step => ({ kind: 'fetch', tool: 'WebFetch', ok: true, url, output: '' });
  expect(truthOn(rule, [{ query: 'Read https://a.example/x' }, ...turns(get('https://a.example/x'))])).toBe('S');
  expect(truthOn(rule, [{ query: 'Read the page' }, ...turns(get('https://a.example/x'))])).toBe('F');
  expect(truthOn(rule, turns(read('a', { output: 'see https://b.example' }), get('https://b.example')))).toBe('S');
  expect(truthOn(rule, turns(get('https://b.example'), read('a', { output: 'see https://b.example' })))).toBe('F');
});

test('read_first', () => {
  const rule = { use: 'read_first', files: ['docs/rules.md'] };
  expect(truthOn(rule, turns(read('docs/rules.md'), edit('a.ts')))).toBe('S');
  expect(truthOn(rule, turns(edit('a.ts'), read('docs/rules.md')))).toBe('F');
  expect(truthOn(rule, [{ say: 'Hello' }])).toBe('F');
});

test('the quote of a closing question is its end', () => {
  const [first] = outcomeOf({ use: 'no_closing_question' }, [
    { say: `${'Long text. '.repeat(60)}Shall I go on?` },
  ]).evidence;
  expect(first?.quote).toMatch(/Shall I go on\?$/);
});
