import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse } from '../../../src/portal/shell/portal-answer.ts'
import { PortalFault } from '../../../src/portal/shell/portal-route.ts'

/** The sentence that a browser receives when a route refuses with this one. */
async function received(sentence: string): Promise<string> {
  const app = Fastify()
  app.get('/', (_, reply) => refuse(reply, new PortalFault(409, 'changed', sentence)))
  const answer = await app.inject('/')
  await app.close()
  return (answer.json() as { error: { message: string } }).error.message
}

test('a refusal shows its time, though the check digit fits the digits of the time', async () => {
  // 20261122231610 passes the check of ISO/IEC 7812-1.
  const sentence = 'The batch was closed by owner@shop.test at 2026-11-22 23:16:10 UTC.'
  assert.equal(await received(sentence), sentence)
})

test('a refusal shows no card number, beside a time or alone', async () => {
  assert.equal(await received('4111 1111 1111 1111 is no reference.'), '[removed] is no reference.')
  assert.equal(
    await received('4111111111111111 was refused at 2026-11-22 23:16:10 UTC.'),
    '[removed] was refused at 2026-11-22 23:16:10 UTC.',
  )
})
