import { HOUSE_PROFILE, compileProfile, createLinkClient } from '@tollgate/iso8583'
import type { IsoMessage, LinkClient } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { startBank } from '../../src/bank.ts'
import type { Bank } from '../../src/bank.ts'
import { NOON, aFolder, closeWith } from './test-bank.ts'

/** Longer than any answer takes; a test that waits for nothing passes a time of its own. */
const WAIT_MS = 20_000

/** A whole bank in this process, which is stopped when the test ends. */
export async function startTestBank(
  t: TestContext,
  options: { readonly folder?: string; readonly gatewayTimeoutMs?: number } = {},
): Promise<{ readonly bank: Bank; readonly url: string; readonly folder: string }> {
  const folder = options.folder ?? (await aFolder(t))
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    gatewayTimeoutMs: options.gatewayTimeoutMs ?? 50,
    folder,
    now: () => NOON,
    warn: () => undefined,
    onFatal: (error) => assert.fail(String(error)),
  })
  let isUp = true
  const stop = async () => {
    if (!isUp) return
    isUp = false
    await bank.stop()
  }
  closeWith(folder, stop)
  return { bank: { ...bank, stop }, url: bank.controlUrl ?? '', folder }
}

/** The answer to a message, which must come. */
export async function ask(link: LinkClient, message: IsoMessage): Promise<IsoMessage> {
  const reply = await link.send(message, WAIT_MS)
  assert.equal(reply.kind, 'reply')
  if (reply.kind !== 'reply') throw new Error('unreachable')
  return reply.message
}

/** A signed-on link that keeps what comes without being waited for. */
export async function openLink(
  t: TestContext,
  { port }: Bank,
): Promise<{ readonly link: LinkClient; readonly nextUnmatched: () => Promise<IsoMessage> }> {
  const unmatched: IsoMessage[] = []
  const link = createLinkClient({
    host: '127.0.0.1',
    port,
    codec: compileProfile(HOUSE_PROFILE),
    acquirerId: '400001',
    onUnmatched: (message) => {
      unmatched.push(message)
    },
    timing: { stopTimeoutMs: 100 },
  })
  link.start()
  t.after(() => link.stop())
  await link.whenUp()
  const nextUnmatched = async () => {
    return eventually('an unrequested message arrives', () => unmatched.shift())
  }
  return { link, nextUnmatched }
}
