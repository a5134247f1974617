/** A version of the words that judges are asked with. Its texts are never edited once it was used: a change is a new file. */
export interface PromptText {
  /** `verdicts-1`: stands in every verdict file. */
  id: string;
  system: string;
  /** Before the record; `{mark}` is the nonce, `{part}` is empty or says which part of a long record follows. */
  before: string;
  after: string;
  /** Before the questions. */
  ask: string;
  /** Said of the parts of a record that is too long for one request. */
  part: string;
  /** Said where the findings of the parts stand in place of the record. */
  findings: string;
  /** Before the questions that are asked a second time. */
  again: string;
}
