import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openOperator, Secret, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { webhooks } from '../../packages/tollgate/src/webhooks-command.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { auditedAsDone } from '../support/audit.ts'
import { assertSchema, eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'

const SITE = 1001n
const PAGE = new URL('../../docs/integrators/webhooks.md', import.meta.url)

let gateway: RunningGateway
let operator: Operator
let receiver: WebhookReceiver
before(async () => {
  gateway = await startRunningGateway()
  receiver = await startWebhookReceiver()
  operator = await openOperator({
    databaseUrl: new Secret(gateway.databaseUrl),
    vaultKey: gateway.vaultKey,
    mode: 'sandbox',
  })
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
  await receiver?.stop()
})

/** An endpoint of the site. */
async function endpointAt(
  url: string,
  types: readonly string[],
): Promise<{ readonly id: bigint; readonly secret: string }> {
  const added = await operator.webhooks.add(SITE, { url, types })
  assert.ok(added.ok)
  return { id: added.id, secret: added.secret.reveal() }
}

/** An order that was authorized and captured. */
async function captured(): Promise<string> {
  const { orderId } = await gateway.client().authorize(payment('12.50'))
  const taken = await gateway.client().capture({ orderId: orderId ?? '', amount: '12.50' })
  assert.equal(taken.status, 'APPROVED')
  return orderId ?? ''
}

async function remove(id: bigint): Promise<void> {
  assert.ok((await operator.webhooks.remove(id)).ok)
}

async function done(result: Promise<{ readonly ok: boolean }>): Promise<void> {
  assert.ok((await result).ok)
}

suite('webhooks', () => {
  test('a payment is posted as its event stands in the feed, and the public verifier accepts it', async () => {
    const { id, secret } = await endpointAt(receiver.url('/good'), [
      'authorization.',
      'capture.created',
    ])
    const orderId = await captured()

    const [first, second] = await receiver.until('/good', 2)
    const events = await eventsOf(gateway, `order ${orderId}`)
    assert.deepEqual([first?.event, second?.event], events.slice(0, 2))
    assert.equal(first?.headers['content-type'], 'application/json')
    assert.equal(first?.headers['webhook-id'], events[0]?.id)
    const headers = first?.headers as Record<string, string>
    assert.deepEqual(new Webhook(secret).verify(first?.body ?? '', headers), events[0])
    const log = await eventually('both deliveries are written', async () => {
      const read = await operator.webhooks.readLog(id, null, 10)
      return read?.every(({ state }) => state === 'delivered') === true ? read : null
    })
    assert.deepEqual(
      log.map(({ log: attempts, type }) => [type, attempts[0]?.status]),
      [
        ['capture.created', 204],
        ['authorization.approved', 204],
      ],
    )
    await remove(id)
  })

  test('both secrets sign while there are two, and the new one alone afterwards', async () => {
    const { id, secret } = await endpointAt(receiver.url('/secrets'), ['batch.'])
    const accepts = (text: string, at: number): boolean => {
      const received = receiver.received('/secrets')[at]
      try {
        new Webhook(text).verify(received?.body ?? '', received?.headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    const rotated = await operator.webhooks.rotate(id)
    assert.ok(rotated.ok)
    const next = rotated.secret.reveal()
    await done(operator.webhooks.test(id))
    await receiver.until('/secrets', 1)
    assert.deepEqual([accepts(secret, 0), accepts(next, 0)], [true, true])

    await done(operator.webhooks.removeOldSecret(id))
    await done(operator.webhooks.test(id))
    await receiver.until('/secrets', 2)
    assert.deepEqual([accepts(secret, 1), accepts(next, 1)], [false, true])
    await remove(id)
  })

  test('retries follow the clock of the site, with the same id and the time of the machine', async () => {
    receiver.behave('/clock', answering(500))
    const { id } = await endpointAt(receiver.url('/clock'), ['batch.'])
    await clock(gateway, 'stop')
    await done(operator.webhooks.test(id))
    const failedAfter = (attempts: number) =>
      eventually(`attempt ${attempts} is written`, async () => {
        const log = await operator.webhooks.readLog(id, 'pending', 1)
        return log?.[0]?.attempts === attempts ? log[0] : null
      })
    assert.equal((await failedAfter(1)).log[0]?.answer, 'status 500')

    // The last pause is two minutes, longer than this test waits by the machine's clock.
    for (const [attempt, by] of ['PT10S', 'PT1M', 'PT5M'].entries()) {
      await clock(gateway, 'step', { by })
      await failedAfter(attempt + 2)
    }
    const [first, second] = await receiver.until('/clock', 4)
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
    const sentAt = Number(second?.headers['webhook-timestamp']) * 1_000
    assert.ok(Math.abs(Date.now() - sentAt) < 300_000)
    await clock(gateway, 'reset')
    await remove(id)
  })

  test('an endpoint that answers 410 is disabled, another one is informed, and a resumed one gets what waited', async () => {
    receiver.behave('/gone', answering(410))
    const gone = await endpointAt(receiver.url('/gone'), ['batch.'])
    const watcher = await endpointAt(receiver.url('/watcher'), ['endpoint.'])
    await done(operator.webhooks.test(gone.id))
    await receiver.until('/gone', 1)
    const [disabled] = await receiver.until('/watcher', 1)
    assert.equal(disabled?.event.type, 'endpoint.disabled')
    assert.equal(disabled?.event.data['reason'], 'gone')

    receiver.behave('/gone', answering(200))
    await done(operator.webhooks.resume(gone.id))
    await receiver.until('/gone', 2)
    await done(operator.webhooks.pause(gone.id))
    const seen = await receiver.until('/watcher', 3)
    assert.deepEqual(
      seen.map(({ event }) => event.type),
      ['endpoint.disabled', 'endpoint.resumed', 'endpoint.paused'],
    )
    for (const { event } of [...seen, ...receiver.received('/gone')]) assertSchema(event)
    await remove(gone.id)
    await remove(watcher.id)
  })

  test('an address inside of the network is refused for every site', async () => {
    for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/', 'http://shop.example/']) {
      const added = await operator.webhooks.add(SITE, { url, types: [] })
      assert.equal(added.ok, false)
    }
    assert.deepEqual(await operator.webhooks.list(SITE), [])
  })

  test('the program of the documentation in Node verifies a webhook', () =>
    documented('js', 'receiver.mjs', process.execPath))

  test('the program of the documentation in Python verifies a webhook', () =>
    documented('python', 'receiver.py', 'python3'))

  test('commands add, change, list and remove an endpoint, and the audit log has each operation', async () => {
    const added = await tollgate('add', '1001', receiver.url('/cli'), '--types', 'batch.')
    const [, id = ''] = /^Endpoint (\d+) was added/.exec(added) ?? []
    assert.match(added, /\nwhsec_[A-Za-z0-9+/]{43}=$/)
    assert.match(await tollgate('change', id, '--types', 'all'), /was changed/)
    assert.match(
      await tollgate('list', '1001'),
      new RegExp(`^${id}: enabled, http.*\\n  all types`),
    )
    assert.match(await tollgate('resend', id), /^0 deliveries/)
    assert.match(await tollgate('log', id, '--state', 'failed'), /^There is no such delivery/)
    assert.match(await tollgate('remove', id), /was removed/)
    const operations = [
      'site.webhook_added',
      'site.webhook_changed',
      'site.webhook_removed',
      'site.webhook_paused',
      'site.webhook_resumed',
      'site.webhook_secret_made',
      'site.webhook_secret_removed',
      'site.webhook_sent_again',
    ] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
    assert.ok(!gateway.logged().includes('whsec_'))
  })
})

async function tollgate(...args: readonly string[]): Promise<string> {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const env = {
    ...gateway.nodeSettings,
    DATABASE_URL: gateway.databaseUrl,
    VAULT_KEY: gateway.vaultKey.reveal(),
  }
  await runCommand(webhooks, args, { env, print, complain: print })
  return lines.join('\n')
}

/** Runs the first program of the page in a language, and sends it a good event and a forged one. */
async function documented(language: string, file: string, command: string): Promise<void> {
  const [, text = ''] =
    new RegExp(`\`\`\`${language}\\n([^]*?)\n\`\`\``).exec(readFileSync(PAGE, 'utf8')) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-webhook-'))
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}/`
  const { id, secret } = await endpointAt(url, ['batch.'])
  writeFileSync(join(folder, file), text)
  const program = spawn(command, [join(folder, file)], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  program.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  try {
    const forged = await eventually('the program listens', () =>
      fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-timestamp': '1' } }).catch(
        () => null,
      ),
    )
    assert.equal(forged.status, 401)
    await done(operator.webhooks.test(id))
    await eventually('the program has the event', () => output.includes('endpoint.tested') || null)
  } finally {
    program.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  await remove(id)
}
