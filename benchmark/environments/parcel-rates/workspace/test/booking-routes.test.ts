import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingRoute, type Desk } from '../src/booking-routes.ts';
import { Shipments } from '../src/shipments.ts';

const address = (postcode: string) => ({ name: 'Kaffeehaus Elbe', street: 'Am Kai 4', postcode, town: 'Ort' });
const order = { customer: 'teehaus', from: address('20095'), to: address('60311'), weightGrams: 2400, sizeCm: [40, 30, 20] };
const desk = (): Desk => ({ shipments: new Shipments(), contracts: [], clock: () => ({ day: '2026-05-05', hour: 9 }) });

const bookOne = (at: Desk): string => {
  const answer = bookingRoute(at, 'POST', '/bookings', order);
  assert.equal(answer?.status, 201);
  return (answer?.body as { shipment: { tracking: string } }).shipment.tracking;
};

test('a booking can be followed to its end', () => {
  const at = desk();
  const tracking = bookOne(at);
  const event = (state: string): number | undefined => bookingRoute(at, 'POST', `/shipments/${tracking}/events`, { state })?.status;
  assert.deepEqual(['picked_up', 'in_delivery', 'delivered', 'returned'].map(event), [200, 200, 200, 409]);
  const found = bookingRoute(at, 'GET', `/shipments/${tracking.toLowerCase()}`, undefined);
  assert.equal((found?.body as { events: unknown[] }).events.length, 4);
});

test('what is not known is 404, a wrong state 400', () => {
  const at = desk();
  assert.equal(bookingRoute(at, 'GET', '/shipments/PR20000000000', undefined)?.status, 404);
  assert.equal(bookingRoute(at, 'POST', '/shipments/PR200000000X/events', { state: 'delivered' })?.status, 404);
  assert.equal(bookingRoute(at, 'POST', `/shipments/${bookOne(at)}/events`, { state: 'lost' })?.status, 400);
  assert.equal(bookingRoute(at, 'POST', `/shipments/${bookOne(at)}/events`, null)?.status, 400);
});

test('orders that are none, and parcels that are not carried', () => {
  assert.equal(bookingRoute(desk(), 'POST', '/bookings', {})?.status, 400);
  const large = bookingRoute(desk(), 'POST', '/bookings', { ...order, sizeCm: [251, 1, 1] });
  assert.deepEqual(large, { status: 422, body: { reason: 'too_large' } });
});

test('the invoice of a month', () => {
  const at = desk();
  bookOne(at);
  const bill = bookingRoute(at, 'GET', '/invoices/teehaus/2026-05', undefined);
  assert.equal((bill?.body as { netCents: number }).netCents, 1053);
  assert.equal(bookingRoute(at, 'GET', '/invoices/teehaus/2026-13', undefined)?.status, 400);
});

test('other paths are left to the service', () => {
  assert.equal(bookingRoute(desk(), 'GET', '/health', undefined), null);
  assert.equal(bookingRoute(desk(), 'DELETE', '/shipments/PR20000000000', undefined), null);
});
