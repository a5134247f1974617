import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskOf, prepareSecrets, redact, redactBytes, redactHeaders } from './redact.ts';

const SECRET = 'sk-test/ABC+0001';
const percent = (s: string): string => encodeURIComponent(s);

test.each([
  ['plain', SECRET],
  ['percent-encoded', percent(SECRET)],
  ['percent-encoded in lower case', percent(SECRET).replace(/%../g, (x) => x.toLowerCase())],
  ['JSON with escaped slashes', SECRET.replace('/', '\\/')],
  ['base64', Buffer.from(SECRET).toString('base64')],
  ['base64 of a login', Buffer.from(`user:${SECRET}`).toString('base64')],
  ['base64url inside more', Buffer.from(`xy${SECRET}z`).toString('base64url')],
])('a secret is masked: %s', (_, form) => {
  const text = redact(`before ${form} after`, [SECRET]);
  expect(text).not.toContain(form);
  expect(text).toMatch(/^before .* after$/);
});

test('lengths stay, so that chunk boundaries of the record do', () => {
  expect(redact(`k=${SECRET};`, [SECRET])).toHaveLength(SECRET.length + 3);
  expect(maskOf(16)).toBe('[redacted]******');
  expect(maskOf(4)).toBe('****');
});

test('JSON stays JSON', () => {
  const secret = 'quo"te\\back/0001';
  const masked = redact(JSON.stringify({ a: secret, b: [`x${secret}`] }), [secret]);
  expect(JSON.parse(masked)).toEqual({ a: expect.any(String), b: [expect.any(String)] });
  expect(masked).not.toContain('te\\\\back');
});

const sse = (deltas: string[]): string =>
  deltas
    .map((text, i) => `event: content_block_delta\ndata: ${JSON.stringify({ index: 0, delta: { text }, i })}\n\n`)
    .join('');
const joined = (stream: string): string =>
  [...stream.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map((m) => JSON.parse(m[1] as string) as string).join('');

test('a secret cut over deltas is masked in each, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: SECRET.length - 1 }), { minLength: 1, maxLength: 4 }), (cuts) => {
      const at = [0, ...[...new Set(cuts)].sort((a, b) => a - b), SECRET.length];
      const parts = at.slice(1).map((end, i) => SECRET.slice(at[i], end));
      const stream = sse(['the "key"\n is ', ...parts, ', ok']);
      const masked = redact(stream, [SECRET]);
      expect(masked).toHaveLength(stream.length);
      const text = joined(masked);
      expect(text).not.toContain(SECRET);
      expect(text.startsWith('the "key"\n is ')).toBe(true);
      expect(text.endsWith(', ok')).toBe(true);
      expect(text).not.toContain(SECRET.slice(0, 4));
    }),
  );
});

test('blocks that stream in parallel are told apart by their index', () => {
  const line = (index: number, text: string): string =>
    `data: {"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"${text}"}}\n\n`;
  const stream = line(0, 'sk-test/A') + line(1, 'other') + line(0, 'BC+0001');
  const masked = redact(stream, [SECRET]);
  expect(masked).toContain('other');
  expect(masked).not.toContain('sk-test/A');
  expect(masked).not.toContain('BC+0001');
});

test('deltas with escapes are masked where they stand', () => {
  const stream = sse(['line\n\tsk-test/A', 'BC+0001 \u00e9\u4ef7 rest']);
  const text = joined(redact(stream, [SECRET]));
  expect(text).toMatch(/^line\n\t\*+\[?/u);
  expect(text).toContain('é价 rest');
});

test('text without a secret is the same text, and bytes that are no UTF-8 the same bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => redact(text.toWellFormed(), [SECRET]) === text.toWellFormed()),
  );
  const bytes = Buffer.from([0xff, 0xfe, 0, 0x80]);
  expect(redactBytes(bytes, prepareSecrets([SECRET]), 'lists')).toEqual({ bytes, redactions: 0 });
});

test('values too short to be secrets are left alone', () => {
  expect(redact('a key in a keyhole', ['key', ''])).toBe('a key in a keyhole');
});

test('key headers are hidden whole, names in lower case', () => {
  const headers: [string, string][] = [
    ['X-Api-Key', 'anything'],
    ['Set-Cookie', 's=1'],
    ['X-Note', `has ${SECRET}`],
    ['anthropic-version', '2023-06-01'],
  ];
  expect(redactHeaders(headers, prepareSecrets([SECRET]))).toEqual([
    ['x-api-key', '[redacted]'],
    ['set-cookie', '[redacted]'],
    ['x-note', `has ${maskOf(SECRET.length)}`],
    ['anthropic-version', '2023-06-01'],
  ]);
});

const CASE = new URL('../../../shared/cases/field/C35-secrets-redaction/', import.meta.url);
test.skipIf(!existsSync(CASE))('the shared case of secrets (skipped where ../shared is absent)', () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, CASE), 'utf8'));
  const input = read('input.json') as {
    known_secrets: Record<string, string>;
    exchange: { response: { sse_deltas: string[] } };
  };
  const expected = read('expected.json') as {
    must_not_occur_anywhere_in_written_files: string[];
    must_survive: string[];
  };
  const secrets = Object.values(input.known_secrets);
  const written =
    redact(JSON.stringify(input.exchange), secrets) + redact(sse(input.exchange.response.sse_deltas), secrets);
  for (const value of expected.must_not_occur_anywhere_in_written_files) expect(written).not.toContain(value);
  for (const value of expected.must_survive) expect(written).toContain(value);
  const list = JSON.parse(redact(JSON.stringify(input.exchange.response.sse_deltas), secrets)) as string[];
  expect(list.join('')).not.toContain('sk-ant-FAKE-0001');
  expect(joined(redact(sse(input.exchange.response.sse_deltas), secrets))).not.toContain('sk-ant-FAKE-0001');
});
