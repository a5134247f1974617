import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

const run = (...args) => spawnSync(process.execPath, ['bin/statement-lines.js', ...args], { encoding: 'utf8' });
const objects = (text) => text.trim().split('\n').map((line) => JSON.parse(line));

test('--json prints an object a booking, before or after the file', () => {
  const plain = run('test/fixtures/may.sta').stdout.trim().split('\n');
  for (const args of [['--json', 'test/fixtures/may.sta'], ['test/fixtures/may.sta', '--json']]) {
    const found = objects(run(...args).stdout);
    assert.equal(found.length, plain.length - 1);
    assert.ok(found.every((o) => Number.isInteger(o.cents) && typeof o.date === 'string'));
  }
});

test('lines that could not be read are objects too', () => {
  const dir = mkdtempSync(join(tmpdir(), 'lines-'));
  try {
    const file = join(dir, 'bad.sta');
    writeFileSync(file, ':20:X\n:61:nonsense\n:61:2605040504C1,00NTRFNONREF\n:86:one\n-\n');
    const found = objects(run('--json', file).stdout);
    assert.deepEqual(found.filter((o) => 'rejected' in o), [{ rejected: 2, reason: 'not a booking' }]);
    assert.equal(found.length, 2);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('without --json it prints what it printed', () => {
  assert.match(run('test/fixtures/may.sta').stdout, /^total /m);
});
