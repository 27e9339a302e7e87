/** What is said to the processor of the worklet. */
export interface ToWorklet {
  play?: Float32Array;
  isPaused?: boolean;
  /** Forget what waits; what is told of later plays carries this number. */
  clear?: number;
  isOver?: true;
}

/** And what it says. */
export interface FromWorklet {
  captured?: Float32Array;
  played?: number;
  /** The number of the last `clear`. */
  since?: number;
}

export const PROCESSOR = "abl-voice";
