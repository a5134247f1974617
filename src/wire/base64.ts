/** Size in bytes of what a base64 text (plain or URL-safe, padded or not) stands for, without decoding it. */
export const base64Size = (text: string): number => {
  const spaces = text.match(/\s/g)?.length ?? 0;
  const padding = /(=\s*){0,2}$/.exec(text)?.[0].replace(/\s/g, '').length ?? 0;
  return Math.floor(((text.length - spaces - padding) * 3) / 4);
};

/** Media type and decoded size of a base64 `data:` URL; null for any other URL. */
export const readDataUrl = (url: string): { mediaType: string; bytes: number } | null => {
  const comma = url.indexOf(',');
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64$/i.exec(url.slice(0, Math.max(0, comma)));
  return head === null ? null : { mediaType: head[1] || 'text/plain', bytes: base64Size(url.slice(comma + 1)) };
};
