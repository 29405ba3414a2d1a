import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { RooftopPlaces } from '../app/rooftop-places.js';
import { placeOf } from '../domain/places.js';

/** Places from the addresses of rooftops, by the function of migration 21. */
export class SqlRooftopPlaces implements RooftopPlaces {
  async of(tx: TenantTransaction): Promise<ReadonlyMap<string, string>> {
    const rows = await prismaOf(tx).$queryRaw<
      { rooftop_id: string; country: string | null; region: string | null }[]
    >`SELECT * FROM rooftop_places()`;
    return new Map(rows.map(({ rooftop_id: rooftopId, ...address }) => [rooftopId, placeOf(address)]));
  }
}
