/** The path alone: no query, no trailing slash. */
export const pathOf = (path: string): string => path.replace(/[?#].*$/, '').replace(/(?<=[^/])\/+$/, '');
