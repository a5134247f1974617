import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explainRule, listRules, rulesTables } from './rule-docs.ts';

const PAGE = 'docs/formats/rules.md';

/** The page with its tables made anew. */
const current = (page: string): string =>
  Object.entries(rulesTables()).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- table: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`),
        (_, start: string, end: string) => `${start}${table}\n${end}`,
      ),
    page,
  );

/* OCTOBENCH_WRITE=1 writes the tables instead of comparing them. */
test('the tables of the page are those of the code', () => {
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.OCTOBENCH_WRITE === '1') writeFileSync(PAGE, current(page));
  else expect(page).toBe(current(page));
});

test('a rule is listed and explained, with its example in the core grammar', () => {
  expect(listRules().find((r) => r.name === 'commit_message')?.params).toEqual([
    { name: 'regex', required: true, description: 'pattern of the title, RE2 syntax' },
  ]);
  expect(explainRule('todo_one_active')).toMatchObject({
    expansion: { every: { todo: 'any', open: '>0' }, must: { active: 1 } },
  });
  expect(explainRule('todo_one_activ')).toContain('did you mean "todo_one_active"?');
});
