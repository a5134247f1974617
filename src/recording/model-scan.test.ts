import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelScanner } from './model-scan.ts';

const find = (body: Buffer, size: number = body.length): string | null => {
  const scanner = new ModelScanner();
  for (let at = 0; at < body.length; at += size) {
    const found = scanner.push(body.subarray(at, at + size));
    if (found !== null) {
      expect(JSON.parse(body.subarray(found.start, found.end).toString())).toBe(found.name);
      return found.name;
    }
  }
  return null;
};

test.each<[string, string | null]>([
  ['{"model":"m"}', 'm'],
  [' {\n "messages": [{"model": "nested"}], "model" : "m" }', 'm'],
  ['{"a":{"model":"x"},"b":["model","y"],"model":"m","model":"n"}', 'm'],
  ['{"text":"\\"model\\":\\"x\\"","model":"m"}', 'm'],
  ['{"x":"model","model":"m"}', 'm'],
  ['{"model":"\\u0061/\\"b\\""}', 'a/"b"'],
  ['{"mod\\u0065l":"m"}', 'm'],
  ['{"model":7,"other":"x"}', null],
  ['{"model":null}', null],
  ['["model","x"]', null],
  ['{"messages":[]}', null],
  ['', null],
  ['no json', null],
])('%s', (text, model) => {
  for (const size of [1, 2, 3, 7, 1000]) expect(find(Buffer.from(text), size)).toBe(model);
});

test('the top-level model of any JSON object is found, cut anywhere', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), value),
      fc.string({ minLength: 1 }),
      fc.dictionary(fc.string(), value),
      fc.integer({ min: 1, max: 20 }),
      (before, name, after, size) => {
        const { model: _a, ...head } = before;
        const { model: _b, ...tail } = after;
        const body = Buffer.from(JSON.stringify({ ...head, model: name.toWellFormed(), ...tail }));
        expect(find(body, size)).toBe(name.toWellFormed());
      },
    ),
  );
});
