const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/;
const MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const AMOUNT = /^(\d+(?:\.\d+)?)\s*([kKMG])?$/;
const TIMES: Record<string, number> = { k: 1e3, K: 1e3, M: 1e6, G: 1e9 };

/** `90s`, `30m`, `1.5h`, `200ms` -> milliseconds; a bare number is seconds. Null when it is no duration. */
export const parseDuration = (text: string | number): number | null => {
  if (typeof text === 'number') return Number.isFinite(text) && text >= 0 ? text * 1000 : null;
  const found = DURATION.exec(text.trim());
  if (found !== null) return Number(found[1]) * (MS[found[2] ?? ''] ?? 1);
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : null;
};

/** `5M`, `300`, `1.5k` -> a number. Null when it is none. */
export const parseAmount = (text: string | number): number | null => {
  if (typeof text === 'number') return Number.isFinite(text) && text >= 0 ? text : null;
  const found = AMOUNT.exec(text.trim());
  return found === null ? null : Number(found[1]) * (found[2] === undefined ? 1 : (TIMES[found[2]] ?? 1));
};

/** Milliseconds for people: `0.8 s`, `42 s`, `3 m 05 s`, `2 h 10 m`. */
export const showDuration = (ms: number): string => {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m ${String(s % 60).padStart(2, '0')} s`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, '0')} m`;
};

/** Bytes for people: `512 B`, `83 MB`. */
export const showBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
};
