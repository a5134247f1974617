import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../src/money.ts';
import { isFinal, type Shipment, Shipments, type State, stateOf } from '../src/shipments.ts';

const address = { name: 'n', street: 's', postcode: '20095', town: 't' };
const order: Omit<Shipment, 'tracking' | 'events'> = {
  customer: 'teehaus',
  from: address,
  to: { ...address, postcode: '60311' },
  weightGrams: 2400,
  lines: [{ code: 'base', cents: cents(940) }],
  totalCents: cents(940),
};

const play = (states: readonly State[]): string[] => {
  const shipments = new Shipments();
  const { tracking } = shipments.book(order, '2026-05-04');
  return states.map((state) => {
    const result = shipments.add(tracking, { state, day: '2026-05-05', note: '' });
    return result.ok ? stateOf(result.shipment) : result.reason;
  });
};

test('numbers count up and carry the origin', () => {
  const shipments = new Shipments();
  const numbers = [0, 1].map(() => shipments.book(order, '2026-05-04').tracking);
  assert.deepEqual(numbers.map((n) => n.slice(0, 12)), ['PR2000000000', 'PR2000000001']);
  assert.equal(shipments.find(numbers[0] ?? '')?.customer, 'teehaus');
  assert.equal(shipments.find('PR'), null);
});

test('a parcel may be tried several times and ends once', () => {
  assert.deepEqual(play(['picked_up', 'in_delivery', 'in_delivery', 'delivered', 'returned']), [
    'picked_up',
    'in_delivery',
    'in_delivery',
    'delivered',
    'not_allowed',
  ]);
  assert.deepEqual(play(['delivered', 'cancelled', 'picked_up']), ['not_allowed', 'cancelled', 'not_allowed']);
  assert.deepEqual((['booked', 'delivered', 'returned', 'cancelled'] as const).map(isFinal), [false, true, true, true]);
});

test('events do not go back in time', () => {
  const shipments = new Shipments();
  const { tracking } = shipments.book(order, '2026-05-04');
  assert.deepEqual(shipments.add(tracking, { state: 'picked_up', day: '2026-05-03', note: '' }), { ok: false, reason: 'earlier_day' });
  assert.deepEqual(shipments.add('PR', { state: 'picked_up', day: '2026-05-05', note: '' }), { ok: false, reason: 'unknown_shipment' });
});

test('shipments of a month are those booked in it', () => {
  const shipments = new Shipments();
  for (const day of ['2026-04-30', '2026-05-01', '2026-05-31']) shipments.book(order, day);
  shipments.book({ ...order, customer: 'kaffeehaus' }, '2026-05-02');
  assert.equal(shipments.ofMonth('teehaus', '2026-05').length, 2);
  assert.equal(shipments.open, 4);
});
