import { normalQuantile } from './quantile.ts';

/** One unit under observation: the time of its event, or the time up to which none was seen. */
export interface Lifetime {
  time: number;
  event: boolean;
}

/** The curve at a time at which something happened. */
export interface SurvivalStep {
  time: number;
  atRisk: number;
  events: number;
  /** Events over those at risk at this time. */
  hazard: number;
  /** Share still without an event after this time. */
  survival: number;
  low: number;
  high: number;
}

/**
 * The product-limit estimate of Kaplan and Meier (1958) at each time of an event, with Greenwood's variance on the log-log scale.
 * A unit whose observation ends at the time of an event is at risk for it.
 */
export const kaplanMeier = (lives: readonly Lifetime[], level = 0.95): SurvivalStep[] => {
  const z = normalQuantile(0.5 + level / 2);
  const sorted = [...lives].sort((a, b) => a.time - b.time);
  const steps: SurvivalStep[] = [];
  let survival = 1;
  let greenwood = 0;
  for (let from = 0; from < sorted.length; ) {
    const time = sorted[from]?.time ?? 0;
    let to = from;
    let events = 0;
    while (to < sorted.length && sorted[to]?.time === time) {
      if (sorted[to]?.event === true) events++;
      to++;
    }
    const atRisk = sorted.length - from;
    from = to;
    if (events === 0) continue;
    survival *= 1 - events / atRisk;
    if (atRisk > events) greenwood += events / (atRisk * (atRisk - events));
    const ends = survival > 0 && survival < 1;
    const width = ends ? (z * Math.sqrt(greenwood)) / Math.log(survival) : 0;
    steps.push({
      time,
      atRisk,
      events,
      hazard: events / atRisk,
      survival,
      low: ends ? survival ** Math.exp(-width) : survival,
      high: ends ? survival ** Math.exp(width) : survival,
    });
  }
  return steps;
};
