import { type Address, readAddress } from './address.ts';
import { type Day, schedule } from './calendar.ts';
import { type Label, labelLines } from './label.ts';
import { type Parcel, readParcel } from './parcel.ts';
import { quote, type Refusal } from './quote.ts';
import type { Shipment, Shipments } from './shipments.ts';
import { areaOf } from './zones.ts';

/** What a shop sends to book a parcel: the parcel (grams, centimetres), both addresses, its own name. */
export interface Order {
  readonly customer: string;
  readonly parcel: Parcel;
  readonly from: Address;
  readonly to: Address;
}

/** A booked parcel with its label and days. */
export interface Booking {
  readonly shipment: Shipment;
  readonly label: readonly string[];
  readonly pickUp: Day;
  readonly delivery: Day;
}

/** A booking, what is wrong with the order, or why the parcel is not carried. */
export type BookingResult =
  | { ok: true; booking: Booking }
  | { ok: false; errors: string[] }
  | { ok: false; reason: Refusal };

/** Reads the body of a booking; all errors at once. */
export const readOrder = (body: unknown): { ok: true; order: Order } | { ok: false; errors: string[] } => {
  if (typeof body !== 'object' || body === null) return { ok: false, errors: ['the body is no JSON object'] };
  const { customer, weightGrams, sizeCm, signature, ...rest } = body as Record<string, unknown>;
  const from = readAddress(rest['from'], 'from');
  const to = readAddress(rest['to'], 'to');
  const named = typeof customer === 'string' && customer.trim() !== '' ? customer.trim() : null;
  const postcodes = { from: from.ok ? from.address.postcode : '00000', to: to.ok ? to.address.postcode : '00000' };
  const parcel = readParcel({ ...postcodes, weightGrams, sizeCm, ...(signature === undefined ? {} : { signature }) });
  if (named !== null && from.ok && to.ok && parcel.ok) {
    return { ok: true, order: { customer: named, parcel: parcel.parcel, from: from.address, to: to.address } };
  }
  const errors = [
    ...(named === null ? ['customer is missing'] : []),
    ...[from, to, parcel].flatMap((reading) => (reading.ok ? [] : reading.errors)),
  ];
  return { ok: false, errors };
};

/** Books an order at a day and hour (0 to 23): price in cents, tracking number, label, days of pick-up and delivery. */
export const book = (order: Order, shipments: Shipments, at: { day: Day; hour: number }): BookingResult => {
  const priced = quote(order.parcel);
  if (!priced.ok) return priced;
  const { zone, lines, totalCents } = priced.quote;
  const { from, to, customer, parcel } = order;
  const shipment = shipments.book({ customer, from, to, weightGrams: parcel.weightGrams, lines, totalCents }, at.day);
  const label: Label = { tracking: shipment.tracking, from, to, zone, weightGrams: parcel.weightGrams, signature: parcel.signature };
  const days = schedule(at, { zone, remote: areaOf(to.postcode)?.remote ?? false });
  return { ok: true, booking: { shipment, label: labelLines(label), ...days } };
};
