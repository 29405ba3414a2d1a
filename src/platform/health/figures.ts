/** A figure of one process, named as Prometheus names them: base units, unit last. */
export interface Figure {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** Null is unknown, and left out: unknown is never zero (decision record 0002). */
  readonly value: number | null;
}

/** Port: measures figures when they are asked for. Never of a tenant: whoever probes a process may read them. */
export interface FigureSource {
  figures(): Promise<readonly Figure[]>;
}

export const FIGURE_SOURCES = Symbol('FigureSources');

/** Text format of Prometheus, version 0.0.4. */
export const FIGURES_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function figuresText(figures: readonly Figure[]): string {
  return figures
    .flatMap(({ name, help, type, value }) =>
      value === null ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`],
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** What this process takes of its machine. */
export class ProcessFigures implements FigureSource {
  figures(): Promise<readonly Figure[]> {
    const { user, system } = process.cpuUsage();
    return Promise.resolve([
      counter('process_cpu_seconds_total', 'Processor time of this process.', (user + system) / 1e6),
      gauge('process_resident_memory_bytes', 'Memory of this process.', process.memoryUsage.rss()),
      gauge(
        'process_start_time_seconds',
        'When this process began, in seconds since 1970.',
        performance.timeOrigin / 1000,
      ),
    ]);
  }
}

export const gauge = (name: string, help: string, value: number | null): Figure => ({
  ...{ name, help, type: 'gauge', value },
});
export const counter = (name: string, help: string, value: number | null): Figure => ({
  ...{ name, help, type: 'counter', value },
});
