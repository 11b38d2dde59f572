import { eventually } from './eventually.ts'
import { untilNoAdviceIsQueued } from './payments.ts'
import type { SignedInUser } from './portal.ts'
import type { RunningGateway } from './running-gateway.ts'

/** A batch as the bundled bank's control API reports it. */
export interface BankBatch {
  readonly batch: string
  readonly currency: string
  readonly closed: boolean
  readonly brands: readonly Readonly<Record<string, string | number>>[]
}

/** The id of the account's open batch. */
export async function openBatchId({ pool }: RunningGateway, account = 2001): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from batches where merchant_account_id = $1 and closed_at is null',
    [account],
  )
  return rows[0]?.id ?? 'none'
}

/** Closes the account's open batch in the portal; resolves with its id. */
export async function closeOpenBatch(
  gateway: RunningGateway,
  owner: SignedInUser,
): Promise<string> {
  const id = await openBatchId(gateway)
  const { status, text } = await owner.post(`/batches/${id}/close`)
  if (status !== 200) throw new Error(`Batch ${id} was not closed: ${text}`)
  return id
}

/** The same, once the bank has answered everything that is in it. */
export async function closeAnsweredBatch(
  gateway: RunningGateway,
  owner: SignedInUser,
): Promise<string> {
  await untilNoAdviceIsQueued(gateway)
  return closeOpenBatch(gateway, owner)
}

/** Resolves once the batch is in a state without a next one, with that state. */
export function untilBatchEnded({ pool }: RunningGateway, id: string): Promise<string> {
  return eventually(
    `batch ${id} is agreed, differing or closed`,
    async () => {
      const { rows } = await pool.query<{ agreement: string }>(
        `select agreement from batches
          where id = $1 and closed_at is not null
            and agreement not in ('closing', 'agreeing', 'comparing')`,
        [id],
      )
      return rows[0]?.agreement
    },
    {},
  )
}

/** The bank's batches of one number. */
export async function bankBatches({ bank }: RunningGateway, id: string): Promise<BankBatch[]> {
  const answer = await fetch(`${bank.controlUrl}/books/batches`)
  const { batches } = (await answer.json()) as { batches: BankBatch[] }
  return batches.filter(({ batch }) => batch === id)
}
