import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { retryDelay } from './retry-delay.ts';

const now = new Date('2026-12-01T10:00:00.000Z');

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('in %s', (zone) => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = zone;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  test.each<[headers: Record<string, string>, ms: number | null]>([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'Retry-After': ' 30 ' }, 30_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '2.5' }, 2500],
    [{ 'retry-after': 'Tue, 01 Dec 2026 10:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Tue, 01 Dec 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'Tuesday, 01-Dec-26 10:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }, 0],
    [{ 'retry-after': 'Tue Dec  1 10:00:30 2026' }, 30_000],
    [{ 'retry-after': '2026-12-01T10:00:30Z' }, null],
    [{ 'retry-after': 'Tue, 01 Foo 2026 10:00:30 GMT' }, null],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': '+3' }, null],
    [{ 'retry-after': '1e3' }, null],
    [{ 'retry-after': '0x10' }, null],
    [{ 'retry-after': '30s' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': 'NaN' }, null],
    [{ 'retry-after': 'Infinity' }, null],
    [{ 'retry-after': '' }, null],
    [{}, null],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': '-1', 'retry-after': '9' }, 9000],
    [{ 'retry-after': '99999999999' }, 2 ** 31 - 1],
    [{ 'retry-after': '9'.repeat(400) }, 2 ** 31 - 1],
  ])('%j -> %s ms', (headers, ms) => {
    expect(retryDelay(headers, now)).toBe(ms);
  });
});
