import { describe, expect, test } from 'vitest';
import {
  ask,
  edit,
  finish,
  type Item,
  read,
  run,
  subagent,
  todos,
  write,
} from '../../../test/fixtures/judge/builder.ts';
import { outcomeOf, truthOn } from '../../../test/fixtures/judge/decide.ts';

const said = (...texts: string[]): Item[] => texts.map((say) => ({ say }));

describe('no_emoji', () => {
  const rule = { use: 'no_emoji' };
  test('follows, breaks', () => {
    expect(truthOn(rule, said('All 12 tests pass ✓ → done ©'))).toBe('S');
    expect(truthOn(rule, said('Fine.', 'All tests pass ✅'))).toBe('F');
    expect(truthOn(rule, [{ do: [finish('Done 🎉')] }])).toBe('F');
  });
  test('an emoji in a file that was only read, or only written, is not said', () => {
    expect(truthOn(rule, [{ do: [read('a.md', { output: '🎉🎉' })] }])).toBe('S');
    expect(truthOn(rule, [{ do: [write('a.md', '🎉')] }])).toBe('S');
    expect(truthOn({ ...rule, files: true }, [{ do: [read('a.md', { output: '🎉' })] }])).toBe('S');
  });
  test('files, and those of some globs', () => {
    expect(truthOn({ ...rule, files: true }, [{ do: [write('a.md', 'x\n🎉')] }])).toBe('F');
    expect(truthOn({ ...rule, files: true }, [{ do: [edit('a.md', 'new 🎉 line')] }])).toBe('F');
    expect(truthOn({ ...rule, files: 'docs/**' }, [{ do: [write('a.md', '🎉')] }])).toBe('S');
    expect(truthOn({ ...rule, files: 'docs/**' }, [{ do: [write('docs/a.md', '🎉')] }])).toBe('F');
  });
  test('what is excepted', () => {
    expect(truthOn({ ...rule, except: ['⚠️'] }, said('⚠ ⚠️ careful'))).toBe('S');
    expect(truthOn({ ...rule, except: ['⚠️'] }, said('⚠️ 🎉'))).toBe('F');
  });
  test('reasoning is not said', () => {
    expect(truthOn(rule, [{ think: '🎉', say: 'Done' }])).toBe('S');
  });
  test('the quote shows it', () => {
    const [first] = outcomeOf(rule, said(`${'word '.repeat(200)}🎉 end`)).evidence;
    expect(first?.quote).toContain('🎉');
    expect(first?.quote?.length).toBeLessThanOrEqual(160);
  });
});

describe('reply_language', () => {
  const rule = { use: 'reply_language', is: { same_as: 'query' } };
  const zh = '我会先阅读购物车的代码，然后修复这个问题。';
  const en = 'I will read the code of the cart first and then fix it.';
  test('follows and breaks, in both languages', () => {
    expect(truthOn(rule, [{ query: '请修复购物车' }, { say: zh }])).toBe('S');
    expect(truthOn(rule, [{ query: '请修复购物车' }, { say: en }])).toBe('F');
    expect(truthOn(rule, [{ query: 'Please fix the cart' }, { say: en }])).toBe('S');
    expect(truthOn(rule, [{ query: 'Please fix the cart' }, { say: zh }])).toBe('F');
  });
  test('Han signs only in code, in quotes and in paths do not make a text Chinese', () => {
    const say = `${en} The label is \`购物车已经被清空了请重新添加\`.\n\n\`\`\`ts\n// 购物车里面的所有商品都会在这里被处理\n\`\`\`\n`;
    expect(truthOn(rule, [{ query: 'Please fix the cart' }, { say }])).toBe('S');
    expect(truthOn({ ...rule, is: 'zh' }, [{ say }])).toBe('F');
  });
  test('names of things do not make a Chinese text English', () => {
    const say = '我在 CartService 里修改了 addItem 方法，并运行了 npm test，全部通过。';
    expect(truthOn({ ...rule, is: 'zh' }, [{ say }])).toBe('S');
  });
  test('too little to tell is passed over; one of ten may slip', () => {
    expect(truthOn(rule, [{ query: '请修复购物车' }, { say: 'Done.' }])).toBe('N');
    expect(
      truthOn(rule, [{ query: '请修复购物车' }, ...Array.from({ length: 9 }, () => ({ say: zh })), { say: en }]),
    ).toBe('S');
    expect(
      truthOn(rule, [{ query: '请修复购物车' }, ...Array.from({ length: 8 }, () => ({ say: zh })), { say: en }]),
    ).toBe('F');
  });
  test('a later query in another language changes it, a bare "ok" does not', () => {
    expect(
      truthOn(rule, [{ query: '请修复购物车' }, { say: zh }, { query: 'Now explain it to me' }, { say: en }]),
    ).toBe('S');
    expect(truthOn(rule, [{ query: '请修复购物车' }, { say: zh }, { query: 'ok' }, { say: zh }])).toBe('S');
  });
});

