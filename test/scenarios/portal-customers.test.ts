import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { comingYear, expiryIn, expiryThisMonth } from '../support/dates.ts'
import { assertSchema, eventsOf } from '../support/events.ts'
import { untilSeen } from '../support/eventually.ts'
import { ask, codes, sale, untilCatalogueIsKnown, type Record } from '../support/memberships.ts'
import { untilRow } from '../support/payments.ts'
import {
  addPortalUser,
  signIn,
  OTHER_OWNER,
  type PortalAnswer,
  type SignedInUser,
} from '../support/portal.ts'
import { chargesOf, membershipOf, startMembership, untilCharged } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

/** A card of issuers that are away: declined, and worth another try. */
const AWAY = '4012889000000913'

suite('customers, products and memberships in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway({ REQUEST_RATE_LIMIT: '0' })
    await gateway.pool.query(`
      insert into products (site_id, code, name, type, metric, period, price_minor, currency, active)
      select site, code, code, type, metric, period, price, 'USD', active
        from unnest(array[1001, 1003]) as site,
             (values ('plan', 'renews', 'M', 1, 1000, true), ('plan-2', 'renews', 'M', 2, 1500, true),
                     ('day', 'renews', 'D', 1, 100, true), ('week', 'renews', 'D', 7, 700, true),
                     ('pass', 'ends', 'D', 10, 500, true), ('gone', 'renews', 'M', 1, 1100, false)) as p (code, type, metric, period, price, active)`)
    await untilCatalogueIsKnown(gateway, 'gone')
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  const paid = async (form: Parameters<typeof ask>[1]): Promise<Record> => {
    const answer = await ask(gateway, form)
    assert.equal(codes(answer), 'APPROVED 0/100')
    return answer
  }
  const sellTo = (name: string, more: Parameters<typeof sale>[0] = {}): Promise<Record> =>
    paid(
      sale({
        CUST_FNAME: 'Ann',
        CUST_LNAME: name,
        CUST_EMAIL: `${name}@shop.test`,
        XTL_CUST_ID: `ref-${name}`,
        ...more,
      }),
    )
  const names = ({ body }: PortalAnswer): string[] =>
    body.customers.map(({ name }: { name: string }) => name)
  const view = async (id = ''): Promise<PortalAnswer['body']> => {
    const { status, body } = await owner.get(`/memberships/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const request = (
    id: string,
    seen: string,
    what: object,
    key: string = randomUUID(),
    user = owner,
  ): Promise<PortalAnswer> => user.post(`/memberships/${id}/changes`, { key, seen, request: what })
  const audited = async (
    operation: string,
    object: string,
  ): Promise<{ actor: string; address: string; details: string }[]> => {
    const { rows } = await gateway.pool.query(
      'select actor, address, details from audit_entries where operation = $1 and object = $2',
      [operation, object],
    )
    return rows
  }

  const seen = { firstName: '', lastName: '', email: '', phone: '' }
  const nowhere = {
    street: '',
    street2: '',
    city: '',
    state: '',
    postalCode: '',
    country: '',
    district: '',
  }

  suite('customers', () => {
    test('a customer is found by name, e-mail, reference, id and last four, and by no data of another customer', async () => {
      const { CUST_ID: id = '' } = await sellTo('Zimmermann', { PMT_NUMB: '4012888888881881' })
      for (const search of [
        'zimmer',
        'ann z',
        'Ann Zimm',
        'Zimmermann, Ann',
        'ZIMMERMANN@shop.test',
        'Zimmermann An',
        'ref-Zimmermann',
        id,
        '1881',
      ]) {
        const found = await owner.get(`/customers?search=${encodeURIComponent(search)}`)
        assert.deepEqual(
          found.body.customers.map((each: { id: string }) => each.id),
          [id],
          search,
        )
      }
      for (const search of [
        'immermann',
        'Bob Zimm',
        'ref-Zimmer',
        `${id}0`,
        'zimmer%',
        '_immermann',
      ]) {
        assert.deepEqual(
          names(await owner.get(`/customers?search=${encodeURIComponent(search)}`)),
          [],
          search,
        )
      }
    })

    test('customers and memberships of another merchant do not exist', async () => {
      const {
        CUST_ID: id = '',
        PMT_ID: card = '',
        MBSHP_ID_1: membership = '',
      } = await sellTo('Ours', { LI_PROD_ID_1: 'plan' })
      const otherOwner = await signIn(gateway, OTHER_OWNER)
      const asked = [
        await otherOwner.get(`/customers/${id}`),
        await otherOwner.get(`/memberships/${membership}`),
        await otherOwner.get('/products?site=1001'),
        await otherOwner.get('/renewals/forecast?site=1001'),
        await otherOwner.get(`/customers/${id}/cards/${card}/removal`),
        await otherOwner.remove(`/customers/${id}/cards/${card}`),
        await otherOwner.get(`/customers/${id}/erasure`),
        await otherOwner.post(`/customers/${id}/erasure`, {}),
        await otherOwner.put(`/customers/${id}/contact`, {
          seen: { ...seen, billing: nowhere, shipping: nowhere },
          wanted: { ...seen, billing: nowhere, shipping: nowhere },
        }),
        await request(membership, '1', { kind: 'cancel', when: 'now' }, randomUUID(), otherOwner),
        await otherOwner.put('/sites/1001/products/active', { productId: 'plan', active: false }),
        await otherOwner.post('/sites/1001/products', { id: 'x', name: 'X' }),
      ]
      assert.deepEqual(
        asked.map(({ status }) => status),
        asked.map(() => 404),
      )
      assert.deepEqual(names(await otherOwner.get('/customers?search=Ours')), [])
      assert.deepEqual((await otherOwner.get(`/memberships?customer=${id}`)).body.memberships, [])
    })

    test('pages of customers hold each of them once, with every filter', async () => {
      await gateway.pool.query(`
        insert into customers (id, merchant_id, mode, reference, last_name, created_at)
        select n, 1, 'test', 'many', 'Many ' || n, now() from generate_series(100000, 102129) n`)
      await gateway.pool.query(`
        insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id, fingerprint, brand, last4, created_at, last_used_at)
        select n, 1, n, 'test', 'x', 1, sha256(n::text::bytea), 'Visa', '0000', now(), now() from generate_series(100003, 100009) n`)
      const walk = async (query: string): Promise<string[]> => {
        const ids: string[] = []
        for (let before = ''; ;) {
          const { body } = await owner.get(
            `/customers?search=many&${query}${before === '' ? '' : `&before=${before}`}`,
          )
          ids.push(...body.customers.map(({ id }: { id: string }) => id))
          if (body.next === null) return ids
          before = body.next
        }
      }
      const all = await walk('')
      assert.equal(all.length, 2_130)
      assert.equal(new Set(all).size, 2_130)
      // Farther back than one page looks.
      assert.deepEqual(await walk('cards=yes'), [
        '100009',
        '100008',
        '100007',
        '100006',
        '100005',
        '100004',
        '100003',
      ])
      await gateway.pool.query('delete from payment_methods where id between 100003 and 100009')
      await gateway.pool.query('delete from customers where id >= 100000')
    })

    test('a search with thousands of matches shows the newest first, however far back they are', async () => {
      const [first, matches, newer] = [200_000, 5_001, 10_000]
      const last = first + matches + newer - 1
      await gateway.pool.query(`
        insert into customers (id, merchant_id, mode, first_name, last_name, created_at)
        select n, 1, 'test', 'Jo', case when n < ${first + matches} then 'Common' else 'Newer' end, now()
          from generate_series(${first}, ${last}) n`)
      await gateway.pool.query(`
        insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id, fingerprint, brand, last4, created_at, last_used_at)
        select n, 1, n, 'test', 'x', 1, sha256('common'), 'Visa', '0000', now(), now()
          from generate_series(${first}, ${first + matches - 1}) n`)
      for (const search of ['common', '0000']) {
        const newest = await owner.get(`/customers?search=${search}`)
        assert.deepEqual(newest.body.customers, [], 'one page looks through the newer ones')
        const { body } = await owner.get(`/customers?search=${search}&before=${newest.body.next}`)
        const ids = body.customers.map(({ id }: { id: string }) => id)
        assert.equal(ids[0], String(first + matches - 1))
        assert.equal(ids.at(-1), String(first + matches - ids.length))
        assert.equal(body.next, ids.at(-1))
        const rest = await owner.get(`/customers?search=${search}&before=${first + 2}`)
        assert.deepEqual(
          [rest.body.customers.map(({ id }: { id: string }) => id), rest.body.next],
          [[String(first + 1), String(first)], null],
        )
      }
      const { body } = await owner.get(`/customers/${first}`)
      assert.equal(body.similar.length, 20)
      await gateway.pool.query(`delete from payment_methods where id between ${first} and ${last}`)
      await gateway.pool.query(`delete from customers where id between ${first} and ${last}`)
    })

    test("a customer's page has cards, orders and memberships, and hints at others with the same card or e-mail", async () => {
      const one = await sellTo('Twin', {
        PMT_NUMB: '4444333322221111',
        PMT_EXPIRY: expiryThisMonth(),
        LI_PROD_ID_1: 'plan',
      })
      const same = await sellTo('Other', {
        PMT_NUMB: '4444333322221111',
        CUST_EMAIL: 'TWIN@shop.test',
      })
      await untilRow(
        gateway,
        'the request log has the order',
        'select 1 from requests where order_id = $1',
        [one['PO_ID']],
      )
      const { body } = await owner.get(`/customers/${one['CUST_ID']}`)
      assert.deepEqual(
        body.similar.map(({ id, because }: { id: string; because: string[] }) => [id, because]),
        [[same['CUST_ID'], ['card', 'email']]],
      )
      assert.deepEqual(
        body.orders.map(({ id }: { id: string }) => id),
        [one['PO_ID']],
      )
      assert.deepEqual(
        body.memberships.map(({ id }: { id: string }) => id),
        [one['MBSHP_ID_1']],
      )
      const [card] = body.cards
      assert.deepEqual(
        [card.bin, card.last4, card.expires, card.memberships, card.mode],
        ['444433', '1111', 'soon', 1, 'test'],
      )
    })

    test('a card expires soon from 60 days before the end of its last month, and past that it is past', async () => {
      const one = await sellTo('Soon', { PMT_EXPIRY: expiryThisMonth() })
      /** The state of the card on the page when the site's clock stands so long before its end. */
      const saidAt = async (before: string): Promise<string> => {
        await gateway.pool.query(
          `insert into site_clocks (site_id, site_at, real_at, speed, changed_by)
           select 1001, make_timestamptz(expiry_year, expiry_month, 1, 0, 0, 0, 'UTC')
                          + interval '1 month' - $2::interval, now() + interval '1 hour', 1, 'test'
             from payment_methods where customer_id = $1
               on conflict (site_id) do update set site_at = excluded.site_at`,
          [one['CUST_ID'], before],
        )
        return (await owner.get(`/customers/${one['CUST_ID']}`)).body.cards[0].expires
      }
      try {
        assert.equal(await saidAt('60 days 1 second'), 'later')
        assert.equal(await saidAt('60 days'), 'soon')
        assert.equal(await saidAt('1 second'), 'soon')
        assert.equal(await saidAt('0'), 'past')
      } finally {
        await gateway.pool.query('delete from site_clocks where site_id = 1001')
      }
    })

    test('contact and address are changed over what was seen, by who may, with both values in the audit log', async () => {
      const { CUST_ID: id = '' } = await sellTo('Mover')
      const { contact } = (await owner.get(`/customers/${id}`)).body
      const wanted = {
        ...contact,
        email: 'new@shop.test',
        billing: { ...contact.billing, city: 'Bergen', country: 'no' },
      }
      const finance = await signIn(gateway, await addPortalUser(gateway, 'finance'))
      const path = `/customers/${id}/contact`

      assert.equal((await finance.put(path, { seen: contact, wanted })).status, 403)
      assert.equal((await owner.put(path, { seen: contact, wanted })).status, 200)
      // Once more does no harm; over something else nothing is written.
      assert.equal((await owner.put(path, { seen: contact, wanted })).status, 200)
      assert.equal(
        (await owner.put(path, { seen: contact, wanted: { ...wanted, phone: '1' } })).body.error
          .code,
        'changed_meanwhile',
      )
      assert.equal((await owner.get(`/customers/${id}`)).body.contact.billing.country, 'NO')
      const entries = await audited('customer.changed', `customer ${id}`)
      assert.equal(entries.length, 1)
      assert.match(entries[0]?.details ?? '', /Mover@shop\.test.*new@shop\.test/)
      const pasted = await owner.put(path, {
        seen: wanted,
        wanted: { ...wanted, phone: '4012888888881881' },
      })
      assert.deepEqual([pasted.status, pasted.body.error.field], [400, 'wanted.phone'])
    })
  })

  test('an owner erases the data of a customer once nothing stands against it, and support may not', async () => {
    const member = await sellTo('Stayer', { LI_PROD_ID_1: 'plan' })
    const { CUST_ID: id = '', PO_ID: order = '' } = await sellTo('Forgotten')
    const path = `/customers/${id}/erasure`
    const kept = await owner.post(`/customers/${member['CUST_ID']}/erasure`, {})
    assert.deepEqual([kept.status, kept.body.error.code], [409, 'conflict'])
    assert.match(kept.body.error.message, /A membership charges a card\. Cancel the membership\./)
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const forbidden = [await support.get(path), await support.post(path, {})]
    assert.deepEqual(
      forbidden.map(({ status }) => status),
      [403, 403],
    )
    const { body: outlook } = await untilSeen(
      'nothing stands against the erasure',
      () => owner.get(path),
      ({ body }) => body.obstacles?.length === 0,
    )
    const refundable = [{ currency: 'USD', minor: '1995', orders: 1 }]
    const expected = { isErased: false, obstacles: [], cards: 1, orders: 1, refundable }
    assert.deepEqual(outlook, expected)
    assert.equal((await owner.get(`/customers/${id}`)).body.erasedAt, null)

    const erased = await owner.post(path, {})

    assert.equal(erased.status, 200, erased.text)
    const { body, text } = await owner.get(`/customers/${id}`)
    assert.doesNotMatch(text, /Forgotten/)
    assert.match(body.erasedAt, /^\d{4}-/)
    assert.deepEqual((await owner.get(path)).body, {
      ...expected,
      isErased: true,
      cards: 0,
      refundable: [],
    })
    assert.equal((await owner.get(`/orders/${order}`)).status, 200)
    assert.match(codes(await ask(gateway, sale({ CUST_ID: id }))), /115/)
    assert.equal((await owner.post(path, {})).status, 409)
    const entries = await audited('customer.erased', `customer ${id}`)
    assert.equal(entries.length, 1)
    assert.match(entries[0]?.actor ?? '', /^portal:owner@/)
    assert.match(entries[0]?.address ?? '', /127\.0\.0\.1/)
  })

  suite('taking a card away', () => {
    const remove = (answer: Record, user = owner): Promise<PortalAnswer> =>
      user.remove(`/customers/${answer['CUST_ID']}/cards/${answer['PMT_ID']}`)
    const card = async (
      id = '',
    ): Promise<{
      pan_ciphertext: Buffer | null
      data_key_id: number | null
      removed_at: Date | null
    }> =>
      (
        await gateway.pool.query(
          'select pan_ciphertext, data_key_id, removed_at from payment_methods where id = $1',
          [id],
        )
      ).rows[0]

    test('a card that a membership charges, or whose authorization is open, stays', async () => {
      const member = await sellTo('Keeper', { LI_PROD_ID_1: 'plan' })
      const open = await sellTo('Opener', { REQUEST_ACTION: 'CCAUTHORIZE' })

      const answers = [await remove(member), await remove(open)]

      assert.deepEqual(
        answers.map(({ status }) => status),
        [409, 409],
      )
      assert.match(
        answers[0]?.body.error.message,
        new RegExp(`Membership ${member['MBSHP_ID_1']} charges it`),
      )
      assert.match(answers[1]?.body.error.message, /authorization with it is open/)
      assert.ok((await card(member['PMT_ID'])).pan_ciphertext)
    })

    test('the number is erased, the card cannot be charged or refunded, and the same number is a new card', async () => {
      const sold = await sellTo('Leaver')
      // The capture of a sale may be on its way yet.
      const answer = await untilSeen(
        'nothing of the card is on its way',
        () => remove(sold),
        ({ status, text }) => !(status === 409 && /not confirmed by the bank yet/.test(text)),
      )
      assert.equal(answer.status, 200, answer.text)

      const row = await card(sold['PMT_ID'])
      assert.deepEqual([row.pan_ciphertext, row.data_key_id], [null, null])
      assert.notEqual(row.removed_at, null)
      const charge = {
        REQUEST_ACTION: 'CCAUTHCAP',
        CUST_ID: sold['CUST_ID'] ?? '',
        LI_VALUE_1: '1.00',
      }
      assert.equal(
        codes(await ask(gateway, { ...charge, PMT_ID: sold['PMT_ID'] ?? '' })),
        '- 113/0 PMT_ID',
      )
      const refund = await ask(gateway, {
        REQUEST_ACTION: 'CCCREDIT',
        REQUEST_REF_PO_ID: sold['PO_ID'] ?? '',
        LI_VALUE_1: '1.00',
      })
      assert.equal(codes(refund), 'DECLINED 0/580')
      const again = await paid(sale({ CUST_ID: sold['CUST_ID'] ?? '' }))
      assert.notEqual(again['PMT_ID'], sold['PMT_ID'])
      // Twice is once.
      assert.equal((await remove(sold)).status, 200)
      const entries = await audited('card.removed', `payment method ${sold['PMT_ID']}`)
      assert.equal(entries.length, 1)
      assert.match(entries[0]?.actor ?? '', /^portal:owner@/)
      const events = await eventsOf(gateway, `card ${sold['PMT_ID']}`)
      for (const event of events) assertSchema(event)
      assert.deepEqual(
        events.map(({ actor, data, type }) => [type, data['reason'], actor?.type]),
        [['card.removed', 'staff', 'portal_user']],
      )
      const { body } = await owner.get(`/customers/${sold['CUST_ID']}`)
      assert.equal(
        body.cards.filter(({ removedAt }: { removedAt: string | null }) => removedAt !== null)
          .length,
        1,
      )
    })

    test('a card whose order is locked is not removed, and the answer does not wait', async () => {
      const sold = await sellTo('Busy')
      const hold = await gateway.pool.connect()
      try {
        await hold.query('begin')
        await hold.query('select from orders where id = $1 for update', [sold['PO_ID']])
        const answer = await remove(sold)
        assert.deepEqual(
          [answer.status, /Another operation is using/.test(answer.text)],
          [409, true],
        )
      } finally {
        await hold.query('rollback')
        hold.release()
      }
    })

    test('the rules of the database keep a number and its removal apart', async () => {
      const { PMT_ID: id } = await sellTo('Halfway')
      await assert.rejects(
        gateway.pool.query('update payment_methods set removed_at = now() where id = $1', [id]),
        /number_until_removed/,
      )
      await assert.rejects(
        gateway.pool.query('update payment_methods set pan_ciphertext = null where id = $1', [id]),
        /number_until_removed/,
      )
    })
  })

  suite('products', () => {
    test('a product is added by the rules of the command, and faults name their field', async () => {
      const add = (draft: object, user = owner): Promise<PortalAnswer> =>
        user.post('/sites/1001/products', draft)
      const gold = {
        id: 'gold',
        name: 'Gold',
        type: '2',
        metric: 'M',
        period: '1',
        price: '19.95',
        currency: 'USD',
      }
      assert.equal((await add(gold)).status, 200)
      const faulty = [
        { ...gold, id: '' },
        { ...gold, name: '' },
        { ...gold, id: 'g2', price: '1.999' },
        { ...gold, id: 'g2', price: '0.00' },
        { ...gold, id: 'g2', currency: 'XXQ' },
        { ...gold, id: 'g2', period: '0' },
        { ...gold, id: 'g2', name: '4012888888881881' },
        gold,
        { ...gold, id: 'g2' },
      ]
      const fields: [number, string][] = []
      for (const draft of faulty) {
        const { status, body } = await add(draft)
        fields.push([status, body.error.field])
      }
      assert.deepEqual(fields, [
        [400, 'id'],
        [400, 'name'],
        [400, 'price'],
        [400, 'price'],
        [400, 'currency'],
        [400, 'period'],
        [400, 'name'],
        [409, 'id'],
        [409, 'name'],
      ])
      const support = await signIn(gateway, await addPortalUser(gateway, 'support'))
      assert.equal((await add({ ...gold, id: 'g3' }, support)).status, 403)
      const entries = await audited('product.added', 'site 1001')
      assert.deepEqual(
        entries.map(({ actor }) => actor),
        ['portal:owner@tollgate.test'],
      )
    })

    test('a product that is switched off keeps its memberships', async () => {
      await gateway.pool.query(
        `insert into products (site_id, code, name, type, metric, period, price_minor, currency) values (1001, 'off', 'Off', 'renews', 'M', 1, 1234, 'USD')`,
      )
      await untilSold('off')
      const { MBSHP_ID_1: id = '' } = await sellTo('Offer', { LI_PROD_ID_1: 'off' })
      assert.equal(
        (await owner.put('/sites/1001/products/active', { productId: 'off', active: false }))
          .status,
        200,
      )
      const { body } = await owner.get('/products?site=1001&search=off')
      assert.deepEqual(
        body.products.map(
          ({ active, memberships }: { active: boolean; memberships: { active: number } }) => [
            active,
            memberships.active,
          ],
        ),
        [[false, 2]],
      )
      assert.equal((await membershipOf(gateway, id)).state, 'active')
      assert.equal(
        (await owner.put('/sites/1001/products/active', { productId: 'none', active: false }))
          .status,
        404,
      )
    })
  })

  /** Until a sale of it begins a membership. */
  const untilSold = async (product: string): Promise<void> => {
    await untilSeen(
      `a sale of ${product} begins a membership`,
      () => ask(gateway, sale({ LI_PROD_ID_1: product, CUST_LNAME: 'Prober' })),
      (answer) => (answer['MBSHP_ID_1'] ?? '') !== '',
    )
  }

  suite('memberships', () => {
    test('lists are filtered by state, product, customer and date, and page without gap or repetition', async () => {
      const made: string[] = []
      for (let at = 0; at < 53; at += 1)
        made.push((await sellTo('Lister', { LI_PROD_ID_1: 'week' }))['MBSHP_ID_1'] ?? '')
      const { MBSHP_ID_1: gone = '', CUST_ID: whose = '' } = await sellTo('Goner', {
        LI_PROD_ID_1: 'week',
      })
      await ask(gateway, {
        REQUEST_ACTION: 'SUB_CANCEL',
        REQUEST_REF_MBSHP_ID: gone,
        SUB_CANCEL_TYPE: '1',
      })
      const walk = async (query: string): Promise<string[]> => {
        const ids: string[] = []
        for (let place = ''; ;) {
          const { body, status } = await owner.get(`/memberships?${query}${place}`)
          assert.equal(status, 200)
          ids.push(...body.memberships.map(({ id }: { id: string }) => id))
          if (body.next === null) return ids
          place = `&after=${body.next.id}${body.next.at === null ? '' : `&afterAt=${body.next.at}`}`
        }
      }
      assert.deepEqual(await walk('product=week&states=active'), made.toReversed())
      assert.deepEqual(await walk('product=week'), [gone, ...made.toReversed()])
      assert.deepEqual(await walk('product=week&order=due'), made)
      assert.deepEqual(await walk('product=week&states=cancelled'), [gone])
      assert.deepEqual(await walk(`customer=${whose}`), [gone])
      const due = new Date(Date.parse((await view(made[0])).next.at))
      const day = due.toISOString().slice(0, 10)
      const dayAfter = new Date(due.getTime() + 2 * 86_400_000).toISOString().slice(0, 10)
      assert.ok((await walk(`product=week&from=${day}&until=${dayAfter}`)).includes(made[0] ?? ''))
      assert.deepEqual(await walk(`product=week&from=${dayAfter}&until=${dayAfter}`), [])
      assert.equal((await owner.get('/memberships?states=wrong')).status, 400)
    })

    test('a product, a card and a cancellation are changed as by the payment address, each with its entry', async () => {
      const { MBSHP_ID_1: id = '', CUST_ID: customer = '' } = await sellTo('Changer', {
        LI_PROD_ID_1: 'plan',
      })
      const { PMT_ID: card = '' } = await paid(
        sale({ CUST_ID: customer, PMT_NUMB: '4012888888881881' }),
      )

      let { version } = await view(id)
      assert.equal(
        (await request(id, version, { kind: 'product', productId: 'plan-2' })).status,
        200,
      )
      version = (await view(id)).version
      assert.equal((await request(id, version, { kind: 'card', cardId: card })).status, 200)
      const changed = await view(id)
      assert.deepEqual(
        [changed.nextProduct.productId, changed.cardId, changed.next.amountMinor],
        ['plan-2', card, '1500'],
      )
      assert.equal(
        (await request(id, changed.version, { kind: 'cancel', when: 'at_rebill' })).status,
        200,
      )
      const last = await view(id)
      assert.deepEqual(
        [last.state, last.next.kind, last.nextProduct],
        ['cancel_scheduled', 'cancel', null],
      )
      assert.deepEqual(
        last.operations.map(({ actor }: { actor: string }) => actor),
        Array.from({ length: 3 }, () => 'portal:owner@tollgate.test'),
      )
      const entries = [
        ...(await audited('membership.changed', `membership ${id}`)),
        ...(await audited('membership.cancelled', `membership ${id}`)),
      ]
      assert.equal(entries.length, 3)
      assert.match(
        entries[0]?.details ?? '',
        /"before":.*"product plan".*"after":.*"next product plan-2"/,
      )
      assert.notEqual(entries[0]?.address, '')
    })

    test('an impossible change is refused with its reason, and a role without the right changes nothing', async () => {
      const { MBSHP_ID_1: id = '' } = await sellTo('Refused', { LI_PROD_ID_1: 'plan' })
      const { MBSHP_ID_1: pass = '' } = await sellTo('Passer', { LI_PROD_ID_1: 'pass' })
      const { PMT_ID: foreign = '' } = await sellTo('UserWithRole')
      const { version } = await view(id)
      const finance = await signIn(gateway, await addPortalUser(gateway, 'finance'))
      const answers = [
        await request(id, version, { kind: 'product', productId: 'gone' }),
        await request(id, version, { kind: 'product', productId: 'no such' }),
        await request(id, version, { kind: 'card', cardId: foreign }),
        await request(id, version, { kind: 'retry' }),
        await request(pass, (await view(pass)).version, { kind: 'cancel', when: 'at_rebill' }),
        await request(id, version, { kind: 'cancel', when: 'now' }, randomUUID(), finance),
      ]
      assert.deepEqual(
        answers.map(({ body }) => body.error.code),
        [
          'product_not_rebillable',
          'product_not_rebillable',
          'card_unknown',
          'nothing_to_retry',
          'not_set_for_rebill',
          'not_allowed',
        ],
      )
      assert.equal((await view(id)).version, version)
    })

    test('one dialogue that is sent ten times at once is done once; a late second user gets the name of the first', async () => {
      const { MBSHP_ID_1: id = '' } = await sellTo('Racer', { LI_PROD_ID_1: 'plan' })
      const { version } = await view(id)
      const support = await signIn(gateway, await addPortalUser(gateway, 'support'))
      const key = randomUUID()

      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          request(id, version, { kind: 'product', productId: 'plan-2' }, key),
        ),
      )
      const late = await request(
        id,
        version,
        { kind: 'cancel', when: 'now' },
        randomUUID(),
        support,
      )

      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      )
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal((await audited('membership.changed', `membership ${id}`)).length, 1)
      assert.equal(late.status, 409)
      assert.match(
        late.body.error.message,
        /^owner@tollgate\.test changed the membership after you opened it, at .*plan-2/,
      )
      assert.equal((await view(id)).state, 'active')
    })

    test('a key that has done something does nothing else, of this membership or of another', async () => {
      const { MBSHP_ID_1: id = '' } = await sellTo('Reuser', { LI_PROD_ID_1: 'plan' })
      const { MBSHP_ID_1: other = '' } = await sellTo('Bystander', { LI_PROD_ID_1: 'plan' })
      const key = randomUUID()
      const { version } = await view(id)
      const first = await request(id, version, { kind: 'product', productId: 'plan-2' }, key)
      assert.equal(first.status, 200, first.text)

      const answers = [
        await request(id, version, { kind: 'cancel', when: 'now' }, key),
        await request(id, (await view(id)).version, { kind: 'product', productId: 'week' }, key),
        await request(
          other,
          (await view(other)).version,
          { kind: 'product', productId: 'plan-2' },
          key,
        ),
      ]
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.error.code]),
        answers.map(() => [409, 'key_reused']),
      )
      assert.match(answers[0]?.body.error.message, /another operation with the same key/)
      assert.deepEqual(
        [
          (await view(id)).state,
          (await view(id)).nextProduct.productId,
          (await view(other)).nextProduct,
        ],
        ['active', 'plan-2', null],
      )
      assert.deepEqual(
        (await request(id, version, { kind: 'product', productId: 'plan-2' }, key)).body,
        first.body,
      )
    })

    test('a failed renewal is tried again at once, exactly once, and what the network forbids is not', async () => {
      const failing = await startMembership(gateway, { cardNumber: AWAY })
      await untilCharged(gateway, failing.id)
      const due = await view(failing.id)
      assert.deepEqual(
        [due.state, due.charges[0].outcome, due.open.attempts, due.open.retries.length],
        ['past_due', 'declined', 1, 4],
      )
      assert.equal(due.open.now.allowed, true, due.open.now.reason)

      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => request(failing.id, due.version, { kind: 'retry' }, key)),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      )
      const charges = await untilCharged(gateway, failing.id, 2)
      assert.equal(charges.length, 2)
      // The plan goes on as it was.
      const { open, next } = await view(failing.id)
      assert.deepEqual(open.retries, due.open.retries)
      assert.ok(next.at >= due.next.at)

      await gateway.pool.query(
        `update transactions set response_code = '41', service_code = 615 where order_id = $1`,
        [charges[1]?.order_id],
      )
      const blocked = await view(failing.id)
      const refused = await request(failing.id, blocked.version, { kind: 'retry' })
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'forbidden_by_rules'])
      assert.match(refused.body.error.message, /must not be charged again/)
      assert.equal((await chargesOf(gateway, failing.id)).length, 2)
    })
  })

  test('the forecast of 30 days is what is charged when the clock is moved by 30 days', async () => {
    await clock(gateway, 'stop', {}, 1003)
    await clock(gateway, 'jump', { to: `${comingYear(2030)}-01-31T10:00:00Z` }, 1003)
    const join = (product: string, more: Parameters<typeof sale>[0] = {}): Promise<Record> =>
      paid({
        ...sale({ LI_PROD_ID_1: product, LI_VALUE_1: '1.00', PMT_EXPIRY: expiryIn(19), ...more }),
        ...credentials(1003),
      })
    const members: Record[] = []
    for (let at = 0; at < 5; at += 1) {
      for (const product of ['day', 'week', 'plan', 'pass']) members.push(await join(product))
    }
    const site = (form: Parameters<typeof ask>[1]): Promise<Record> =>
      ask(gateway, { ...credentials(1003), ...form })
    await site({
      REQUEST_ACTION: 'SUB_CANCEL',
      REQUEST_REF_MBSHP_ID: members[1]?.['MBSHP_ID_1'] ?? '',
    })
    await site({
      REQUEST_ACTION: 'SUB_UPDATE',
      REQUEST_REF_MBSHP_ID: members[4]?.['MBSHP_ID_1'] ?? '',
      SUB_UPDATE_PROD_ID: 'week',
    })
    await site({
      REQUEST_ACTION: 'SUB_UPDATE',
      REQUEST_REF_MBSHP_ID: members[6]?.['MBSHP_ID_1'] ?? '',
      SUB_UPDATE_PROD_ID: 'day',
    })

    const [forecast] = (await owner.get('/renewals/forecast?site=1003')).body.sites
    await clock(gateway, 'jump', { to: forecast.until, wait: 60 }, 1003)
    // A busy machine may take longer than an answer is waited for.
    await untilRow(
      gateway,
      'the clock has arrived',
      'select from site_clocks where site_id = 1003 and target_at is null',
      [],
      300_000,
    )
    assert.equal((await clock(gateway, '', {}, 1003)).time, forecast.until)

    const { rows } = await gateway.pool.query<{ day: string; count: number; minor: string }>(
      `select to_char(c.at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int, sum(c.amount_minor) as minor
         from membership_charges c join memberships m on m.id = c.membership_id
        where m.site_id = 1003 and c.outcome = 'approved' group by 1 order by 1`,
    )
    const expected = forecast.days.flatMap(
      ({ day, charges }: { day: string; charges: { renewals: number; minor: string }[] }) =>
        charges.map(({ renewals, minor }) => ({ day, count: renewals, minor })),
    )
    assert.deepEqual(expected, rows)
    const ended = forecast.days.reduce((sum: number, { ends }: { ends: number }) => sum + ends, 0)
    const { rows: over } = await gateway.pool.query<{ count: number }>(
      'select count(*)::int from memberships where site_id = 1003 and over_at is not null',
    )
    assert.deepEqual([ended, over[0]?.count], [6, 6])
    assert.ok(rows.length >= 30, 'daily memberships are charged on every day')
    assert.equal(rows.reduce((sum, { count }) => sum + count, 0) > 120, true)
  })
})
