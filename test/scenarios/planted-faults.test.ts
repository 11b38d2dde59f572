import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import { untilSeen } from '../support/eventually.ts'
import { whyNoPrometheus } from '../support/monitoring.ts'
import { outcome, payment } from '../support/payments.ts'
import { startPrometheus, type RunningPrometheus } from '../support/prometheus.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** All times of Prometheus and its rules are divided by it; 1 is the speed of an operator. */
const SPEED = Number(process.env['TOLLGATE_TEST_ALARM_SPEED'] ?? 15)
/** More than the 60 seconds of the alert about advices, at the speed of an operator. */
const AGE_OF_ADVICES_S = 61

suite('alerts notice faults', { skip: whyNoPrometheus('prometheus') ?? false }, () => {
  let gateway: RunningGateway
  let prometheus: RunningPrometheus
  const stops: (() => Promise<unknown>)[] = []
  before(async () => {
    gateway = await startRunningGateway()
    stops.push(gateway.stop)
    prometheus = await startPrometheus(gateway.metrics, SPEED)
    stops.push(prometheus.stop)
  })
  after(async () => {
    for (const stop of stops.toReversed()) await stop()
  })

  /** Repeats the fault until its alerts fire, and reports how long each took. */
  async function untilFiring(
    t: TestContext,
    wanted: readonly string[],
    fault: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const from = performance.now()
    const seen = new Set<string>()
    await untilSeen(
      `the alerts ${wanted.join(', ')} fire`,
      async () => {
        await fault()
        const firing = await prometheus.firing()
        for (const alert of firing.filter((name) => wanted.includes(name) && !seen.has(name))) {
          seen.add(alert)
          const seconds = ((performance.now() - from) * SPEED) / 1_000
          t.diagnostic(`${alert} fired ${seconds.toFixed(0)} s after its fault`)
        }
        return firing
      },
      (firing) => wanted.every((alert) => firing.includes(alert)),
      { seconds: 30, everyMs: 250 },
    )
  }

  test('and are silent while payments are approved', async () => {
    assert.equal(outcome(await gateway.client().sale(payment('12.00'))), 'APPROVED 0/100')
    await untilSeen(
      'Prometheus read the metrics of a payment',
      () => prometheus.count('tollgate_requests_total{state="APPROVED"}'),
      (series) => series > 0,
    )
    assert.deepEqual(await prometheus.firing(), [])
  })

  test('of declines with one code, guessed passwords, and a job that fails', async (t) => {
    await gateway.pool.query('alter table webhook_deliveries rename to webhook_deliveries_gone')
    let guesses = 0
    const guess = (): Promise<unknown> =>
      fetch(new URL('/portal/api/session', gateway.baseUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `user-${(guesses += 1)}@shop.example`, password: 'wrong' }),
      })
    const times = (count: number, work: () => Promise<unknown>): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, work))
    const decline = (): Promise<unknown> => gateway.client().authorize(payment('5.30'))
    await untilFiring(t, ['TollgateDeclines', 'TollgateJobFails', 'TollgateSignInsFail'], () =>
      Promise.all([times(10, decline), times(6, guess)]),
    )
    await gateway.pool.query('alter table webhook_deliveries_gone rename to webhook_deliveries')
  })

  test('of a bank that is away, an advice that waits for it, and statements that wait', async (t) => {
    const { orderId } = await gateway.client().authorize(payment('12.00'))
    await gateway.stopBank()
    await gateway.client().capture({ orderId, amount: '12.00' })
    const age = AGE_OF_ADVICES_S - AGE_OF_ADVICES_S / SPEED
    await gateway.pool.query(
      'update advices set created_at = created_at - make_interval(secs => $1)',
      [age],
    )
    const locker = await gateway.pool.connect()
    await locker.query('begin')
    await locker.query('lock table transactions in share row exclusive mode')
    // Statements end after seconds, so merchants keep sending: none waits for the others.
    const sent: Promise<unknown>[] = []
    const send = (): Promise<void> => {
      for (let at = 0; at < 3; at += 1) {
        // A refusal with HTTP 503 is right while the table is locked.
        const refused = (): null => null
        sent.push(gateway.client().sale(payment('12.00')).catch(refused))
      }
      return Promise.resolve()
    }
    try {
      await untilFiring(
        t,
        ['TollgateAdvicesWait', 'TollgateDatabaseWaiting', 'TollgateLinkDown'],
        send,
      )
    } finally {
      await locker.query('rollback')
      locker.release()
    }
    await Promise.all(sent)
  })
})
