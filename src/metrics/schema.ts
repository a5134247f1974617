import type { Maybe } from '../core/missing.ts';

/** A figure with its interval; null where there is no data. */
export interface Estimate {
  value: Maybe;
  low: Maybe;
  high: Maybe;
  /** How the interval was made: `cluster_t` (clusters >= 10) or `wilson` (not clustered). */
  method: 'cluster_t' | 'wilson' | 'none';
  n: number;
  clusters: number;
}

/** ISR and CSR of one arm, as the paper defines them, and what stands beside them. A figure without data is null, never 0 or NaN. */
export interface Score {
  /** Mean over judges of the share of instances whose applicable checks all pass. */
  isr: Maybe;
  /** Mean over judges of the mean over instances of the pass share. */
  csr: Maybe;
  /** Passed over scored checks, all instances together. */
  csrPooled: Maybe;
  isrMajority: Maybe;
  isrUnanimous: Maybe;
  byJudge: Record<string, { isr: Maybe; csr: Maybe; csrPooled: Maybe }>;
  /** Sample standard deviation across judges (n - 1); null with fewer than two. */
  std: { isr: Maybe; csr: Maybe };
  counts: {
    instances: number;
    /** Instances without an ISR: nothing applicable, or something unscored. */
    excluded: number;
    checks: number;
    success: number;
    fail: number;
    notApplicable: number;
    unscored: number;
  };
  /** Share of instances that have an ISR. */
  coverage: Maybe;
  /** With unscored as fail and as success. */
  bounds: { isr: [Maybe, Maybe]; csr: [Maybe, Maybe] };
  interval: { isr: Estimate; csr: Estimate };
}
