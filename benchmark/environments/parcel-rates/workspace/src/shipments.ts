import type { Address } from './address.ts';
import type { Day } from './calendar.ts';
import type { Cents } from './money.ts';
import type { Line } from './surcharges.ts';
import { trackingNumber } from './tracking.ts';

/** Where a shipment can be. */
export const STATES = ['booked', 'picked_up', 'in_delivery', 'delivered', 'returned', 'cancelled'] as const;
/** One of the states of a shipment. */
export type State = (typeof STATES)[number];

/** A change of state on a day. */
export interface ShipmentEvent {
  readonly state: State;
  readonly day: Day;
  readonly note: string;
}

/** A parcel on its way. Amounts in cents, weight in grams. */
export interface Shipment {
  readonly tracking: string;
  readonly customer: string;
  readonly from: Address;
  readonly to: Address;
  readonly weightGrams: number;
  readonly lines: readonly Line[];
  readonly totalCents: Cents;
  readonly events: readonly ShipmentEvent[];
}

/** States that may follow a state. */
const NEXT: Readonly<Record<State, readonly State[]>> = {
  booked: ['picked_up', 'cancelled'],
  picked_up: ['in_delivery', 'returned'],
  in_delivery: ['delivered', 'in_delivery', 'returned'],
  delivered: [],
  returned: [],
  cancelled: [],
};

/** Why an event was refused. */
export type EventRefusal = 'unknown_shipment' | 'not_allowed' | 'earlier_day';

/** The present state of a shipment. */
export const stateOf = (shipment: Shipment): State => shipment.events.at(-1)?.state ?? 'booked';

/** Whether a state is the last one of a shipment. */
export const isFinal = (state: State): boolean => NEXT[state].length === 0;

/** All shipments of the service, in memory; serial numbers count up from 0. */
export class Shipments {
  readonly #byTracking = new Map<string, Shipment>();
  #serial = 0;

  /** Books a shipment on a day and gives it its tracking number. Amounts in cents, weight in grams. */
  book(order: Omit<Shipment, 'tracking' | 'events'>, day: Day): Shipment {
    const tracking = trackingNumber(order.from.postcode.slice(0, 2), this.#serial);
    this.#serial += 1;
    const shipment: Shipment = { ...order, tracking, events: [{ state: 'booked', day, note: '' }] };
    this.#byTracking.set(tracking, shipment);
    return shipment;
  }

  /** A shipment by its tracking number; null when there is none. */
  find(tracking: string): Shipment | null {
    return this.#byTracking.get(tracking) ?? null;
  }

  /** Adds an event; the reason when it is refused. */
  add(tracking: string, event: ShipmentEvent): { ok: true; shipment: Shipment } | { ok: false; reason: EventRefusal } {
    const shipment = this.find(tracking);
    if (shipment === null) return { ok: false, reason: 'unknown_shipment' };
    if (!NEXT[stateOf(shipment)].includes(event.state)) return { ok: false, reason: 'not_allowed' };
    const last = shipment.events.at(-1);
    if (last !== undefined && event.day < last.day) return { ok: false, reason: 'earlier_day' };
    const changed = { ...shipment, events: [...shipment.events, event] };
    this.#byTracking.set(tracking, changed);
    return { ok: true, shipment: changed };
  }

  /** Shipments of a customer that were booked in a month (`2026-05`), oldest first. */
  ofMonth(customer: string, month: string): Shipment[] {
    return [...this.#byTracking.values()].filter((s) => s.customer === customer && s.events[0]?.day.startsWith(`${month}-`));
  }

  /** Number of shipments that have not come to their end. */
  get open(): number {
    return [...this.#byTracking.values()].filter((s) => !isFinal(stateOf(s))).length;
  }
}
