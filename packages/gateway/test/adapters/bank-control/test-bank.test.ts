import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createTestBank, TestBankError } from '../../../src/adapters/bank-control/test-bank.ts'

suite('the control port of the test bank', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-bank-'))
  const addressFile = join(folder, 'control-address')
  const says = { status: 200, body: '{"rules":[]}' }
  const server = createServer((_request, response) =>
    response.writeHead(says.status).end(says.body),
  )
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    writeFileSync(addressFile, `http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  /** The result of a question to a bank that answers like that. */
  const refusedWith = async (
    status: number,
    body: string,
  ): Promise<readonly [isRefusal: boolean, sentence: string]> => {
    Object.assign(says, { status, body })
    const error = await createTestBank({ addressFile, absent: null })
      .rules()
      .then(
        () => null,
        (reason: unknown) => reason,
      )
    assert.ok(error instanceof TestBankError, String(error))
    return [error.isRefusal, error.message]
  }

  test('says no in the words of the bank, or by its status where it has none', async () => {
    assert.deepEqual(await refusedWith(400, '{"error":"No such rule."}'), [true, 'No such rule.'])
    for (const body of ['null', '{}', '{"error":1}', '[]']) {
      assert.deepEqual(
        await refusedWith(500, body),
        [true, 'It answered with HTTP status 500.'],
        body,
      )
    }
  })

  test('is not there while its address file is missing, empty or half written', async () => {
    for (const text of [null, '', 'http:/']) {
      const file = join(folder, 'other-address')
      if (text !== null) writeFileSync(file, text)
      await assert.rejects(
        createTestBank({ addressFile: file, absent: null }).rules(),
        (error) => error instanceof TestBankError && !error.isRefusal,
      )
    }
  })
})
