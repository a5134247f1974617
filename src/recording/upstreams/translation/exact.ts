/** JSON with access to the text of a number (ECMAScript `JSON.parse` source text access), which the library's types lack yet. */
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}
const exactJson = JSON as unknown as ExactJson;

/**
 * Parses JSON so that `JSON.stringify` writes its numbers as they were: `1.0` and 20-digit ids are not changed on their way
 * through. Undefined when the text is no JSON.
 */
export const parseExactly = (text: string): unknown => {
  try {
    return exactJson.parse(text, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined && String(value) !== source ? exactJson.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
};
