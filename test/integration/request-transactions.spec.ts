import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import type { RequestTransactionSteps } from '../../src/kernel/ports/request-transactions.js';
import type { TenantTransaction } from '../../src/kernel/ports/unit-of-work.js';
import { openPool } from '../../src/platform/database/connection.js';
import {
  JoiningUnitOfWork,
  PrismaRequestTransactions,
  RequestAfterCommit,
} from '../../src/platform/database/joining-unit-of-work.js';
import { PrismaUnitOfWork, prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const A = 'org.request-a';
const B = 'org.request-b';

let database: TestDatabase;
let admin: pg.Client;
let pools: pg.Pool[];
let units: PrismaUnitOfWork[];
let unitOfWork: JoiningUnitOfWork;
let requests: PrismaRequestTransactions;
const warnings: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  pools = ['apart', 'requests'].map((name) =>
    openPool({ url: database.appUrl, size: 3, waitMs: 5000, name, onError: () => undefined }),
  );
  units = pools.map((pool) => new PrismaUnitOfWork(pool, 5000));
  unitOfWork = new JoiningUnitOfWork(units[0]!);
  requests = new PrismaRequestTransactions(units[1]!, (message) => warnings.push(message));
});

afterAll(async () => {
  await Promise.all(units.map((unit) => unit.close()));
  await Promise.all(pools.map((pool) => pool.end()));
  await admin.end();
  await database.drop();
});

beforeEach(async () => {
  await admin.query('DELETE FROM idempotency_keys');
});

/** Rows are keys of the store: a table that refers to no other one. */
const add = (tx: TenantTransaction, name: string): Promise<unknown> =>
  prismaOf(tx)
    .$executeRaw`INSERT INTO idempotency_keys (organization_id, owner, operation, key_hash, fingerprint, request_id, reply)
    VALUES (${tx.organizationId}, ${name}, 'test', sha256(${name}::text::bytea), sha256(''), 'req', '{}')`;
const write = (organizationId: string, name: string): Promise<unknown> =>
  unitOfWork.withTenant(organizationId, (tx) => add(tx, name));
const written = async (): Promise<string[]> =>
  (
    await admin.query<{ row: string }>(`SELECT organization_id || '/' || owner AS row FROM idempotency_keys ORDER BY 1`)
  ).rows.map((r) => r.row);
const seen = (organizationId: string): Promise<string[]> =>
  unitOfWork.withTenant(organizationId, async (tx) => {
    const rows = await prismaOf(tx).$queryRaw<{ row: string }[]>`
      SELECT organization_id || '/' || owner AS row FROM idempotency_keys ORDER BY 1`;
    return rows.map((r) => r.row);
  });

const atOnce: RequestTransactionSteps<string> = {
  mayOpen: () => true,
  opening: () => Promise.resolve(undefined),
  closing: (tx, answer) => add(tx, `answer ${answer}`).then(() => undefined),
};
const inRequest = (
  work: () => Promise<string>,
  steps: Partial<RequestTransactionSteps<string>> = {},
): Promise<string> => requests.run(A, { ...atOnce, ...steps }, work);

