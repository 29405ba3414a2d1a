import { expect, it } from 'vitest';
import { counter, figuresText, gauge, ProcessFigures } from './figures.js';

it('writes figures as Prometheus reads them, and nothing of what is not known', () => {
  const figures = [gauge('a_seconds', 'A.', 0), gauge('b_seconds', 'B.', null), counter('c_total', 'C.', 1.5)];
  expect(figuresText(figures)).toBe(
    '# HELP a_seconds A.\n# TYPE a_seconds gauge\na_seconds 0\n# HELP c_total C.\n# TYPE c_total counter\nc_total 1.5\n',
  );
});

it('knows what the process takes', async () => {
  for (const { name, value } of await new ProcessFigures().figures()) expect(value, name).toBeGreaterThan(0);
});
