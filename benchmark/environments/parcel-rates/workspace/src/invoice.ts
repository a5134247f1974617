import { type Contract, contractOn, discount } from './contract.ts';
import { type Cents, cents, formatCents, percentOf, sum } from './money.ts';
import { type Shipment, stateOf } from './shipments.ts';
import type { Line } from './surcharges.ts';

/** One row of an invoice: what the lines of all shipments of a kind add up to, in cents. */
export interface InvoiceRow {
  readonly code: Line['code'] | 'discount';
  readonly count: number;
  readonly cents: Cents;
}

/** A customer's month, amounts in cents. */
export interface Invoice {
  readonly customer: string;
  readonly month: string;
  readonly shipments: number;
  readonly rows: readonly InvoiceRow[];
  readonly netCents: Cents;
  readonly vatCents: Cents;
  readonly grossCents: Cents;
}

const VAT_PERCENT = 19;
const ORDER: readonly InvoiceRow['code'][] = ['base', 'fuel', 'oversize', 'remote', 'signature', 'discount'];

/** Cancelled shipments cost nothing, and returned ones their full price. */
const isCharged = (shipment: Shipment): boolean => stateOf(shipment) !== 'cancelled';

const discountsOf = (shipments: readonly Shipment[], contracts: readonly Contract[]): Cents[] =>
  shipments.flatMap((shipment) => {
    const contract = contractOn(contracts, shipment.customer, shipment.events[0]?.day ?? '');
    const base = shipment.lines.find((line) => line.code === 'base');
    const amount = base === undefined ? cents(0) : discount(base.cents, contract, shipments.length);
    return amount === 0 ? [] : [amount];
  });

/** The invoice of a customer's shipments of one month (`2026-05`), in cents. The contract of the booking day counts. */
export const invoice = (
  customer: string,
  month: string,
  all: readonly Shipment[],
  contracts: readonly Contract[],
): Invoice => {
  const shipments = all.filter(isCharged);
  const amounts = new Map<InvoiceRow['code'], Cents[]>();
  for (const line of shipments.flatMap((s) => s.lines)) amounts.set(line.code, [...(amounts.get(line.code) ?? []), line.cents]);
  const discounts = discountsOf(shipments, contracts);
  if (discounts.length > 0) amounts.set('discount', discounts);
  const rows = ORDER.flatMap((code): InvoiceRow[] => {
    const found = amounts.get(code);
    return found === undefined ? [] : [{ code, count: found.length, cents: sum(found) }];
  });
  const netCents = sum(rows.map((row) => row.cents));
  const vatCents = percentOf(netCents, VAT_PERCENT);
  const grossCents = sum([netCents, vatCents]);
  return { customer, month, shipments: shipments.length, rows, netCents, vatCents, grossCents };
};

const NAMES: Readonly<Record<InvoiceRow['code'], string>> = {
  base: 'Parcels',
  fuel: 'Fuel',
  oversize: 'Oversize',
  remote: 'Remote destination',
  signature: 'Signature on delivery',
  discount: 'Contract discount',
};

const line = (name: string, amount: Cents): string => `${name.padEnd(30)}${formatCents(amount).padStart(12)}`;

/** An invoice as text, amounts with two digits. */
export const invoiceText = (bill: Invoice): string =>
  [
    `${bill.customer}, ${bill.month}: ${bill.shipments} shipment${bill.shipments === 1 ? '' : 's'}`,
    ...bill.rows.map((row) => line(`${NAMES[row.code]} (${row.count})`, row.cents)),
    line('Net', bill.netCents),
    line(`VAT ${VAT_PERCENT}%`, bill.vatCents),
    line('To pay', bill.grossCents),
  ].join('\n');