describe('The transaction of a request', () => {
  it('holds what all its units of work wrote, and its answer, or nothing', async () => {
    const work = async (): Promise<string> => {
      await write(A, 'first');
      await Promise.all([write(A, 'second'), write(A, 'third'), seen(A)]);
      expect(await seen(A)).toEqual([`${A}/first`, `${A}/second`, `${A}/third`]);
      expect(await written()).toEqual([]);
      return 'done';
    };
    const failing = inRequest(async () => {
      await work();
      throw new Failure('state.conflict');
    });
    await expect(failing).rejects.toMatchObject({ code: 'state.conflict' });
    expect(await written()).toEqual([]);
    expect(await inRequest(work)).toBe('done');
    expect(await written()).toEqual([`${A}/answer done`, `${A}/first`, `${A}/second`, `${A}/third`]);
  });

  it('is undone when its last step fails', async () => {
    const closing = (): Promise<void> => Promise.reject(new Error('no place'));
    await expect(inRequest(() => write(A, 'lost').then(() => 'done'), { closing })).rejects.toThrow('no place');
    expect(await written()).toEqual([]);
  });

  it('answers what was answered before, and runs nothing', async () => {
    const opening = (): Promise<string> => Promise.resolve('earlier');
    expect(await inRequest(() => write(A, 'again').then(() => 'new'), { opening })).toBe('earlier');
    expect(await written()).toEqual([]);
  });

  it('undoes a part that failed, when the request goes on', async () => {
    await inRequest(async () => {
      const failed = unitOfWork.withTenant(A, async (tx) => {
        await add(tx, 'undone');
        await prismaOf(tx).$executeRaw`SELECT 1 / 0`;
      });
      await expect(failed).rejects.toThrow();
      await write(A, 'kept');
      return 'done';
    });
    expect(await written()).toEqual([`${A}/answer done`, `${A}/kept`]);
  });

  it('does not succeed when a part failed that cannot be undone by itself', async () => {
    const request = inRequest(async () => {
      await Promise.allSettled([
        unitOfWork.withTenant(A, (tx) => add(tx, 'beside').then(() => new Promise((done) => setTimeout(done, 50)))),
        unitOfWork.withTenant(A, (tx) => add(tx, 'half').then(() => Promise.reject(new Error('swallowed')))),
      ]);
      return 'done';
    });
    await expect(request).rejects.toThrow('failed beside another one');
    expect(await written()).toEqual([]);
  });

  it('is of one organization at a time, also where one works inside the other', async () => {
    await inRequest(async () => {
      await write(B, 'in b');
      await unitOfWork.withTenant(A, async (tx) => {
        await add(tx, 'before');
        expect(await seen(B)).toEqual([`${B}/in b`]);
        await expect(
          unitOfWork.withTenant(B, (inner) => add(inner, 'gone').then(() => Promise.reject(new Error('undo me')))),
        ).rejects.toThrow('undo me');
        await add(tx, 'after');
      });
      expect(await seen(A)).toEqual([`${A}/after`, `${A}/before`]);
      return 'done';
    });
    expect(await written()).toEqual([`${A}/after`, `${A}/answer done`, `${A}/before`, `${B}/in b`]);
  });

  it('refuses to work for two organizations at once', async () => {
    const request = inRequest(async () => {
      await Promise.all([write(A, 'one'), write(B, 'two')]);
      return 'done';
    });
    await expect(request).rejects.toThrow('one organization at a time');
    expect(await written()).toEqual([]);
  });

  it('lets no tenant leak into what comes after it', async () => {
    await inRequest(() => write(B, 'in b').then(() => 'done'));
    await inRequest(() => write(B, 'lost').then(() => Promise.reject(new Error('undo')))).catch(() => undefined);
    for (const pool of pools) {
      const { rows } = await pool.query<{ tenant: string | null }>(
        `SELECT nullif(current_setting('app.tenant', true), '') AS tenant`,
      );
      expect(rows).toEqual([{ tenant: null }]);
    }
    expect(await seen(A)).toEqual([`${A}/answer done`]);
  });

  it('is not joined by what goes on after it has ended', async () => {
    let late: Promise<unknown> | undefined;
    await inRequest(() => {
      late = new Promise((done) => setTimeout(done, 50)).then(() => write(A, 'late'));
      return Promise.resolve('done');
    });
    await late;
    expect(await written()).toEqual([`${A}/answer done`, `${A}/late`]);
  });

  it('follows no promise of the process once the last request is over, and is there again for the next one', async () => {
    const off = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
    try {
      let over = (): void => undefined;
      const held = inRequest(async () => {
        await new Promise<void>((done) => (over = done));
        await write(A, 'held');
        return 'held';
      });
      await inRequest(() => write(A, 'short').then(() => 'short'));
      await expect(inRequest(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
      expect(off, 'one is still open').not.toHaveBeenCalled();
      over();
      await held;
      expect(off).toHaveBeenCalledTimes(1);
      const undone = inRequest(() => write(A, 'undone').then(() => Promise.reject(new Error('undo'))));
      await expect(undone).rejects.toThrow('undo');
      expect(off).toHaveBeenCalledTimes(2);
    } finally {
      off.mockRestore();
    }
    expect(await written()).toEqual(['held', 'short'].flatMap((n) => [`${A}/answer ${n}`, `${A}/${n}`]).toSorted());
  });

  it('keeps what a recorded failure left behind', async () => {
    const request = inRequest(async () => {
      await write(A, 'waits for approval');
      throw new Failure('approval.pending', { recorded: true });
    });
    await expect(request).rejects.toMatchObject({ code: 'approval.pending' });
    expect(await written()).toEqual([`${A}/waits for approval`]);
  });
});

describe('The transaction of a request whose body is still coming', () => {
  it('opens with the first unit of work after the body', async () => {
    let complete = false;
    const steps = { mayOpen: () => complete };
    const work = async (): Promise<string> => {
      await write(A, 'looked up');
      expect(await written()).toEqual([`${A}/looked up`]);
      complete = true;
      await write(A, 'recorded');
      expect(await written()).toEqual([`${A}/looked up`]);
      return 'done';
    };
    await inRequest(work, steps);
    expect(await written()).toEqual([`${A}/answer done`, `${A}/looked up`, `${A}/recorded`]);
  });

  it('tells who comes second to come again', async () => {
    let complete = false;
    const steps = { mayOpen: () => complete, opening: (): Promise<string> => Promise.resolve('earlier') };
    const request = inRequest(async () => {
      complete = true;
      await write(A, 'twice');
      return 'done';
    }, steps);
    await expect(request).rejects.toMatchObject({ code: 'limit.busy' });
    expect(await written()).toEqual([]);
  });
});

describe('What follows a commit', () => {
  const afterCommit = new RequestAfterCommit();

  it('happens when everything is committed, at once outside of a request, and not after a failure', async () => {
    const found: string[][] = [];
    const look = async (): Promise<void> => {
      found.push(await written());
    };
    await afterCommit.run(look);
    const request = async (): Promise<string> => {
      await write(A, randomUUID().slice(0, 8));
      await afterCommit.run(look);
      return 'done';
    };
    await inRequest(request);
    await inRequest(() => request().then(() => Promise.reject(new Error('no')))).catch(() => undefined);
    expect(found.map((rows) => rows.length)).toEqual([0, 2]);
  });

  it('does not take the answer back when it fails', async () => {
    const answer = await inRequest(async () => {
      await afterCommit.run(() => Promise.reject(new Error('the queue is away')));
      return 'done';
    });
    expect(answer).toBe('done');
    expect(warnings).toEqual([expect.stringMatching(/the queue is away/)]);
  });
});
