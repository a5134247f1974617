import { book, readOrder } from './booking.ts';
import { type Day, isDay } from './calendar.ts';
import type { Contract } from './contract.ts';
import { invoice } from './invoice.ts';
import { type Shipments, STATES, type State } from './shipments.ts';
import { readTracking } from './tracking.ts';

/** What a route answers: an HTTP status and a JSON body. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What the booking routes work on. `clock` tells the day and hour (0 to 23) of the carrier. */
export interface Desk {
  readonly shipments: Shipments;
  readonly contracts: readonly Contract[];
  clock(): { day: Day; hour: number };
}

const isState = (value: unknown): value is State => STATES.some((state) => state === value);

const postBooking = (desk: Desk, body: unknown): Answer => {
  const reading = readOrder(body);
  if (!reading.ok) return { status: 400, body: { errors: reading.errors } };
  const result = book(reading.order, desk.shipments, desk.clock());
  if (result.ok) return { status: 201, body: result.booking };
  return 'errors' in result ? { status: 400, body: result } : { status: 422, body: { reason: result.reason } };
};

const getShipment = (desk: Desk, text: string): Answer => {
  const read = readTracking(text);
  const shipment = read === null ? null : desk.shipments.find(text.toUpperCase());
  return shipment === null ? { status: 404, body: { reason: 'unknown_shipment' } } : { status: 200, body: shipment };
};

const postEvent = (desk: Desk, tracking: string, body: unknown): Answer => {
  const { state, note = '' } = (body ?? {}) as Record<string, unknown>;
  if (!isState(state) || typeof note !== 'string') {
    return { status: 400, body: { errors: [`state is none of ${STATES.join(', ')}`] } };
  }
  const result = desk.shipments.add(tracking.toUpperCase(), { state, day: desk.clock().day, note });
  if (result.ok) return { status: 200, body: result.shipment };
  return { status: result.reason === 'unknown_shipment' ? 404 : 409, body: { reason: result.reason } };
};

const getInvoice = (desk: Desk, customer: string, month: string): Answer => {
  if (!isDay(`${month}-01`)) return { status: 400, body: { errors: ['month is not YYYY-MM'] } };
  return { status: 200, body: invoice(customer, month, desk.shipments.ofMonth(customer, month), desk.contracts) };
};

/** Answers the routes of bookings, shipments and invoices (amounts in cents, weights in grams); null for any other path. */
export const bookingRoute = (desk: Desk, method: string, path: string, body: unknown): Answer | null => {
  if (method === 'POST' && path === '/bookings') return postBooking(desk, body);
  const [, shipment, events] = /^\/shipments\/(\w+)(\/events)?$/.exec(path) ?? [];
  if (method === 'GET' && shipment !== undefined && events === undefined) return getShipment(desk, shipment);
  if (method === 'POST' && shipment !== undefined && events !== undefined) return postEvent(desk, shipment, body);
  const [, customer, month] = /^\/invoices\/([\w-]+)\/([\d-]+)$/.exec(path) ?? [];
  return method === 'GET' && customer !== undefined && month !== undefined ? getInvoice(desk, customer, month) : null;
};
