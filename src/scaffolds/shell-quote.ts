const PLAIN = /^[A-Za-z0-9_./:=@%^,+-]+$/;

/** A word as a POSIX shell reads it back: as it is where it is plain, else in single quotes. */
export const quoteShell = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
