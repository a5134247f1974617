/** What is used of a part of the AI SDK's stream (`LanguageModelV4StreamPart`). */
export interface FarPart {
  type: string;
  id?: string;
  delta?: string;
  toolName?: string;
  toolCallId?: string;
  /** Of a `tool-call`: its arguments as text. */
  input?: unknown;
  providerMetadata?: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  finishReason?: { unified: string; raw: string | undefined };
  usage?: FarUsage;
  error?: unknown;
}

export interface FarUsage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: { total: number | undefined; reasoning: number | undefined };
}
