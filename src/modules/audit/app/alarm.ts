export interface AlarmLog {
  log(message: string): void;
  error(message: string): void;
}

/** Something that is watched: one line when it goes beyond what is allowed, one when it is over. */
export class Alarm {
  private raised = false;

  constructor(
    private readonly name: string,
    private readonly limit: number,
    private readonly unit: string,
    private readonly log: AlarmLog,
  ) {}

  get isRaised(): boolean {
    return this.raised;
  }

  /** @param value in the unit of the limit */
  watch(value: number): void {
    const beyond = value >= this.limit;
    if (beyond === this.raised) return;
    this.raised = beyond;
    if (beyond) this.log.error(`ALARM ${this.name}: ${value.toFixed(1)} ${this.unit}, allowed are ${this.limit}`);
    else this.log.log(`${this.name}: within ${this.limit} ${this.unit} again`);
  }
}
