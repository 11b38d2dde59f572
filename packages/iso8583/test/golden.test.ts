import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUSE_PROFILE } from '../src/index.ts'
import { goldenVectors } from './golden-vectors.ts'
import { CODECS } from './support.ts'

for (const codec of CODECS) {
  const vectors = goldenVectors(codec.profile.name)

  test(`${codec.profile.name}: every golden message encodes to its committed bytes`, () => {
    for (const { name, message, bytes } of vectors) {
      assert.equal(codec.encode(message).toString('latin1'), bytes.toString('latin1'), name)
    }
  })

  test(`${codec.profile.name}: every golden message is read from its committed bytes`, () => {
    for (const { name, message, bytes } of vectors) {
      assert.deepEqual(codec.decode(bytes), message, name)
    }
  })
}

test('the golden messages hold every field of the profile and every type of the link', () => {
  const messages = goldenVectors('house').map(({ message }) => message)
  const fields = new Set(messages.flatMap((message) => Object.keys(message.fields)))
  const types = new Set(messages.map(({ mti }) => mti))
  const advices = ['0220', '0221', '0230', '0420', '0421', '0430']
  const expected = ['0100', '0110', '0200', '0210', '0500', '0510', '0800', '0810', ...advices]

  assert.deepEqual(
    Object.keys(HOUSE_PROFILE.fields).filter((field) => !fields.has(field)),
    [],
  )
  assert.deepEqual(
    expected.filter((mti) => !types.has(mti)),
    [],
  )
})
