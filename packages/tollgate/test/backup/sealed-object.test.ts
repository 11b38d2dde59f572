import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { backupKey, openObject, SealError, sealObject } from '../../src/backup/sealed-object.ts'

const KEY = backupKey(Buffer.alloc(32, 1).toString('base64'))
const OTHER = backupKey(Buffer.alloc(32, 2).toString('base64'))
const CONTENT = Buffer.from('a page of the database, '.repeat(40))

suite('an object of a backup', () => {
  test('opens with its content and its facts, under its key and its name', async () => {
    const sealed = await sealObject(KEY, 'log/7', { closedAt: 'today' }, CONTENT)
    const { content, facts } = await openObject(KEY, 'log/7', sealed)
    assert.deepEqual(content, CONTENT)
    assert.deepEqual(facts, { closedAt: 'today' })
    assert.equal(sealed.indexOf('page of the database'), -1)
    assert.ok(sealed.length < CONTENT.length, 'it is compressed')
  })

  test('is sealed differently each time, so that equal contents cannot be recognized', async () => {
    const [left, right] = await Promise.all([
      sealObject(KEY, 'log/7', {}, CONTENT),
      sealObject(KEY, 'log/7', {}, CONTENT),
    ])
    assert.notDeepEqual(left.subarray(44), right.subarray(44))
  })

  test('is refused after a change of any one byte, and when it is cut off', async () => {
    const sealed = await sealObject(KEY, 'log/7', {}, CONTENT)
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 0x40, at)
      await assert.rejects(openObject(KEY, 'log/7', changed), SealError, `byte ${at}`)
    }
    for (const length of [0, 3, 59, sealed.length - 1]) {
      await assert.rejects(openObject(KEY, 'log/7', sealed.subarray(0, length)), SealError)
    }
  })

  test('is refused under the name of another object, which it could otherwise replace', async () => {
    const sealed = await sealObject(KEY, 'log/7', {}, CONTENT)
    await assert.rejects(openObject(KEY, 'log/8', sealed), /The object log\/8 is damaged/)
  })

  test('under another key is refused with the ids of both keys, and with neither key', async () => {
    const sealed = await sealObject(KEY, 'log/7', {}, CONTENT)
    await assert.rejects(openObject(OTHER, 'log/7', sealed), (error: Error) => {
      assert.ok(error.message.includes(KEY.id.toString('hex')))
      assert.ok(error.message.includes(OTHER.id.toString('hex')))
      assert.ok(!error.message.includes(KEY.bytes.toString('base64')))
      return true
    })
  })
})
