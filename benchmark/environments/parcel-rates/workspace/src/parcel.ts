import type { SizeCm } from './weight.ts';

/** A parcel as a shop asks for it. Weight in grams, sizes in centimetres. */
export interface Parcel {
  readonly from: string;
  readonly to: string;
  readonly weightGrams: number;
  readonly sizeCm: SizeCm;
  readonly signature: boolean;
}

/** A parcel, or everything that is wrong with the request. */
export type ParcelReading = { ok: true; parcel: Parcel } | { ok: false; errors: string[] };

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const postcodeErrors = (name: string, value: unknown): string[] =>
  typeof value === 'string' && /^\d{5}$/.test(value) ? [] : [`${name} is no postcode of five digits`];

/** Reads the JSON body of a quote request: weight in whole grams, three sides in whole centimetres. */
export const readParcel = (body: unknown): ParcelReading => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, errors: ['the body is no JSON object'] };
  }
  const { from, to, weightGrams, sizeCm, signature = false } = body as Record<string, unknown>;
  const errors = [...postcodeErrors('from', from), ...postcodeErrors('to', to)];
  if (!isWhole(weightGrams)) errors.push('weightGrams is no positive whole number');
  if (!Array.isArray(sizeCm) || sizeCm.length !== 3 || !sizeCm.every(isWhole)) {
    errors.push('sizeCm is no list of three positive whole numbers');
  }
  if (typeof signature !== 'boolean') errors.push('signature is neither true nor false');
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, parcel: { from, to, weightGrams, sizeCm, signature } as Parcel };
};
