import { expect, test } from 'vitest';
import { clusteredRows } from '../../test/fixtures/metrics/simulate.ts';
import { seeded } from '../stats/random.ts';
import { score } from './score.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';

const coverage = (clusters: number, rate: number, icc: number, simulations: number): number => {
  const random = seeded(`${clusters} ${rate} ${icc}`);
  let covered = 0;
  for (let s = 0; s < simulations; s++) {
    const { low, high } = score(clusteredRows(random, clusters, 6, rate, icc)).interval.isr;
    if (low !== null && high !== null && low <= rate && rate <= high) covered++;
  }
  return covered / simulations;
};

const CELLS = [0.1, 0.3].flatMap((icc) => [0.1, 0.3, 0.8].map((rate) => [icc, rate] as const));

test.each(CELLS.map(([icc, rate]) => ({ icc, rate })))(
  'at 34 clusters of 6, intra-class correlation $icc and rate $rate the interval covers 93 to 97 per cent',
  ({ icc, rate }) => {
    const simulations = LONG ? 2000 : 120;
    const share = coverage(34, rate, icc, simulations);
    const slack = LONG ? 0 : 0.05; // 120 simulations have a standard error of 2 points
    expect(share).toBeGreaterThanOrEqual(0.93 - slack);
    expect(share).toBeLessThanOrEqual(0.97 + slack);
  },
  60_000,
);

test.runIf(LONG)(
  'what is covered at 8 clusters, where the interval is Wilson on instances',
  () => {
    const lines = CELLS.map(
      ([icc, rate]) => `icc ${icc} rate ${rate}: ${(100 * coverage(8, rate, icc, 2000)).toFixed(1)}%`,
    );
    console.log(`coverage at 8 clusters of 6\n${lines.join('\n')}`);
    expect(lines).toHaveLength(6);
  },
  60_000,
);
