/**
 * Why an upstream gave no reply, or not all of it. The proxy answers it with a destroyed socket, never with a status of its own making.
 * `reason` names it in the record: `ECONNREFUSED`, `first_byte_timeout`, `idle_timeout`, ...
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly kind: 'reset' | 'timeout';
  readonly reason: string;
  constructor(kind: 'reset' | 'timeout', reason: string, cause?: unknown) {
    super(`upstream ${kind}: ${reason}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
  }
}

/** Any failure as an `UpstreamError`: what is none was a broken connection. */
export const asUpstreamError = (e: unknown): UpstreamError => {
  if (e instanceof UpstreamError) return e;
  const code = e instanceof Error ? (e as NodeJS.ErrnoException).code : undefined;
  return new UpstreamError('reset', code ?? (e instanceof Error ? e.message : String(e)), e);
};
