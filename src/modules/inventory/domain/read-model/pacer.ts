/** Longest time of work without letting other work of the event loop run, milliseconds. */
const SLICE_MS = 4;

/** Cuts long work into slices: `await pacer.pause()` costs nothing until a slice is used up, then lets others run. */
export class Pacer {
  private startedAt = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.startedAt < SLICE_MS) return;
    await new Promise<void>((resume) => setImmediate(resume));
    this.startedAt = performance.now();
  }
}
