import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import { startGateway } from '../../packages/gateway/src/wiring/gateway.ts'
import { eventually } from '../support/eventually.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const SESSIONS = `select count(*)::int as open from pg_stat_activity where application_name like 'tollgate%'`

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
  // Only sessions of the gateways under test remain to be counted.
  await gateway.stopGateway()
})
after(() => gateway.stop())

async function start(settings: Readonly<Record<string, string>>) {
  const loaded = loadConfig({ ...gateway.nodeSettings, PORT: '0', TLS_PORT: '0', ...settings })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return startGateway({
    config: loaded.config,
    databaseUrl: gateway.databaseUrl,
    runJobs: true,
    logger: pino({ level: 'silent' }),
  })
}

async function noSessionIsOpen(): Promise<void> {
  await eventually('the gateway has no session at the database', async () => {
    const { rows } = await gateway.pool.query<{ open: number }>(SESSIONS)
    return rows[0]?.open === 0
  })
}

test('a gateway whose certificate is unreadable closes its bank link and database sessions', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-failed-start-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  for (const file of [cert, key]) writeFileSync(file, 'not a certificate')
  const links = new Set<Socket>()
  let accepted = 0
  const bank = createServer((link) => {
    accepted += 1
    links.add(link.resume().on('error', () => undefined))
    link.on('close', () => links.delete(link))
  })
  await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const link of links) link.destroy()
    bank.close()
  })
  const { port } = bank.address() as AddressInfo

  const started = start({ BANK_PORT: String(port), TLS_CERT: cert, TLS_KEY: key })

  await assert.rejects(started, /cert\.pem/)
  await noSessionIsOpen()
  await eventually('the bank link was opened and closed', () => accepted > 0 && links.size === 0)
})
