import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { BANK_AGREED } from '../../../../src/adapters/postgres/books/advice-agreement.ts'
import { ENDING_ANSWERS, type AdviceKind } from '../../../../src/domain/payments/advice-answers.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('the database calls the same answers an agreement as the table of answers', async (t) => {
  const pool = new pg.Pool({ connectionString: await server.createEmptyDatabase() })
  t.after(() => pool.end())
  const kinds = Object.keys(ENDING_ANSWERS) as AdviceKind[]
  const { rows } = await pool.query<{ kind: AdviceKind; response_code: string; agreed: boolean }>(
    `select kind, response_code, ${BANK_AGREED} as agreed
       from unnest($1::text[]) kind, unnest($2::text[]) response_code`,
    [kinds, ['00', '21', '25', '76', '96', '']],
  )
  assert.equal(rows.length, 18)
  for (const { kind, response_code: code, agreed } of rows) {
    assert.equal(agreed, ENDING_ANSWERS[kind][code] === 'agreed', `${kind} ${code}`)
  }
})
