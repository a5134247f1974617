import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract } from '../src/contract.ts';
import { invoice, invoiceText } from '../src/invoice.ts';
import { cents } from '../src/money.ts';
import { type Shipment, Shipments } from '../src/shipments.ts';

const address = { name: 'n', street: 's', postcode: '20095', town: 't' };
const order: Omit<Shipment, 'tracking' | 'events'> = {
  customer: 'teehaus',
  from: address,
  to: address,
  weightGrams: 2400,
  lines: [
    { code: 'base', cents: cents(1_000) },
    { code: 'fuel', cents: cents(120) },
  ],
  totalCents: cents(1_120),
};
const contract: Contract = { customer: 'teehaus', from: '2026-01-01', until: '2027-01-01', tiers: [{ fromParcels: 2, percent: 10 }] };

const month = (bookings: number): Shipment[] => {
  const shipments = new Shipments();
  for (let i = 0; i < bookings; i++) shipments.book(order, '2026-05-04');
  return shipments.ofMonth('teehaus', '2026-05');
};

test('rows, tax and total', () => {
  const bill = invoice('teehaus', '2026-05', month(1), [contract]);
  assert.deepEqual(bill.rows, [
    { code: 'base', count: 1, cents: 1000 },
    { code: 'fuel', count: 1, cents: 120 },
  ]);
  assert.deepEqual([bill.netCents, bill.vatCents, bill.grossCents], [1120, 213, 1333]);
});

test('a discount is on the base price of every parcel once the tier is reached', () => {
  const bill = invoice('teehaus', '2026-05', month(2), [contract]);
  assert.deepEqual(bill.rows.at(-1), { code: 'discount', count: 2, cents: -200 });
  assert.equal(bill.netCents, 2040);
});

test('cancelled shipments are free and do not count for the tier', () => {
  const shipments = new Shipments();
  const { tracking } = shipments.book(order, '2026-05-04');
  shipments.book(order, '2026-05-04');
  shipments.add(tracking, { state: 'cancelled', day: '2026-05-04', note: '' });
  const bill = invoice('teehaus', '2026-05', shipments.ofMonth('teehaus', '2026-05'), [contract]);
  assert.equal(bill.shipments, 1);
  assert.equal(bill.netCents, 1120);
});

test('a month without shipments is an invoice of nothing', () => {
  const bill = invoice('teehaus', '2026-05', [], [contract]);
  assert.deepEqual([bill.rows, bill.grossCents], [[], 0]);
});

test('the text shows every row', () => {
  const text = invoiceText(invoice('teehaus', '2026-05', month(2), [contract]));
  assert.match(text, /^teehaus, 2026-05: 2 shipments\n/);
  assert.match(text, /Contract discount \(2\) +-2\.00/);
  assert.match(text, /To pay +24\.28$/);
});
