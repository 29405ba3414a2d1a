import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** Most entries that a page of the admin API has, and how many it has where nothing is said. */
export const PAGE_MAX = 100;
export const PAGE_DEFAULT = 25;

/** The query of every list of the admin API. Lists with conditions add theirs. */
export class PageQuery {
  @ApiPropertyOptional({ maxLength: 2048, description: '`next_cursor` of the page before.' })
  @IsOptional()
  @IsString()
  @MaxLength(2048)
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(PAGE_MAX)
  limit?: number;

  /** Where the page before ended. Put here by the edge, out of the cursor; a caller who sends it is refused. */
  @ApiHideProperty()
  @IsOptional()
  @IsString()
  after?: string;
}

/** A page as stores are asked for it: the entries behind `after`, one more than is shown, so that the end is known. */
export interface PageRequest {
  readonly after?: string;
  readonly limit: number;
}

export function pageRequestOf({ after, limit = PAGE_DEFAULT }: PageQuery): PageRequest {
  return after === undefined ? { limit: limit + 1 } : { after, limit: limit + 1 };
}

/**
 * The answer of a list: its entries, and where the next page goes on, which the edge seals into `next_cursor`.
 * @param found what the store gave for {@link pageRequestOf}
 * @param positionOf the value of an entry that the list is ordered by, and that no two entries share
 */
export function pageOf<T>(
  name: string,
  { limit = PAGE_DEFAULT }: PageQuery,
  found: readonly T[],
  view: (entry: T) => object,
  positionOf: (entry: T) => string | number,
): object {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = found.length > limit && last !== undefined ? positionOf(last) : null;
  return { [name]: shown.map(view), next_after: next };
}
