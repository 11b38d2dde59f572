import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { plantDifference } from '../support/portal-objects.ts'
import { addPortalUser, OTHER_OWNER, OWNER, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const PATH = '/settlement-differences'

suite('settlement differences in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  test('a user assigns, notes and ends a difference, and the audit log names the user', async () => {
    const id = await plantDifference(gateway.pool)
    const at = `${PATH}/${id}`

    const answers = [
      await owner.put(`${at}/owner`, { owner: OWNER.email }),
      await owner.post(`${at}/notes`, { text: 'Asked the acquirer.' }),
      await owner.post(`${at}/end`, { as: 'accepted_timing', reason: 'It came a week later.' }),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const { body } = await owner.get(at)
    assert.deepEqual([body.state, body.owner, body.here], ['ended', OWNER.email, DOLLARS])
    assert.deepEqual(
      [body.end.as, body.end.by, body.end.reason],
      ['accepted_timing', `portal:${OWNER.email}`, 'It came a week later.'],
    )
    assert.deepEqual(
      [body.notes[0].author, body.notes[0].text],
      [`portal:${OWNER.email}`, 'Asked the acquirer.'],
    )
    const { rows } = await gateway.pool.query('select actor from audit_entries where object = $1', [
      `settlement difference ${id}`,
    ])
    assert.deepEqual(
      rows,
      Array.from({ length: 3 }, () => ({ actor: `portal:${OWNER.email}` })),
    )
  })

  test('a user without the right to resolve differences reads them and changes none', async () => {
    const id = await plantDifference(gateway.pool)
    const reader = await signIn(gateway, await addPortalUser(gateway, 'read_only'))

    const statuses = [
      (await reader.get(`${PATH}/${id}`)).status,
      (await reader.put(`${PATH}/${id}/owner`, { owner: OWNER.email })).status,
      (await reader.post(`${PATH}/${id}/notes`, { text: 'Mine.' })).status,
      (await reader.post(`${PATH}/${id}/end`, { as: 'not_ours', reason: 'Mine.' })).status,
    ]

    assert.deepEqual(statuses, [200, 403, 403, 403])
  })

  test('another merchant neither finds nor changes a difference', async () => {
    const id = await plantDifference(gateway.pool)
    const other = await signIn(gateway, OTHER_OWNER)

    const { body } = await other.get(PATH)
    const statuses = [
      (await other.get(`${PATH}/${id}`)).status,
      (await other.put(`${PATH}/${id}/owner`, { owner: OTHER_OWNER.email })).status,
      (await other.post(`${PATH}/${id}/notes`, { text: 'Mine.' })).status,
      (await other.post(`${PATH}/${id}/end`, { as: 'accepted_timing', reason: 'Mine.' })).status,
    ]

    assert.deepEqual([body.differences, body.totals, body.accounts], [[], [], []])
    assert.deepEqual(statuses, [404, 404, 404, 404])
    assert.equal((await owner.get(`${PATH}/${id}`)).body.state, 'open')
  })

  test('a form is refused with the field at fault, and no portal user writes money off', async () => {
    const at = `${PATH}/${await plantDifference(gateway.pool)}`
    const support = await addPortalUser(gateway, 'support')

    const refused = [
      await owner.put(`${at}/owner`, { owner: support.email }),
      await owner.post(`${at}/notes`, { text: ' ' }),
      await owner.post(`${at}/end`, { as: 'accepted_timing', reason: '' }),
      await owner.post(`${at}/end`, { as: 'written_off', reason: 'Gone.' }),
      await owner.post(`${at}/end`, { as: 'not_ours', reason: 'Of another system.' }),
    ]

    assert.deepEqual(
      refused.map(({ body, status }) => [status, body.error.field ?? null]),
      [
        [400, 'owner'],
        [400, 'text'],
        [400, 'reason'],
        [400, 'as'],
        [400, null],
      ],
    )
    assert.equal((await owner.get(at)).body.state, 'open')
  })

  test('the filters choose the rows, the totals and the lines of the CSV file alike', async () => {
    const id = await plantDifference(gateway.pool)
    await gateway.pool.query(
      `update settlement_differences set owner = 'clerk', since = current_date - 400 where id = $1`,
      [id],
    )

    for (const query of ['owner=clerk', 'olderThan=200', 'owner=clerk&code=missing_at_bank']) {
      const { body } = await owner.get(`${PATH}?${query}`)
      assert.deepEqual(
        body.differences.map((each: { id: string }) => each.id),
        [id],
        query,
      )
      assert.deepEqual(body.totals, [
        { currency: 'USD', count: 1, hereMinor: '1000', bankMinor: '0' },
      ])
      const { text } = await owner.get(`${PATH}.csv?${query}`)
      assert.match(text, /^"?Difference/)
      assert.equal(text.trim().split('\r\n').length, 2, text)
    }
    for (const query of ['owner=clerk&state=ended', 'owner=clerk&code=amount', 'account=2']) {
      assert.deepEqual((await owner.get(`${PATH}?${query}`)).body.differences, [], query)
    }
  })

  test('each total leads to exactly the differences whose sides add up to it', async () => {
    await plantDifference(gateway.pool)
    const euros = await plantDifference(gateway.pool)
    await gateway.pool.query(
      `update settlement_differences set bank_minor = 700, bank_currency = 'EUR' where id = $1`,
      [euros],
    )
    const { totals } = (await owner.get(PATH)).body
    assert.equal(totals.length, 2)
    for (const { bankMinor, count, currency, hereMinor } of totals) {
      const { differences } = (await owner.get(`${PATH}?currency=${currency}`)).body
      const sumOf = (side: 'here' | 'bank'): string =>
        String(
          differences
            .filter((row: Sides) => row[side]?.currency === currency)
            .reduce((sum: bigint, row: Sides) => sum + BigInt(row[side]?.minor ?? 0), 0n),
        )
      assert.deepEqual(
        [differences.length, sumOf('here'), sumOf('bank')],
        [count, hereMinor, bankMinor],
      )
      const { text } = await owner.get(`${PATH}.csv?currency=${currency}`)
      assert.equal(text.trim().split('\r\n').length, count + 1)
    }
  })
})

interface Sides {
  readonly here: { readonly minor: string; readonly currency: string } | null
  readonly bank: { readonly minor: string; readonly currency: string } | null
}

const DOLLARS = { minor: '1000', currency: 'USD' }
