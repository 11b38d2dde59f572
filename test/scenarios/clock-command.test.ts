import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { comingYear, expiryIn } from '../support/dates.ts'
import { ask, monthly, sale } from '../support/memberships.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let folder: string
before(async () => {
  gateway = await startRunningGateway()
  folder = mkdtempSync(join(tmpdir(), 'tollgate-clock-command-'))
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(args, operatorSettings(gateway, folder))

const YEAR = comingYear(2030)

test('a clock is shown, stopped, moved and listed by commands, and the audit log has each change', async () => {
  const first = await tollgate('clock', '1001')
  assert.match(first.output, /^Site 1001 is on real time: /)
  const paid = await gateway.client().authorize(payment('10.00', { expiry: expiryIn(19) }))
  const agenda = await tollgate('clock', '1001', 'agenda')
  assert.match(agenda.output, new RegExp(`Z  authorization expires: order ${paid.orderId}\n$`))

  const stopped = await tollgate('clock', '1001', 'stop')
  assert.match(stopped.output, /^The clock of site 1001 shows \S+ and stands still\.$/m)
  const jumped = await tollgate('clock', '1001', 'jump', `${YEAR}-06-01T00:00:00Z`)
  assert.equal(jumped.code, 0)
  assert.match(
    jumped.output,
    new RegExp(
      `The clock of site 1001 shows ${YEAR}-06-01T00:00:00\\.000Z and stands still\\.\\nIt was last moved from \\S+; done: 1 authorizations\\.\\n$`,
    ),
  )
  const stepped = await tollgate('clock', '1001', 'step', 'P1M')
  assert.match(stepped.output, new RegExp(`shows ${YEAR}-07-01T00:00:00\\.000Z`))
  assert.match(
    (await tollgate('clock', '1001', 'agenda')).output,
    /^Site 1001 has no scheduled events\.\n$/,
  )

  const audit = await tollgate('audit', 'show', '--operation', 'site.clock_changed')
  assert.equal(audit.output.match(/site\.clock_changed/g)?.length, 3)
})

test('the agenda of the command lists what memberships will do', async () => {
  const { MBSHP_ID_1: id } = await ask(gateway, sale(monthly('Listed')))
  const { output } = await tollgate('clock', '1001', 'agenda', '2')
  assert.match(output, new RegExp(`^(\\S+Z  membership renews: membership ${id}\n){2}$`))
})

for (const [name, args, sentence] of [
  ['a time that is past', ['1001', 'jump', '2029-01-01T00:00:00Z'], /goes forward only/],
  [
    'a time that is none',
    ['1001', 'jump', 'tomorrow'],
    /to is no time\. Expected one with its zone/,
  ],
  ['a step that is none', ['1001', 'step', '1d'], /by is no length of time/],
  ['a speed that is none', ['1001', 'speed', 'fast'], /A speed is a whole number from 0/],
  ['going back to the real time from ahead', ['1001', 'reset'], /would lie in the future/],
  ['an unknown site', ['4711'], /Site 4711 does not exist\./],
  ['the agenda of an unknown site', ['4711', 'agenda'], /Site 4711 does not exist\./],
  ['nothing named to jump to', ['1001', 'jump'], /^Usage: tollgate clock/],
  ['an action that is none', ['1001', 'rewind'], /^Usage: tollgate clock/],
  ['no site', [], /^Usage: tollgate clock/],
] as const) {
  test(`the command refuses ${name}`, async () => {
    const { code, output } = await tollgate('clock', ...args)
    assert.equal(code, 1)
    assert.match(output, sentence)
  })
}