describe('openers, closing questions, colons', () => {
  test('forbidden_openers', () => {
    const rule = { use: 'forbidden_openers' };
    expect(truthOn(rule, said('The cart is fixed.', 'Greatest common divisor added.'))).toBe('S');
    expect(truthOn(rule, said('**Great!** Now the tests.'))).toBe('F');
    expect(truthOn(rule, said('I am sure. Okay, done.'))).toBe('S');
    expect(truthOn({ ...rule, words: '好的' }, said('好的，我来修复'))).toBe('F');
    expect(truthOn(rule, [{ do: [finish('Sure, here it is.')] }])).toBe('F');
  });
  test('no_closing_question', () => {
    const rule = { use: 'no_closing_question' };
    expect(truthOn(rule, said('Shall I look?', 'It is done.'))).toBe('S');
    expect(truthOn(rule, said('It is done. **Anything else?**'))).toBe('F');
    expect(truthOn(rule, said('还需要别的吗？'))).toBe('F');
    expect(truthOn(rule, [{ do: [finish('Done. Would you like more?')] }])).toBe('F');
    expect(truthOn(rule, [{ do: [ask('Which one?')] }])).toBe('S');
    expect(truthOn(rule, [{ query: 'a' }, { say: 'Done?' }, { query: 'b' }, { say: 'Done.' }])).toBe('F');
  });
  test('no_colon_before_call', () => {
    const rule = { use: 'no_colon_before_call' };
    expect(truthOn(rule, [{ say: 'I read the file.', do: [read('a.ts')] }, { say: 'These remain:' }])).toBe('S');
    expect(truthOn(rule, [{ say: 'Let me read the file:', do: [read('a.ts')] }])).toBe('F');
    expect(truthOn(rule, [{ say: '先读文件：', do: [read('a.ts')] }])).toBe('F');
  });
});

describe('no_leak', () => {
  const rule = { use: 'no_leak' };
  const reminder = 'The TodoWrite tool has not been used recently. If you are working on tasks, consider using it.';
  const given: Item = { given: 'system_reminder', text: `<system-reminder>\n${reminder}\n</system-reminder>` };
  test('names it, in either language', () => {
    expect(truthOn(rule, [given, ...said('The cart is fixed.')])).toBe('S');
    expect(truthOn(rule, said('As the system-reminder says, I go on.'))).toBe('F');
    expect(truthOn(rule, said('根据系统提醒，我继续。'))).toBe('F');
    expect(truthOn(rule, said('I set a reminder in the system.'))).toBe('S');
  });
  test('repeats forty characters of it', () => {
    expect(truthOn(rule, [given, ...said(`I was told: ${reminder.toUpperCase()}`)])).toBe('F');
    expect(truthOn(rule, [given, ...said('The TodoWrite tool is useful.')])).toBe('S');
  });
  test('its own todo list, repeated by a reminder, is no secret', () => {
    const item = 'Add up the totals of every cart in the shop again';
    const list: Item = { do: [todos([item, 'in_progress'])] };
    const nag: Item = { given: 'system_reminder', text: `Your todo list: 1. ${item}` };
    expect(truthOn(rule, [list, nag, ...said(`I now do this: ${item}.`)])).toBe('S');
    expect(truthOn(rule, [nag, ...said(`I now do this: ${item}.`)])).toBe('F');
  });
  test('what a file, a result or the user said as well is no leak', () => {
    expect(truthOn(rule, [given, { do: [read('a.md', { output: reminder })] }, ...said(reminder)])).toBe('S');
    expect(truthOn(rule, [{ query: `Explain: ${reminder}` }, given, ...said(reminder)])).toBe('S');
  });
});

describe('final_text', () => {
  test('exactly, by pattern, by size', () => {
    expect(truthOn({ use: 'final_text', equals: 'DONE' }, said('Working.', ' DONE\n'))).toBe('S');
    expect(truthOn({ use: 'final_text', equals: 'DONE' }, said('DONE', 'All is DONE'))).toBe('F');
    expect(truthOn({ use: 'final_text', sentences: '<=2' }, said('One. Two.'))).toBe('S');
    expect(truthOn({ use: 'final_text', sentences: '<=2' }, said('One. Two, e.g. this. Three.'))).toBe('F');
    expect(truthOn({ use: 'final_text', words: '<=5' }, said('我修好了它。'))).toBe('S');
    expect(truthOn({ use: 'final_text', words: '<=5' }, said('我已经修好了购物车。'))).toBe('F');
    expect(truthOn({ use: 'final_text', regex: '^ok' }, said('ok then'))).toBe('S');
    expect(truthOn({ use: 'final_text', equals: 'DONE' }, [{ do: [read('a.ts')] }])).toBe('N');
  });
});

describe('no_questions', () => {
  test('by tool and by text', () => {
    expect(truthOn({ use: 'no_questions' }, said('Is it this? Yes, it is.'))).toBe('S');
    expect(truthOn({ use: 'no_questions' }, [{ do: [ask('Which?')] }, ...said('Done.')])).toBe('F');
    expect(truthOn({ use: 'no_questions' }, said('Shall I go on?'))).toBe('F');
    expect(truthOn({ use: 'no_questions', tool_only: true }, said('Shall I go on?'))).toBe('S');
  });
});

test('no_time_estimates', () => {
  const rule = { use: 'no_time_estimates' };
  for (const text of [
    'This should take about 2-3 days.',
    '预计需要 3 小时完成。',
    '### Week 1-2: models',
    '1. Refactor the cart (2 hours)',
    '大约几天可以完成',
  ]) {
    expect(truthOn(rule, said(text)), text).toBe('F');
  }
  for (const text of [
    'The cache lives for 10 minutes.',
    'The tests ran in 3 seconds.',
    '1. Read the file\n2. Fix it',
    '我先阅读两个文件。',
    'Sessions expire after 7 days.',
  ]) {
    expect(truthOn(rule, said(text)), text).toBe('S');
  }
});

test('prohibitions look at subagents too', () => {
  const rule = { use: 'no_emoji' };
  expect(truthOn(rule, [{ do: [subagent('Explore', said('Found 🎉'))] }])).toBe('F');
  expect(truthOn(rule, [{ do: [run({ name: 'echo', args: ['🎉'] })] }])).toBe('S');
});
