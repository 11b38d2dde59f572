import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { aFolder, aPartialReversal, messageKey } from '../support/test-bank.ts'
import { refusals } from './file-reader.ts'
import { MERCHANT, aSettlingBank } from './settling.ts'
import type { ReadFile } from './settling.ts'

const step = fc.constantFrom(
  ...(['sell', 'sell', 'refund', 'void', 'close', 'make', 'restart'] as const),
)

test('any run of sales, refunds, voids, closes, files and restarts settles every cent once', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const folder = await aFolder(t)
      let parts = await aSettlingBank(t, folder)
      let [batch, minor, owed] = [1, 1000n, 0n]
      const orders: Awaited<ReturnType<typeof parts.sell>>[] = []
      const open = new Map<string, bigint>()
      for (const each of steps) {
        minor += 7n
        const order = orders.at(-1)
        if (each === 'sell') orders.push(await parts.sell(minor, { batch: String(batch) }))
        else if (each === 'refund' && order) await parts.refund(order, 300n, String(batch))
        else if (each === 'void' && order) {
          const known = [...parts.bank.store.books.messages.all()].findLast(
            ([, entry]) => entry.kind === 'capture' && entry.amount > 5n,
          )
          if (known?.[1].kind !== 'capture') continue
          const [, , stan = '', time = ''] = known[0].split('/')
          const fields = { ...order.fields, 4: '0', 7: time, 11: stan }
          const capture = { mti: '0220', fields: { ...fields, 4: '000000001000' } }
          assert.equal(messageKey(capture), known[0])
          await parts.bank.send(aPartialReversal(capture, known[1].amount - 5n))
        } else if (each === 'close') {
          await parts.close(String(batch))
          batch += 1
        } else if (each === 'make') await parts.settlement.makeNow(MERCHANT, null, null)
        else if (each === 'restart') {
          await parts.bank.close()
          parts = await aSettlingBank(t, folder)
        }
      }
      await parts.close(String(batch))
      await parts.settlement.makeNow(MERCHANT, null, null)
      for (const [key, entry] of parts.bank.store.books.messages.all()) {
        if (entry.kind === 'capture') owed += entry.amount
        if (entry.kind === 'refund') owed -= entry.amount
        if (entry.kind === 'capture' || entry.kind === 'refund') open.set(key, entry.amount)
      }
      const files: ReadFile[] = []
      for (const file of await parts.settlement.list(new Set())) files.push(await parts.read(file))
      const settled = new Set<string>()
      let gross = 0n
      for (const [at, file] of files.entries()) {
        assert.deepEqual(refusals(file.text, knownAfter(files.slice(0, at))), [])
        for (const { gross: amount, kind, ref } of file.lines) {
          if (kind === 'payout') continue
          gross += BigInt(String(amount).replace('.', ''))
          if (kind !== 'sale' && kind !== 'refund') continue
          assert.ok(!settled.has(String(ref)), 'a movement is in two files')
          settled.add(String(ref))
        }
      }
      assert.equal(gross, owed, 'files and books differ')
      for (const [key, amount] of open) assert.ok(amount === 0n || settled.has(key), key)
      await parts.bank.close()
    }),
    { numRuns: 25 },
  )
})

function knownAfter(files: readonly ReadFile[]) {
  const last = files.at(-1)
  return {
    account: MERCHANT,
    mode: 'test',
    closing: String(last?.trailer['closing'] ?? '0.00'),
    sha256: String(last?.trailer['sha256'] ?? '0'.repeat(64)),
    seqs: new Map(files.map((file) => [Number(file.head['seq']), file.text])),
    ids: new Set(files.flatMap(({ lines }) => lines.map(({ id }) => String(id)))),
  }
}
