/** Three sides of a parcel in whole centimetres, in any order. */
export type SizeCm = readonly [number, number, number];

/** Grams to which billable weight is rounded up. */
const STEP_GRAMS = 100;
/** Cubic centimetres that count as one gram. */
const CM3_PER_GRAM = 5;

/** Volumetric weight in grams, not rounded. */
export const volumetricGrams = ([a, b, c]: SizeCm): number => (a * b * c) / CM3_PER_GRAM;

/** The weight in grams that is charged: the larger of actual (grams) and volumetric weight, rounded up to 100 g. */
export const billableGrams = (actualGrams: number, size: SizeCm): number =>
  Math.ceil(Math.max(actualGrams, volumetricGrams(size)) / STEP_GRAMS) * STEP_GRAMS;

/** The longest side in centimetres. */
export const longestCm = (size: SizeCm): number => Math.max(...size);
