/** The sum of booking lines in cents. */
export const total = (lines) => lines.reduce((sum, line) => sum + line.cents, 0);

/** Sums in cents by month (`2026-06`), in the order of the calendar. */
export const byMonth = (lines) => {
  const months = new Map();
  for (const { date, cents } of lines) {
    const month = date.slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + cents);
  }
  return Object.fromEntries([...months].sort(([a], [b]) => (a < b ? -1 : 1)));
};
