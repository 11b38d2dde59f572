import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import {
  FRAME_BYTES_MAX,
  writeRequests,
  type VaultRequest,
} from '../../../../src/adapters/vault/process/frames.ts'
import { createOpeningLimit } from '../../../../src/adapters/vault/process/policy.ts'
import { CardNumber } from '../../../../src/domain/payments/card-number.ts'
import { VaultUnavailableError } from '../../../../src/usecases/vault/card-vault.ts'
import { aDataKey, ringOf } from '../test-key-ring.ts'
import { SECRET, servedVault, type ServedVault, type WorldOptions } from './vault-world.ts'

const PAN = new CardNumber('4111111111111111')
const PLACE = { kind: 'payment method', id: 7000n } as const
const HELLO: VaultRequest = {
  sequence: 1,
  operation: 'hello',
  kind: 0,
  id: 0n,
  merchantId: 0n,
  name: 'gateway:test:2',
  content: Buffer.from(SECRET.reveal()),
}

async function served(
  t: TestContext,
  options: Parameters<typeof servedVault>[1] = {},
): Promise<ServedVault> {
  const vault = await servedVault(ringOf(aDataKey(1)), options)
  t.after(vault.stop)
  return vault
}

/** The bytes that come back for these until the server closes the connection. */
async function exchange(path: string, ...pieces: readonly Buffer[]): Promise<Buffer> {
  const socket = connect(path)
  const received: Buffer[] = []
  socket.on('data', (piece: Buffer) => received.push(piece))
  socket.on('error', () => undefined)
  for (const piece of pieces) socket.write(piece)
  await once(socket, 'close')
  return Buffer.concat(received)
}

function changed(frame: Buffer, change: (frame: Buffer) => void): Buffer {
  const copy = Buffer.from(frame)
  change(copy)
  return copy
}

const GARBAGE: readonly (readonly [what: string, frames: readonly Buffer[], why: RegExp])[] = [
  ['random bytes', [Buffer.from('GET / HTTP/1.1\r\n\r\n')], /outside of the limit/],
  ['another version', [changed(writeRequests([HELLO]), (f) => f.writeUInt8(9, 4))], /version 9/],
  ['no hello', [writeRequests([{ ...HELLO, operation: 'open' }])], /did not say hello/],
  [
    'a wrong secret',
    [writeRequests([{ ...HELLO, content: Buffer.from('a guess') }])],
    /does not know the secret/,
  ],
  ['no name of a gateway', [writeRequests([{ ...HELLO, name: 'operator:ada' }])], /has no name/],
  [
    'a hello that is too long',
    [writeRequests([{ ...HELLO, content: Buffer.alloc(1_000) }])],
    /outside of the limit/,
  ],
  [
    'an unknown operation',
    [writeRequests([HELLO]), changed(writeRequests([HELLO]), (f) => f.writeUInt8(200, 9))],
    /unknown operation/,
  ],
  [
    'a message that goes on behind its frame',
    [writeRequests([HELLO]), changed(writeRequests([HELLO]), (f) => f.writeUInt16BE(900, 27))],
    /ends in a message/,
  ],
  [
    'a frame above the limit',
    [
      writeRequests([HELLO]),
      changed(Buffer.alloc(64), (f) => f.writeUInt32BE(FRAME_BYTES_MAX + 1)),
    ],
    /outside of the limit/,
  ],
]

for (const [what, frames, why] of GARBAGE) {
  test(`a connection with ${what} is closed, and others are served`, async (t) => {
    const vault = await served(t)
    await exchange(vault.path, ...frames)
    assert.match(vault.turnedAway.join(), why)
    assert.ok((await vault.work.vault.seal(PAN, PLACE, 1n)).fingerprint)
  })
}

test('the socket is open to its own user only', async (t) => {
  const { path } = await served(t)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('no number is opened as a secret, without a reason, or for an export', async (t) => {
  const vault = await served(t)
  const { sealed } = await vault.work.vault.seal(PAN, PLACE, 1n)
  const stored = Buffer.from(sealed.ciphertext, 'hex')
  await assert.rejects(vault.work.places.open(stored, 'payment method 7000'), /refused/)
  await assert.rejects(vault.work.places.seal('4111', 'payment method 7000'), /refused/)
  await assert.rejects(vault.work.vault.reveal(stored, PLACE, 'vault export', 1n), /refused/)
  // The last ones are names that each object of the language has.
  for (const reason of ['curiosity', 'constructor', 'toString'] as unknown as 'refund'[]) {
    await assert.rejects(vault.work.vault.reveal(stored, PLACE, reason, 1n), /refused/)
  }
  assert.deepEqual(vault.entries, [])
})

test('more numbers than the limit of a minute stay closed, and the operator hears of it once', async (t) => {
  let nowMs = 0
  const vault = await served(t, { openings: createOpeningLimit(2, () => nowMs) })
  const { sealed } = await vault.work.vault.seal(PAN, PLACE, 1n)
  const stored = Buffer.from(sealed.ciphertext, 'hex')
  const open = () => vault.work.vault.reveal(stored, PLACE, 'authorization', 1n)
  await open()
  await open()
  await assert.rejects(open(), VaultUnavailableError)
  await assert.rejects(open(), VaultUnavailableError)
  assert.equal(vault.entries.length, 2)
  assert.equal(vault.limits.length, 1)
  nowMs = 60_000
  assert.equal((await open()).reveal(), PAN.reveal())
})

test('a request that was open when the process ended is answered by the next one', async (t) => {
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const options: WorldOptions = {
    append: () => {
      begun.resolve()
      return held.promise
    },
  }
  const vault = await served(t, options)
  const { sealed } = await vault.work.vault.seal(PAN, PLACE, 1n)
  const stored = Buffer.from(sealed.ciphertext, 'hex')
  const asked = vault.work.vault.reveal(stored, PLACE, 'refund', 1n)
  await begun.promise
  const restarted = vault.restart()
  held.resolve()
  await restarted
  assert.equal((await asked).reveal(), PAN.reveal())
  assert.ok((await vault.work.vault.seal(PAN, PLACE, 1n)).fingerprint)
  assert.equal(vault.client.state(), 'up')
})

test('a request to a process that stays away ends as unavailable', async (t) => {
  const vault = await served(t)
  await vault.client.digestKey()
  await vault.stopServer()
  const none = { kind: 0, id: 0n, merchantId: 0n, name: '', content: Buffer.alloc(0) }
  await assert.rejects(
    vault.client.ask({ operation: 're-encrypt', ...none }, 1),
    (error: Error) =>
      error instanceof VaultUnavailableError && /vault process is away/.test(error.message),
  )
})
