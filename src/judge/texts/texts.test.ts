import { describe, expect, test } from 'vitest';
import { findEmoji } from './emoji.ts';
import { fold, undressBack, undressFront } from './fold.ts';
import { isInLanguage, languageOf } from './language.ts';
import { proseOf } from './prose.ts';
import { charCount, lineCount, paragraphCount, rowCount, sentenceCount, wordCount } from './sizes.ts';

describe('emoji', () => {
  test.each(['✅', '🎉', '⭐', '❌', '👍🏽', '🇫🇷', '1️⃣', '#️⃣', '❤️', '⚠️', '☑️', '👨‍👩‍👧', '✨'])('%s is one', (sign) => {
    expect(findEmoji(`x ${sign} y`)).toEqual({ start: 2, end: 2 + sign.length });
  });
  test.each([
    '✓',
    '✗',
    '→',
    '↔',
    '©',
    '®',
    '™',
    '1',
    '#',
    '*',
    '•',
    '☐',
    '★',
    '⚠',
    '❤',
    'あ',
    '：',
    '⌚\uFE0E',
    '═',
    '▶',
  ])('%s is none', (sign) => {
    expect(findEmoji(`x ${sign} y`)).toBeNull();
  });
  test('an exception counts with and without its variation sign', () => {
    expect(findEmoji('⚠️ 🎉', ['⚠'])).toEqual({ start: 3, end: 5 });
  });
});

describe('language', () => {
  test.each<[string, string]>([
    ['en', 'I will read the cart code first and then fix the total.'],
    ['en', 'Please fix the cart of the shop.'],
    ['zh', '我会先阅读购物车的代码，然后修复总价。'],
    ['zh', '我修改了 CartService 的 addItem 和 removeItem，并用 npm test 验证，全部通过。'],
    ['zh', '**已完成**：\n- 修复了总价的计算\n- 新增了三个单元测试'],
    ['ja', 'カートのコードを読んでから、合計を修正します。'],
    ['ko', '장바구니 코드를 먼저 읽고 합계를 수정하겠습니다.'],
    ['es', 'Voy a leer el código del carrito y luego arreglar el total.'],
    ['fr', "Je vais lire le code du panier et corriger le total, c'est tout."],
    ['de', 'Ich werde zuerst den Code des Warenkorbs lesen und dann die Summe korrigieren.'],
    ['ru', 'Сначала я прочитаю код корзины, а потом исправлю сумму.'],
    ['pt', 'Vou ler o código do carrinho e depois corrigir o total, que não é o certo.'],
  ])('%s: %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
  test.each([
    'ok',
    'Done.',
    '已完成',
    'src/cart.ts',
    '`npm test` → 0',
    '```\nconst 总价 = 计算所有商品的总价();\n```',
    'https://例子.测试/路径/文件',
  ])('%s is too little', (text) => {
    expect(languageOf(text)).toBeNull();
  });
  test('signs in code, in quotation marks and in comments do not count', () => {
    expect(languageOf('The label says “购物车里还没有任何商品哦” and that is right.')).toBe('en');
    expect(languageOf('I added this comment to the code:\n\n```py\n# 这里计算购物车的总价格\n```\n')).toBe('en');
  });
  test('identifiers do not count', () => {
    expect(languageOf('我改了 add_item_to_the_cart 和 is_it_the_one_for_you 两个函数的实现')).toBe('zh');
  });
  test('text in Latin letters without a clear language is at least not Chinese', () => {
    expect(isInLanguage('latin', ['zh'])).toBe(false);
    expect(isInLanguage('latin', ['en'])).toBeNull();
  });
});

test('prose is what remains without code, tags and addresses', () => {
  expect(fold(proseOf('Read `x` at https://a.example/b:\n~~~js\nlet a;\n~~~\nand <b>go</b> on.'))).toBe(
    'read at and go on.',
  );
  expect(fold(proseOf('- one\n    - two, nested\n\n    indented code\n'))).toBe('- one - two, nested');
});

test('ends without markdown and quotes', () => {
  expect(undressFront('**"Great!"**')).toBe('Great!"**');
  expect(undressBack('Anything else?** \n')).toBe('Anything else?');
  expect(fold('Ａ\n  b')).toBe('a b');
});

describe('sizes', () => {
  test('words', () => {
    expect(wordCount("It's a well-known fact: 3 tests.")).toBe(6);
    expect(wordCount('我修好了 the cart')).toBe(6);
    expect(wordCount('see `a b c` now')).toBe(2);
  });
  test('sentences', () => {
    expect(sentenceCount('One. Two! Three?')).toBe(3);
    expect(sentenceCount('Use e.g. this one, v1.2 of it.')).toBe(1);
    expect(sentenceCount('第一句。第二句！')).toBe(2);
    expect(sentenceCount('- item one\n- item two')).toBe(2);
    expect(sentenceCount('```\na. b. c.\n```')).toBe(0);
  });
  test('characters, lines, paragraphs, rows', () => {
    expect(charCount(' 👍a ')).toBe(2);
    expect(lineCount('a\n\nb\n')).toBe(2);
    expect(paragraphCount('a\nb\n\nc\n \nd')).toBe(3);
    expect(rowCount('| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n')).toBe(2);
    expect(rowCount('a\nb')).toBe(2);
  });
});
