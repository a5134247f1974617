import type { Zone } from './zones.ts';

/* Days are `YYYY-MM-DD` strings, in the carrier's own time zone. */

/** A day of the calendar, e.g. `2026-05-01`. */
export type Day = string;

const MS_A_DAY = 24 * 60 * 60 * 1000;

const toTime = (day: Day): number => Date.parse(`${day}T00:00:00Z`);

/** The day a number of days later (or earlier, when negative). */
export const addDays = (day: Day, days: number): Day => new Date(toTime(day) + days * MS_A_DAY).toISOString().slice(0, 10);

/** Whether a text is a day of the calendar. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(toTime(text)) && addDays(text, 0) === text;

/** Day of the week, 0 = Sunday. */
export const weekday = (day: Day): number => new Date(toTime(day)).getUTCDay();

/** Easter Sunday of a year, by the anonymous Gregorian algorithm (Meeus, 1991). */
export const easter = (year: number): Day => {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  const month = String(Math.floor(f / 31)).padStart(2, '0');
  return `${year}-${month}-${String((f % 31) + 1).padStart(2, '0')}`;
};

const FIXED: readonly string[] = ['01-01', '05-01', '10-03', '12-25', '12-26'];
/** Good Friday, Easter Monday, Ascension, Whit Monday: days after Easter Sunday. */
const MOVABLE: readonly number[] = [-2, 1, 39, 50];

/** Whether a day is a public holiday in all of the country. */
export const isHoliday = (day: Day): boolean => {
  const sunday = easter(Number(day.slice(0, 4)));
  return FIXED.includes(day.slice(5)) || MOVABLE.some((days) => addDays(sunday, days) === day);
};

/** Whether parcels are picked up and delivered on a day: not on Sundays and holidays. */
export const isWorkingDay = (day: Day): boolean => weekday(day) !== 0 && !isHoliday(day);

/** The working day a number of working days after a day; with 0, the day itself or the next working day. */
export const addWorkingDays = (day: Day, days: number): Day => {
  let at = day;
  while (!isWorkingDay(at)) at = addDays(at, 1);
  for (let left = days; left > 0; left--) {
    do at = addDays(at, 1);
    while (!isWorkingDay(at));
  }
  return at;
};

/** Hour of the day up to which a parcel is picked up on the same day. */
const CUT_OFF_HOUR = 15;

/** Working days from pick-up to delivery, by zone. */
const TRANSIT: Readonly<Record<Zone, number>> = { 1: 1, 2: 1, 3: 1, 4: 2, 5: 2 };

/** Working days that remote destinations take longer. */
const REMOTE_DAYS = 2;

/** When a parcel that is booked at a day and hour (0 to 23) is picked up and delivered. */
export const schedule = (
  booked: { day: Day; hour: number },
  way: { zone: Zone; remote: boolean },
): { pickUp: Day; delivery: Day } => {
  const first = booked.hour < CUT_OFF_HOUR ? booked.day : addDays(booked.day, 1);
  const pickUp = addWorkingDays(first, 0);
  return { pickUp, delivery: addWorkingDays(pickUp, TRANSIT[way.zone] + (way.remote ? REMOTE_DAYS : 0)) };
};
