import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { outcome, payment, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
/** Called once the gateway has learned that its conclusion was written by an earlier try. */
let onSecondTry = (): Promise<void> => Promise.resolve()
before(async () => {
  let tries = 0
  gateway = await startRunningGateway({}, undefined, (ports) => ({
    ...ports,
    payments: {
      ...ports.payments,
      async conclude(conclusion) {
        const concluded = await ports.payments.conclude(conclusion)
        tries += 1
        // The commit is there, and its answer is lost with the connection.
        if (tries === 1) throw Object.assign(new Error('connection lost'), { code: '08006' })
        await onSecondTry()
        return concluded
      },
    },
  }))
})
after(() => gateway.stop())

test('an approval whose commit was answered by nobody is never said to be not accepted', async () => {
  const blocker = await gateway.pool.connect()
  onSecondTry = async () => {
    await blocker.query('begin')
    await blocker.query('lock table transactions in access exclusive mode')
  }

  const asked = gateway.client().authorize(payment('34.00'))
  // The gateway looks up what was written, and its connection dies over that as well.
  const { pid } = await untilRow(
    gateway,
    'the gateway reads the transaction',
    `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%transactions%'
       and pid <> pg_backend_pid() limit 1`,
  )
  await gateway.pool.query('select pg_terminate_backend($1)', [pid])
  await blocker.query('commit')
  blocker.release()

  assert.equal(outcome(await asked), 'APPROVED 0/100')
})
