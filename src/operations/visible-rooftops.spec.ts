import { describe, expect, it } from 'vitest';
import { Failure } from '../kernel/failure/failure.js';
import type { DealerGroup, ReachableRooftops } from '../modules/tenancy/index.js';
import { visibleRooftops } from './visible-rooftops.js';

const groupOf = (...ids: string[]): DealerGroup =>
  ({ rooftops: ids.map((rooftopId) => ({ rooftopId })) }) as unknown as DealerGroup;
const GROUP = groupOf('roof.a', 'roof.b', 'roof.c');

function resolved(reachable: ReachableRooftops, requested?: readonly string[], group = GROUP): unknown {
  try {
    return visibleRooftops(reachable, group, requested);
  } catch (error) {
    return error instanceof Failure ? error.code : error;
  }
}

describe('visibleRooftops', () => {
  it('is all within reach when none is named', () => {
    expect(resolved('all')).toEqual(['roof.a', 'roof.b', 'roof.c']);
    expect(resolved(['roof.c', 'roof.a', 'roof.gone'])).toEqual(['roof.a', 'roof.c']);
    expect(resolved('all', undefined, groupOf())).toEqual([]);
  });

  it('is what is named, in one order', () => {
    expect(resolved('all', ['roof.c', 'roof.a'])).toEqual(['roof.a', 'roof.c']);
    expect(resolved(['roof.c', 'roof.a'], ['roof.c'])).toEqual(['roof.c']);
  });

  it('fails whole for one rooftop outside reach, whether or not it exists', () => {
    expect(resolved(['roof.a'], ['roof.a', 'roof.b'])).toBe('grant.tenant_forbidden');
    expect(resolved(['roof.a'], ['roof.a', 'roof.none'])).toBe('grant.tenant_forbidden');
    expect(resolved([], ['roof.a'])).toBe('grant.tenant_forbidden');
  });

  it('fails whole for one rooftop within reach that does not exist', () => {
    expect(resolved('all', ['roof.a', 'roof.none'])).toBe('resource.not_found');
    expect(resolved(['roof.a', 'roof.gone'], ['roof.gone'])).toBe('resource.not_found');
  });

  it('fails closed when nothing of the group is within reach', () => {
    expect(resolved([])).toBe('grant.tenant_forbidden');
    expect(resolved(['roof.gone'])).toBe('grant.tenant_forbidden');
  });
});
