import { areaOf } from './zones.ts';

/** Where a parcel goes, or comes from. */
export interface Address {
  readonly name: string;
  readonly street: string;
  readonly postcode: string;
  readonly town: string;
}

/** An address, or everything that is wrong with it. */
export type AddressReading = { ok: true; address: Address } | { ok: false; errors: string[] };

/** The most characters of a line that the label printer can print. */
const MAX_CHARACTERS = 40;

const FIELDS = ['name', 'street', 'postcode', 'town'] as const;

/** One space between words, none around. */
export const tidy = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();

const fieldErrors = (field: string, value: unknown): string[] => {
  if (typeof value !== 'string' || tidy(value) === '') return [`${field} is missing`];
  if (tidy(value).length > MAX_CHARACTERS) return [`${field} has more than ${MAX_CHARACTERS} characters`];
  return /\p{Cc}/u.test(value) ? [`${field} has control characters`] : [];
};

/** Reads an address of a request; `label` begins every error. */
export const readAddress = (body: unknown, label: string): AddressReading => {
  if (typeof body !== 'object' || body === null) return { ok: false, errors: [`${label} is no address`] };
  const fields = body as Record<string, unknown>;
  const errors = FIELDS.flatMap((field) => fieldErrors(`${label}.${field}`, fields[field]));
  if (errors.length > 0) return { ok: false, errors };
  const [name = '', street = '', postcode = '', town = ''] = FIELDS.map((field) => tidy(String(fields[field])));
  if (areaOf(postcode) === null) return { ok: false, errors: [`${label}.postcode ${postcode} is not served`] };
  return { ok: true, address: { name, street, postcode, town } };
};

/** The lines of an address as they stand on a label. */
export const addressLines = ({ name, street, postcode, town }: Address): string[] => [name, street, `${postcode} ${town}`];
