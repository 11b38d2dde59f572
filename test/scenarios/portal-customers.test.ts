import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { ask, codes, monthly, sale, untilCatalogueIsKnown, type Record } from '../support/memberships.ts'
import { addPerson, signIn, STRANGER, type PortalAnswer, type PortalUser } from '../support/portal.ts'
import { chargesOf, membershipOf, startMembership, untilCharged } from '../support/renewals.ts'
import { credentials, startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

const NO_FUNDS = '4012889000000335'

suite('customers, products and memberships in the portal', () => {
  let gateway: RunningGateway
  let owner: PortalUser
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
  const buyer = (name: string, more: Parameters<typeof sale>[0] = {}): Promise<Record> =>
    paid(sale({ CUST_FNAME: 'Ann', CUST_LNAME: name, CUST_EMAIL: `${name}@shop.test`, XTL_CUST_ID: `ref-${name}`, ...more }))
  const names = ({ body }: PortalAnswer): string[] => body.customers.map(({ name }: { name: string }) => name)
  const view = async (id = ''): Promise<PortalAnswer['body']> => {
    const { status, body } = await owner.get(`/memberships/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const wish = (id: string, seen: string, what: object, key: string = randomUUID(), user = owner): Promise<PortalAnswer> =>
    user.post(`/memberships/${id}/changes`, { key, seen, wish: what })
  const audited = async (act: string, object: string): Promise<{ actor: string; address: string; details: string }[]> => {
    const { rows } = await gateway.pool.query('select actor, address, details from audit_entries where act = $1 and object = $2', [act, object])
    return rows
  }

  test('smoke', async () => {
    const a = await buyer('Smoker')
    for (const p of ['/customers', `/customers/${a['CUST_ID']}`, '/products?site=1001', '/memberships', '/memberships?from=2026-01-01&until=2030-01-01', '/renewals/forecast', '/customers?search=smok', '/customers?search=1111', '/customers?cards=yes&memberships=no&site=1001', `/customers/${a['CUST_ID']}/cards/${a['PMT_ID']}/removal`]) {
      const r = await owner.get(p)
      console.log(p, r.status, r.text.slice(0, 1500))
    }
    const m = await buyer('Member', { LI_PROD_ID_1: 'plan' })
    console.log((await owner.get(`/memberships/${m['MBSHP_ID_1']}`)).text)
  })
})
