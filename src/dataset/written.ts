import { type Document, isScalar, type ParsedNode, parseDocument, visit } from 'yaml';

const RULES: ReadonlySet<unknown> = new Set(['verify', 'when', 'observed']);

/**
 * The value of a YAML 1.2 text whose strings are as written: outside rules (`verify`, `when`, `observed`) a plain `007`, `1e3` or
 * `true` is the text of an id or a sentence, never a number. Only an empty value or `null` is null. Throws on a syntax error.
 */
export const readAsWritten = (text: string): unknown => {
  const document: Document<ParsedNode> = parseDocument(text.replace(/^\uFEFF/, ''), { version: '1.2', schema: 'core' });
  visit(document, {
    Pair: (_, pair) => (isScalar(pair.key) && RULES.has(pair.key.value) ? visit.SKIP : undefined),
    Scalar: (_, scalar) => {
      if (typeof scalar.value !== 'string' && scalar.value !== null && scalar.source !== undefined) {
        scalar.value = scalar.source;
      }
    },
  });
  return document.toJS({ maxAliasCount: 100 });
};
