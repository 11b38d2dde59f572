// Draws the dashboard's panels from a run of the gateway in which the bank goes away.
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { payment } from '../../test/support/payments.ts'
import { startPrometheus } from '../../test/support/prometheus.ts'
import { startRunningGateway, type RunningGateway } from '../../test/support/running-gateway.ts'
import { drawDashboard } from './draw.ts'
import { readPanels } from './read-panels.ts'

const FOLDER = new URL('../../docs/operators/', import.meta.url)
/** Samples are a second apart, and rules as much faster. */
const SPEED = 15
const GOOD_S = 28
const FAULT_S = 20
/** The row "Database" and those below are left out. */
const BELOW_ROW = 39
const TITLE = 'Tollgate: the bank goes away after half a minute'

const now = (): number => Date.now() / 1_000

/** Sends payments for so many seconds; those that fail are wanted too. */
async function trade(gateway: RunningGateway, seconds: number): Promise<void> {
  const client = gateway.client()
  const end = now() + seconds
  const failed = (): null => null
  const sent: Promise<unknown>[] = []
  for (let turn = 0; now() < end; turn += 1) {
    sent.push(client.sale(payment('12.00')).catch(failed))
    if (turn % 4 === 0) sent.push(client.authorize(payment('5.30')).catch(failed))
    await pause(200)
  }
  await Promise.all(sent)
}

const gateway = await startRunningGateway()
const prometheus = await startPrometheus(gateway.metrics, SPEED)
try {
  const from = Math.ceil(now())
  const { orderId } = await gateway.client().authorize(payment('9.00'))
  await trade(gateway, GOOD_S)
  const faultAt = now() - from
  await gateway.stopBank()
  await gateway.client().capture({ orderId, amount: '9.00' })
  await trade(gateway, FAULT_S)
  const to = Math.floor(now())
  const panels = await readPanels(prometheus, { belowRow: BELOW_ROW, from, to, interval: 1 })
  writeFileSync(new URL('dashboard.svg', FOLDER), drawDashboard(TITLE, panels, faultAt))
} finally {
  await prometheus.stop()
  await gateway.stop()
}
