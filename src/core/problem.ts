/**
 * Something that was skipped, repaired, ambiguous, lossy or wrong, told as data.
 * A place is given by whichever of file, line, field, call and offset are known.
 */
export interface Problem {
  /** Short machine name of the kind, e.g. `duplicate_id`, `torn_tail`, `lossy_unicode`. */
  kind: string;
  severity: 'error' | 'warning' | 'info';
  message: string;
  file?: string;
  /** Line in `file`, starting at 1 (editors count so). */
  line?: number;
  /** Dotted path of the field, e.g. `checklist.SP.checks[2].check_id`. */
  field?: string;
  /** Id of the recorded call concerned. */
  call?: number;
  /** Byte offset in `file`. */
  offset?: number;
}

/** One line for people: `file:line field: message`. */
export const describeProblem = (p: Problem): string => {
  const place = [p.file, p.line === undefined ? undefined : String(p.line)].filter((x) => x !== undefined).join(':');
  const at = [place, p.field, p.call === undefined ? undefined : `call ${p.call}`].filter(
    (x) => x !== undefined && x !== '',
  );
  return `${at.length > 0 ? `${at.join(' ')}: ` : ''}${p.message}`;
};

/** Order in which people mend things: by file, then by line. */
export const byPlace = (a: Problem, b: Problem): number =>
  (a.file ?? '').localeCompare(b.file ?? '') || (a.line ?? 0) - (b.line ?? 0);
