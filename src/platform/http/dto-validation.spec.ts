import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../kernel/failure/failure.js';
import type { Violation } from '../../kernel/failure/violation.js';
import { adminValidationPipe } from './dto-validation.js';

class Inner {
  @IsInt()
  @Min(1)
  @Max(9)
  count!: number;
}

class Outer {
  @IsString()
  @MaxLength(5)
  name!: string;

  @IsIn(['red', 'blue'])
  colour!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Inner)
  inner?: Inner;
}

async function violationsOf(value: unknown): Promise<readonly Violation[]> {
  try {
    await adminValidationPipe().transform(value, { type: 'body', metatype: Outer });
    return [];
  } catch (error) {
    return error instanceof Failure ? (error.context.violations ?? []) : [];
  }
}
const found = async (value: unknown): Promise<string[]> =>
  (await violationsOf(value)).map((v) => `${v.pointer} ${v.keyword}`).toSorted();

const SOUND = { name: 'abc', colour: 'red' };

describe('A body of the admin API', () => {
  it('that is sound passes', async () => {
    expect(await found({ ...SOUND, inner: { count: 3 } })).toEqual([]);
  });

  it('is told every violation at once, in the keywords of JSON Schema', async () => {
    expect(await found({ name: 'far too long', colour: 'green', inner: { count: 0.5 } })).toEqual([
      '/colour enum',
      '/inner/count minimum',
      '/inner/count type',
      '/name maxLength',
    ]);
  });

  it.each([
    [{ ...SOUND, extra: 1 }, '/extra additionalProperties'],
    [{ ...SOUND, inner: { count: 1, extra: 1 } }, '/inner/extra additionalProperties'],
    [{ ...SOUND, inner: 'x' }, '/inner type'],
    [{ ...SOUND, 'jane@mail.example': 1 }, ' additionalProperties'],
  ])('has no member that nobody declared, and data is never named: %j', async (body, violation) => {
    expect(await found(body)).toEqual([violation]);
  });

  it('is never repeated in an explanation', async () => {
    const wrong = {
      name: { deep: 'hidden' },
      colour: 'hidden',
      inner: { count: 'hidden', hidden2: 'hidden' },
      x: 'hidden',
    };
    for (const { explanation } of await violationsOf(wrong)) expect(explanation).not.toContain('hidden');
  });
});
