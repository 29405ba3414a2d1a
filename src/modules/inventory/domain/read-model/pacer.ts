/** Longest time of work without letting other work of the event loop run, milliseconds. */
const SLICE_MS = 4;
const STEPS_BETWEEN_LOOKS = 512;

/** Cuts long work into slices: `await pacer.pause()` costs nothing until a slice is used up, then lets others run. */
export class Pacer {
  private startedAt = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.startedAt < SLICE_MS) return;
    await new Promise<void>((resume) => setImmediate(resume));
    this.startedAt = performance.now();
  }

  /** Calls `step` with 0 to `count` - 1, pausing where a slice is used up. */
  async each(count: number, step: (index: number) => void): Promise<void> {
    for (let index = 0; index < count; index++) {
      // Asking for the time costs about as much as a step.
      if (index % STEPS_BETWEEN_LOOKS === 0) await this.pause();
      step(index);
    }
  }
}
