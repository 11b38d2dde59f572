import type pg from 'pg'
import {
  STATE_MACHINES,
  type StateMachine,
} from '../../packages/gateway/src/wiring/state-machines.ts'

/**
 * Makes a database refuse rows of the gateway that start in or move to an undeclared state. Other
 * connections may write any state, for tests that damage rows on purpose.
 */
export async function guardStates(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(`
    create or replace function refuse_undeclared_state() returns trigger language plpgsql as $$
    begin
      raise exception 'The state tables do not declare this: % of % from % to %.',
        tg_op, tg_table_name, to_jsonb(old), to_jsonb(new);
    end $$`)
  for (const machine of STATE_MACHINES) await pool.query(triggersOf(machine))
}

/** Two triggers for a table; their conditions decide, so that a declared write costs no call. */
function triggersOf({ table, state, states }: StateMachine): string {
  const [before, after] = ['old', 'new'].map((row) => `(${state.replaceAll('$', row)})`)
  const starts = Object.entries(states).filter(([, { start }]) => start !== null)
  const moves = Object.entries(states).flatMap(([from, { next }]) =>
    Object.keys(next).map((to) => `${from}>${to}`),
  )
  const isGateway = `current_setting('application_name') like 'tollgate%'`
  return `
    create trigger declared_start before insert on ${table} for each row
      when (${isGateway} and ${after} <> all (${list(starts.map(([name]) => name))}))
      execute function refuse_undeclared_state();
    create trigger declared_move before update on ${table} for each row
      when (${isGateway} and ${before} <> ${after}
        and ${before} || '>' || ${after} <> all (${list(moves)}))
      execute function refuse_undeclared_state()`
}

function list(names: readonly string[]): string {
  return `array[${names.map((name) => `'${name}'`).join(', ')}]::text[]`
}
