import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, addWorkingDays, easter, isDay, isHoliday, isWorkingDay, schedule, weekday } from '../src/calendar.ts';

test('days are days of the calendar', () => {
  assert.equal(isDay('2024-02-29'), true);
  for (const text of ['2026-02-29', '2026-13-01', '26-01-01', '2026-1-1', '']) assert.equal(isDay(text), false, text);
  assert.equal(addDays('2026-02-28', 1), '2026-03-01');
  assert.equal(addDays('2026-01-01', -1), '2025-12-31');
  assert.equal(weekday('2026-05-03'), 0);
});

test('easter', () => {
  assert.deepEqual([2024, 2025, 2026, 2027, 2038].map(easter), ['2024-03-31', '2025-04-20', '2026-04-05', '2027-03-28', '2038-04-25']);
});

test('holidays, fixed and movable', () => {
  for (const day of ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-14', '2026-05-25', '2026-10-03', '2026-12-26']) {
    assert.equal(isHoliday(day), true, day);
  }
  assert.equal(isHoliday('2026-04-05'), false);
  assert.equal(isHoliday('2026-12-24'), false);
});

test('saturdays are working days, sundays are not', () => {
  assert.equal(isWorkingDay('2026-05-02'), true);
  assert.equal(isWorkingDay('2026-05-03'), false);
});

test('working days skip sundays and holidays', () => {
  assert.equal(addWorkingDays('2026-05-03', 0), '2026-05-04');
  assert.equal(addWorkingDays('2026-04-02', 1), '2026-04-04');
  assert.equal(addWorkingDays('2026-04-04', 1), '2026-04-07');
});

test('after the cut-off a parcel is picked up on the next working day', () => {
  const way = { zone: 3, remote: false } as const;
  assert.deepEqual(schedule({ day: '2026-05-05', hour: 14 }, way), { pickUp: '2026-05-05', delivery: '2026-05-06' });
  assert.deepEqual(schedule({ day: '2026-05-05', hour: 15 }, way), { pickUp: '2026-05-06', delivery: '2026-05-07' });
  assert.deepEqual(schedule({ day: '2026-05-02', hour: 18 }, way), { pickUp: '2026-05-04', delivery: '2026-05-05' });
});

test('far and remote destinations take longer', () => {
  const booked = { day: '2026-05-05', hour: 9 };
  assert.equal(schedule(booked, { zone: 4, remote: false }).delivery, '2026-05-07');
  assert.equal(schedule(booked, { zone: 5, remote: true }).delivery, '2026-05-09');
});
