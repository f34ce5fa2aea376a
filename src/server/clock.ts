/** Time as a service. Nothing else on the server asks the system what time it is. */
export interface Clock {
  /** Epoch milliseconds; may jump when the system's clock is set. */
  now(): number;
  /** Milliseconds since some fixed moment; never jumps. For durations. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};
