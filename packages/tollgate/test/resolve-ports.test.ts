import { loadConfig, type GatewayConfig } from '@tollgate/gateway/config'
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { afterEach, suite, test } from 'node:test'
import { announcement } from '../src/announcement.ts'
import { resolvePorts } from '../src/resolve-ports.ts'
import { freePorts } from './free-ports.ts'

suite('the ports of a start', () => {
  const others: Server[] = []
  afterEach(() => {
    for (const server of others.splice(0)) server.close()
  })

  const settings = (more: Readonly<Record<string, string>>) => ({
    DATA_DIR: '/nowhere/tollgate',
    PORT: '0',
    TLS_PORT: '0',
    METRICS_PORT: '0',
    ...more,
  })
  const read = (environment: Readonly<Record<string, string | undefined>>): GatewayConfig => {
    const loaded = loadConfig(environment)
    assert.ok(loaded.ok, JSON.stringify(loaded))
    return loaded.config
  }
  /** Another program listens there as long as the test runs. */
  const occupy = async (port: number): Promise<void> => {
    const server = createServer()
    others.push(server)
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  }

  test('a default port that another program uses is replaced by a free one, which is announced', async () => {
    const [bankPort = 0] = await freePorts(1)
    await occupy(bankPort + 1)
    const given = settings({ BANK_PORT: String(bankPort) })

    const resolved = await resolvePorts(read(given), given)

    const controlPort = Number(resolved['BANK_CONTROL_PORT'])
    assert.ok(controlPort > 0 && controlPort !== bankPort + 1, String(controlPort))
    assert.ok(announcement(read(resolved)).includes(`http://127.0.0.1:${controlPort} (docs`))
  })

  test('no announced port is 0 if any free port was asked for', async () => {
    const given = settings({ BANK_PORT: '0' })
    const text = announcement(read(await resolvePorts(read(given), given)))

    assert.match(text, /bank, ISO 8583 +127\.0\.0\.1 port [1-9]/)
    assert.doesNotMatch(text, /(?:port |:)0\b/)
  })

  test('a port that a setting names is never replaced', async () => {
    const [bankPort = 0, control = 0] = await freePorts(2)
    await occupy(control)
    const given = settings({ BANK_PORT: String(bankPort), BANK_CONTROL_PORT: String(control) })

    await assert.rejects(resolvePorts(read(given), given), /BANK_CONTROL_PORT\) is already in use/)
  })
})
