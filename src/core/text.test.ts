import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine, printable } from './text.ts';

test('terminal escapes, direction marks and lone surrogates become visible', () => {
  expect(printable('a\u001b[31mb')).toBe('a\\u{1b}[31mb');
  expect(printable('a\u202eb')).toBe('a\\u{202e}b');
  expect(printable('tab\tand\nline')).toBe('tab\tand\nline');
  expect(printable('\ud800')).toBe('\ufffd');
});

test('no text moves the cursor of the terminal it is printed to', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
      expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(oneLine(text, 40).length).toBeLessThanOrEqual(40);
      expect(oneLine(text)).not.toMatch(/\n/);
    }),
  );
});
