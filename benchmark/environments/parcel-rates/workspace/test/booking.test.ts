import assert from 'node:assert/strict';
import { test } from 'node:test';
import { book, readOrder } from '../src/booking.ts';
import { Shipments } from '../src/shipments.ts';

const address = (postcode: string) => ({ name: 'Kaffeehaus Elbe', street: 'Am Kai 4', postcode, town: 'Ort' });
const body = { customer: 'teehaus', from: address('20095'), to: address('60311'), weightGrams: 2400, sizeCm: [40, 30, 20] };

test('an order is booked, labelled and scheduled', () => {
  const reading = readOrder(body);
  assert.ok(reading.ok);
  const shipments = new Shipments();
  const result = book(reading.order, shipments, { day: '2026-05-05', hour: 10 });
  assert.ok(result.ok);
  assert.equal(result.booking.shipment.totalCents, 1053);
  assert.deepEqual([result.booking.pickUp, result.booking.delivery], ['2026-05-05', '2026-05-06']);
  assert.match(result.booking.label[0] ?? '', /^ZONE 3 +2\.4 kg$/);
  assert.equal(shipments.open, 1);
});

test('remote destinations are scheduled as such', () => {
  const reading = readOrder({ ...body, to: address('26465') });
  assert.ok(reading.ok);
  const result = book(reading.order, new Shipments(), { day: '2026-05-05', hour: 10 });
  assert.equal(result.ok && result.booking.delivery, '2026-05-08');
});

test('all errors of an order are told at once', () => {
  const reading = readOrder({ from: address('97070'), weightGrams: 0, sizeCm: [1, 2, 3] });
  assert.deepEqual(reading, {
    ok: false,
    errors: [
      'customer is missing',
      'from.postcode 97070 is not served',
      'to is no address',
      'weightGrams is no positive whole number',
    ],
  });
});

test('a parcel that is not carried books nothing', () => {
  const reading = readOrder({ ...body, sizeCm: [251, 1, 1] });
  assert.ok(reading.ok);
  const shipments = new Shipments();
  assert.deepEqual(book(reading.order, shipments, { day: '2026-05-05', hour: 10 }), { ok: false, reason: 'too_large' });
  assert.equal(shipments.open, 0);
});
