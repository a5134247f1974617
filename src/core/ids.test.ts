import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashedName, safeName } from './ids.ts';

test.each([
  ['cart-1', 'cart-1'],
  ['a.b_c-d', 'a.b_c-d'],
])('a safe id stays: %s', (id, name) => expect(safeName(id)).toBe(name));

test.each([
  ['upper case', 'Cart'],
  ['a slash', 'a/b'],
  ['a leading dot', '.a'],
  ['a trailing dot', 'a.'],
  ['nothing', ''],
  ['other alphabets', '订单'],
  ['too long', 'a'.repeat(64)],
  ['what looks hashed already', 'a-0123456789'],
  ['a path out', '../../etc/passwd'],
])('%s is hashed', (_, id) => expect(safeName(id)).toMatch(/^[a-z0-9][a-z0-9_.-]*-[0-9a-f]{10}$/));

test('two ids never share a name, and every name is safe for files and containers', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('A', 'a', 'a-', 'a.', 'a '))),
      (ids) => {
        const names = ids.map(safeName);
        expect(new Set(names).size).toBe(ids.length);
        for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9_.-]{0,62}$/);
      },
    ),
  );
});

test('a hashed name cannot be taken by an id that spells it', () => {
  const name = hashedName('Cart');
  expect(safeName(name)).not.toBe(name);
});
