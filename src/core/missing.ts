/** A figure that could not be computed: `null`, never 0 and never NaN. */
export type Maybe = number | null;
