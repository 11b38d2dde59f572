import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { compareRenewals, sellMembership } from '../../tools/torture/renewals.ts'
import { setStage, type Stage, type StageOptions } from '../../tools/torture/stage.ts'
import { eventually } from '../support/eventually.ts'

/**
 * Kills the process of a renewal after the bank's approval and before its membership has it.
 * Returns the differences that the comparison finds once another process has taken it over.
 */
async function differencesAfterKill(
  breaks: Pick<StageOptions, 'gatewayBreaks'>,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-renewal-'))
  const stage = await setStage({ folder, workers: 1, bankTimeoutMs: 1_000, ...breaks })
  try {
    await sellMembership(stage.baseUrls[0] ?? '')
    await killBeforeTheMembershipIsTold(stage)
    await stage.heal()
    await stage.pool.query("update memberships set leased_until = now() - interval '1 second'")
    await untilCount(
      stage,
      "select count(*)::int as count from membership_charges where outcome = 'approved'",
    )
    return (await compareRenewals(stage.pool)).differences
  } finally {
    await stage.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const WAITING =
  "select pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()"

async function killBeforeTheMembershipIsTold(stage: Stage): Promise<void> {
  const holder = new pg.Client({ connectionString: stage.database.url })
  await holder.connect()
  try {
    // The record of the charge can be made and not be changed.
    await holder.query(
      `create function hold_charge() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(414); return new; end $$;
       create trigger hold before update on membership_charges
         for each row execute function hold_charge();
       select pg_advisory_lock(414);
       update memberships set anchor_at = anchor_at - interval '86401 seconds',
                              next_at = next_at - interval '86401 seconds'`,
    )
    await untilCount(
      stage,
      `select count(*)::int as count from membership_charges c
         join transactions t on t.id = c.transaction_id and t.state = 'approved'
        where exists (${WAITING})`,
    )
    stage.workers[0]?.kill()
    // The statement of the killed worker still waits; it has to end before it could write. No other
    // may begin to wait meanwhile, or it and the `drop trigger` would wait for each other.
    await holder.query(
      `create or replace function hold_charge() returns trigger language plpgsql as $$ begin return new; end $$`,
    )
    await holder.query(`select pg_terminate_backend(pid, 60000) from (${WAITING}) waiting`)
    await holder.query('select pg_advisory_unlock(414)')
    await holder.query('drop trigger hold on membership_charges')
  } finally {
    await holder.end()
  }
}

async function untilCount({ pool }: Pick<Stage, 'pool'>, sql: string): Promise<void> {
  await eventually(`more than none are counted by ${sql}`, async () => {
    const { rows } = await pool.query<{ count: number }>(sql)
    return (rows[0]?.count ?? 0) > 0
  })
}

test('a renewal that was approved when its process was killed is not charged again', async () => {
  assert.deepEqual(await differencesAfterKill({}), [])
})

test('the comparison finds out a renewal that is charged without a look for what was started', async () => {
  const differences = await differencesAfterKill({ gatewayBreaks: 'renewal_looked_for_first' })
  assert.equal(differences.length, 1)
  assert.match(
    differences[0] ?? '',
    /due 1 times, and has 1 approved charges of 1 periods, 2 orders/,
  )
})
