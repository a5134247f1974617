import type { Block } from '../../../wire/schema.ts';
import type { FarPart } from './part.ts';

/** Reasoning that came before a tool call, and the seal on the call itself. */
export interface Sealed {
  thinking: Extract<Block, { type: 'thinking' | 'redacted_thinking' }>[];
  signature?: string;
}

const MOST = 20_000;

/**
 * Signatures that a client's protocol has no place for, by the tool call they belong to: the provider wants them back when
 * the call's result is sent. The oldest are forgotten.
 */
export class Seals {
  readonly #byCall = new Map<string, Sealed>();

  get(call: string): Sealed | undefined {
    return this.#byCall.get(call);
  }

  /** Watches the parts of one reply. */
  watch(): (part: FarPart) => void {
    const open = new Map<string, { text: string; signature: string; redacted: string }>();
    return (part) => {
      const metadata = part.providerMetadata ?? {};
      const own = { ...metadata.anthropic, ...metadata.google };
      const signature = String(own.signature ?? own.thoughtSignature ?? '');
      if (part.type.startsWith('reasoning') && part.id !== undefined) {
        const block = open.get(part.id) ?? { text: '', signature: '', redacted: '' };
        open.set(part.id, block);
        block.text += part.delta ?? '';
        block.signature ||= signature;
        block.redacted ||= String(own.redactedData ?? '');
      }
      if (part.type !== 'tool-call' || part.toolCallId === undefined) return;
      const thinking = [...open.values()].flatMap(({ text, signature: seal, redacted }): Sealed['thinking'] =>
        redacted !== ''
          ? [{ type: 'redacted_thinking', data: redacted }]
          : seal !== ''
            ? [{ type: 'thinking', text, signature: seal }]
            : [],
      );
      this.#remember(part.toolCallId, { thinking, ...(signature !== '' && { signature }) });
    };
  }

  #remember(call: string, sealed: Sealed): void {
    if (sealed.thinking.length === 0 && sealed.signature === undefined) return;
    this.#byCall.set(call, sealed);
    const [oldest] = this.#byCall.keys();
    if (this.#byCall.size > MOST && oldest !== undefined) this.#byCall.delete(oldest);
  }
}
